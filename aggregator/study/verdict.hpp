#pragma once

// The verdict on a job: that it could use fewer nodes, that it could not, or why nobody can
// tell.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "aggregator/study/dumped_job.hpp"

namespace huddle::study {

/// The first reason that holds counts. From kStillRuns on, nobody can tell.
enum class Verdict : std::uint8_t {
  kCouldUseFewer,
  kMeasuredFirst,  ///< could as well, but is one of the runs that Huddle would measure
  kFillsCores,
  kFillsMemory,
  kOneNode,
  kGpu,
  kStillRuns,
  kDidNotComplete,
  kComponent,
  kBrokenRows,
  kTasksUnknown,
  kStepsOverlap,
  kOutsideSteps,
  kMemoryUnknown,
  kCpuTimeUnknown,
  kThreadsUnknown,
  kNodeUnknown,
  kNodeMemoryUnknown,
  kShared,
};
inline constexpr std::size_t kVerdicts = 19;

/// The words of a verdict.
struct VerdictText {
  /// In files: "could_use_fewer".
  std::string_view key;
  /// For people, behind "jobs that": "could use fewer nodes".
  std::string_view text;
};
extern const std::array<VerdictText, kVerdicts> kVerdictTexts;

inline bool is_unjudged(Verdict verdict) {
  return verdict >= Verdict::kStillRuns;
}

/// True for what starts ranks on nodes, or runs a script: its step says neither how many ranks
/// there are nor which program they run.
bool is_launcher(std::string_view program);

/// The verdict that a job's own rows allow, whatever its nodes are; nothing if that depends on
/// them. `job` ran.
std::optional<Verdict> verdict_of(const DumpedJob& job);

/// CPUs of each task, as far as the user asked for several: requested ones over tasks, rounded up.
/// Precondition: tasks are known.
std::uint32_t cpus_of_task(const DumpedJob& job);

}  // namespace huddle::study
