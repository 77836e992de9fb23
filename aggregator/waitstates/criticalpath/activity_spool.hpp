#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "aggregator/waitstates/criticalpath/spill_file.hpp"
#include "aggregator/waitstates/replay/activity.hpp"

namespace huddle {

/// Takes down what a replay tells of its ranks, in the order in which it comes: a little in memory,
/// more in temporary files. Memory goes with the number of ranks and call paths.
/// make_activity_log() makes a log of it. One thread's.
class ActivitySpool final : public ActivitySink {
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

  /// Temporary files go to `folder`; empty: the system's folder for such. Processes that analyse
  /// one trace together need one that all of them see. `in_memory`: how many bytes each of two
  /// files may keep in memory.
  explicit ActivitySpool(std::filesystem::path folder = {}, std::size_t in_memory = 16U << 20U);

  /// Throw SystemError.
  void add(std::uint32_t rank, const Activity& activity) override;
  void add(std::uint32_t rank, const Dependency& dependency) override;
  void add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent, std::uint32_t region,
                bool mpi) override;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] SpillFile<ActivityRecord>& activities() { return activities_; }
  [[nodiscard]] SpillFile<DependencyRecord>& dependencies() { return dependencies_; }
  [[nodiscard]] const std::vector<PathRecord>& paths() const { return paths_; }

 private:
  std::filesystem::path folder_;
  SpillFile<ActivityRecord> activities_;
  SpillFile<DependencyRecord> dependencies_;
  std::vector<PathRecord> paths_;
};

}  // namespace huddle
