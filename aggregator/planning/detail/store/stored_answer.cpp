#include "aggregator/planning/detail/store/stored_answer.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <string>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

std::optional<Plan> plan_for(const fs::path& file, const PlanRequest& request) {
  try {
    Plan plan = parse_plan(files::read_own_file(file, kMostPlanBytes), file.string());
    if (plan.ranks == request.ranks && plan.cores_per_rank == request.cores_per_rank) return plan;
  } catch (const Error&) {  // as if it were not there
  }
  return std::nullopt;
}

}  // namespace

std::optional<Plan> stored_plan(const fs::path& file, const PlanRequest& request) {
  std::optional<Plan> plan = plan_for(file, request);
  const bool whole =
      plan && std::all_of(plan->companions.begin(), plan->companions.end(),
                          [&](const Plan::Companion& companion) {
                            return plan_for(file.parent_path() / companion.file, request);
                          });
  return whole ? std::move(plan) : std::nullopt;
}

void store_plan(const Plan& plan, const fs::path& file) {
  files::make_way(file);
  save_plan(plan, file);
}

void store_note(const Decision& decision, const fs::path& plan) {
  files::make_way(no_plan_path(plan));
  files::AtomicFile kept(no_plan_path(plan));
  kept.write(to_json(decision));
  kept.commit();
}

std::optional<Decision> stored_note(const fs::path& file) {
  constexpr std::uint64_t kMostBytes = 1U << 20U;
  const fs::path note = no_plan_path(file);
  try {
    return parse_decision(files::read_own_file(note, kMostBytes), note.string());
  } catch (const Error&) {  // as if it were not there
    return std::nullopt;
  }
}

namespace {

constexpr std::string_view kNoPlanEnd = ".none.json";
constexpr std::uint64_t kMostMachineBytes = std::uint64_t{64} << 20U;

// A file that may be large stands for what is in it.
std::string identity_of_file(const fs::path& file) {
  if (file.empty()) return {};
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure) throw SystemError("read", file.string(), failure.value());
  const auto written = fs::last_write_time(file, failure).time_since_epoch().count();
  return fmt::format("{} {} {}", fs::absolute(file).string(), size, written);
}

std::string identity_of_limits(const PlanRequest& request) {
  std::string identity = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {}", request.cores_per_rank, request.nodes.value_or(0),
      request.least_nodes, request.slowdown, static_cast<int>(request.objective),
      static_cast<int>(request.grouping), static_cast<int>(request.risk), request.every_pattern,
      name_of(request.explore), request.samples, request.sample_slowdown);
  if (request.clocks_follow_loads) identity += " clocks follow loads";
  if (request.frequencies)
    identity += fmt::format(" {} {}", request.frequencies->lowest.value,
                            request.frequencies->highest.value);
  if (request.memory_per_rank != Bytes{})
    identity += fmt::format(" memory {}", request.memory_per_rank.value);
  if (request.computation) identity += fmt::format(" by {}", name_of(*request.computation));
  if (request.keeps_nodes) identity += " same nodes";
  if (request.shares_nodes) identity += " shared nodes";
  if (request.steps_are_safe) identity += " safe";
  if (request.is_large_array()) identity += " large array";
  if (request.time_limit) identity += fmt::format(" time {}", request.time_limit->value);
  if (!request.program.path.empty()) identity += fmt::format(" of {}", text_of(request.program));
  if (!request.script.empty()) identity += fmt::format(" script {}", request.script);
  if (request.size) identity += fmt::format(" size {}", *request.size);
  return identity;
}

}  // namespace

fs::path plan_path(const store::Store& store, const PlanRequest& request,
                   const std::vector<fs::path>& profiles) {
  std::string identity = fmt::format(
      "{}\n{}\n{}\n{}\n", HUDDLE_VERSION, identity_of_limits(request),
      files::read_file(request.machine, kMostMachineBytes), identity_of_file(request.model));
  // Those of the store are never changed, so their names are enough.
  for (const fs::path& path : profiles)
    identity +=
        (request.profiles.empty() ? path.filename().string() : identity_of_file(path)) + '\n';
  return store.folder(key_of(request)) / fmt::format("plan-{:016x}.json", hash_of(identity));
}

fs::path no_plan_path(const fs::path& plan) {
  return fs::path(plan).replace_extension(kNoPlanEnd);
}

fs::path revised_path(const fs::path& plan, const std::vector<fs::path>& profiles) {
  std::string identity;
  for (const fs::path& profile : profiles) identity += profile.filename().string() + '\n';
  return plan.parent_path() /
         fmt::format("{}-{:016x}.json", plan.stem().string(), hash_of(identity));
}

fs::path companion_path(const fs::path& plan, std::size_t place) {
  return plan.parent_path() / fmt::format("{}-{}.json", plan.stem().string(), place);
}

fs::path late_sample_path(const fs::path& plan) {
  return fs::path(plan).replace_extension(".second.json");
}

fs::path sample_path(const store::Store& store, const PlanRequest& request,
                     const fs::path& profile) {
  return store.folder(key_of(request)) /
         fmt::format("sample-{:016x}.json", hash_of(profile.filename().string()));
}

}  // namespace huddle::planning
