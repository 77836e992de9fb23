#pragma once

// Internal to the reader and writer of profiles: all members but the records of ranks and the
// tables that they share.

#include <fmt/format.h>

#include "profiles/formats/profile/detail/profile_members.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

template <class Members>
void describe_program(Members& members, In<Members, Profile>& profile) {
  members.required("executable", profile.executable);
  members.required("build_id", profile.build_id);
  members.required("arguments", profile.arguments);
  members.optional("launched", profile.launched);
  members.optional("script", profile.script);
  if (!members.present("scaling", profile.scales_weakly)) return;
  std::string scaling = "weak";
  members.required("scaling", scaling, [](const Field& field, const std::string& text) {
    if (text != "weak") field.fail("\"weak\"");
  });
  if constexpr (Members::kReads) profile.scales_weakly = true;
}

template <class Members>
void describe_wait_summary(Members& members, In<Members, WaitSummary>& summary,
                           std::uint32_t ranks) {
  members.required("origin", summary.origin, [](const Field& field, const std::string& origin) {
    if (origin != "trace") field.fail("\"trace\"");
  });
  members.required("run_time_s", summary.run_time);
  members.required("stretched_run_time_s", summary.stretched_run_time);
  describe_table(members, "ranks", "run_time_s", summary.ranks, [](auto& table) {
    table.column("run_time_s", &RankWaitSummary::run_time);
    table.column("computation_s", &RankWaitSummary::computation);
    table.column("slack_s", &RankWaitSummary::slack);
  });
  members.check("ranks", [&](const Field& field) {
    one_for_each(ranks)(field.at("run_time_s"), summary.ranks);
  });
  members.array("patterns", summary.patterns, [&](auto& inner, auto& pattern) {
    inner.required("pattern", pattern.pattern);
    inner.required("waited_s", pattern.waited, one_for_each(ranks));
  });
  if constexpr (Members::kReads)
    if (const auto* const twice = sort_by(
            summary.patterns, [](const auto& p) -> const auto& { return p.pattern; }))
      members.object()
          .at("patterns")
          .fail(fmt::format("pattern \"{}\" twice", twice->pattern), "each pattern only once");
}

/// Why there are no counters.
template <class Members>
void describe_absence(Members& members, In<Members, std::string>& reason) {
  bool measured = reason.empty();
  members.required("measured", measured);
  if (!measured) members.required("reason", reason);
}

template <class Members>
void describe_head(Members& members, In<Members, Profile>& profile) {
  members.required("label", profile.label);
  members.required("user", profile.user);
  members.required("ranks", profile.ranks, at_most(kMostRanks), at_least(1U));
  members.required("complete", profile.complete);
  if (!profile.complete) members.required("cut_short_reason", profile.cut_short_reason);
  members.within("program", [&](auto& inner) { describe_program(inner, profile); });
  members.optional("problem_size", profile.problem_size, kAboveZero);
  members.within("mpi", [&](auto& mpi) { mpi.required("library", profile.mpi_library); });
  members.within("job", [&](auto& job) {
    if (job.present("slurm_job_id", profile.slurm_job_id != 0)) {
      job.required("slurm_job_id", profile.slurm_job_id);
      job.required("slurm_step_id", profile.slurm_step_id);
    }
    job.required("started_at", profile.started_at);
  });
  members.within("counters",
                 [&](auto& inner) { describe_absence(inner, profile.counters_absent_reason); });
  members.optional("notes", profile.notes);
}

/// The member "wait_states", at the end of the head; of a run whose ranks are known.
template <class Members>
void describe_wait_states(Members& members, In<Members, Profile>& profile) {
  if (!members.present("wait_states", profile.wait_states.has_value())) return;
  members.within("wait_states", [&](auto& inner) {
    describe_wait_summary(inner, part(inner, profile.wait_states), profile.ranks);
  });
}

}  // namespace huddle
