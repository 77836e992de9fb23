#pragma once

// Where a replay puts activities and dependencies.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "aggregator/waitstates/criticalpath/temporary_file.hpp"
#include "aggregator/waitstates/replay/activity.hpp"

namespace huddle::waitstates {

/// Keeps what a replay reports of its ranks, in the order in which it comes: a little in memory,
/// more in temporary files. Memory grows with the number of ranks and call paths.
/// make_activity_log() sorts it. Not thread-safe.
class ActivityBuffer final : public ActivitySink {
 public:
  struct ActivityRecord {
    Activity activity;
    std::uint32_t rank = 0;
  };
  struct DependencyRecord {
    Dependency dependency;
    std::uint32_t rank = 0;
  };
  struct PathRecord {
    std::uint32_t rank = 0;
    std::uint32_t path = 0;
    std::uint32_t parent = 0;
    std::uint32_t region = 0;
    std::uint32_t mpi = 0;
  };

  /// Temporary files go to `folder`; empty: the system's folder for temporary files. `in_memory`:
  /// how many bytes each file may keep in memory.
  explicit ActivityBuffer(std::filesystem::path folder = {}, std::size_t in_memory = 4U << 20U);

  /// Throw SystemError.
  void add(std::uint32_t rank, const Activity& activity) override;
  void add(std::uint32_t rank, const Dependency& dependency) override;
  void add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent, std::uint32_t region,
                bool mpi) override;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const SpillFile<ActivityRecord>& activities() const { return activities_; }
  [[nodiscard]] const SpillFile<DependencyRecord>& dependencies() const { return dependencies_; }
  /// Those of a rank in the order of their definition.
  [[nodiscard]] const std::vector<PathRecord>& paths() const { return paths_; }

 private:
  std::filesystem::path folder_;
  SpillFile<ActivityRecord> activities_;
  SpillFile<DependencyRecord> dependencies_;
  std::vector<PathRecord> paths_;
};

}  // namespace huddle::waitstates
