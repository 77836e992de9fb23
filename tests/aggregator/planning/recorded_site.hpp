#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "profiles/formats/outcome/outcome.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {

/// A site with the records of measured jobs.
struct RecordedSite : PlanningSite {
  void record(std::uint64_t job, std::uint32_t step, const OutcomeRun& like,
              std::optional<OutcomeEnd> end = OutcomeEnd{Seconds{9}, 0},
              const std::string& plan_file = "") const {
    Outcome outcome;
    outcome.user = request.user;
    outcome.label = request.label;
    outcome.ranks = request.ranks;
    outcome.treatment = Treatment::kMeasured;
    outcome.run = like;
    outcome.run->job = job;
    outcome.run->step = step;
    outcome.run->nodes = 8;
    outcome.run->start = *parse_utc("2026-11-22");
    outcome.end = std::move(end);
    outcome.plan_file = plan_file;
    if (like.program == "app" && !like.tasks) outcome.profile_file = folder() + "/profile.json";
    const std::filesystem::path file =
        store.make_folder(key_of(request)) /
        fmt::format("outcome-20261122T000000.{:03}Z-{}.{}-pid1.json", step, job, step);
    store::put_file(file.string(), to_json(outcome));
  }
  void measure(std::uint64_t job) const {
    put(fmt::format("20261122T000001.000Z-{}.1-pid9.json", job), run_of(8, 1));
  }
  [[nodiscard]] std::string reason() const { return decision().reason; }
};

inline OutcomeRun step(std::optional<std::uint32_t> tasks, const std::string& placed_by = "",
                       const std::string& program = "setup") {
  OutcomeRun run;
  run.tasks = tasks;
  run.placed_by = placed_by;
  run.program = program;
  return run;
}

}  // namespace huddle::planning
