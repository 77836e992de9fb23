#pragma once

// Where a replay puts activities and dependencies, and how process 0 of an analysis reads those of
// all processes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/waitstates/criticalpath/temporary_file.hpp"
#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

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
  struct DelayRecord {
    ThreadDelay delay;
    std::uint32_t rank = 0;
  };
  struct PathRecord {
    std::uint32_t rank = 0;
    std::uint32_t path = 0;
    std::uint32_t parent = 0;
    std::uint32_t region = 0;
    std::uint32_t mpi = 0;
  };

  /// Temporary files go to `folder`; empty: the system's folder for temporary files. Processes that
  /// analyse one trace together need one that all of them see. `in_memory`: how many bytes each of
  /// two files may keep in memory.
  explicit ActivityBuffer(std::filesystem::path folder = {}, std::size_t in_memory = 4U << 20U);

  /// Throw SystemError.
  void add(std::uint32_t rank, const Activity& activity) override;
  void add(std::uint32_t rank, const Dependency& dependency) override;
  void add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent, std::uint32_t region,
                bool mpi) override;
  void add_delay(std::uint32_t rank, const ThreadDelay& delay) override;
  void add_thread_path(std::uint32_t location, std::uint32_t path, std::uint32_t parent,
                       std::uint32_t region, bool mpi) override;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] SpillFile<ActivityRecord>& activities() { return activities_; }
  [[nodiscard]] SpillFile<DependencyRecord>& dependencies() { return dependencies_; }
  [[nodiscard]] SpillFile<DelayRecord>& delays() { return delays_; }
  [[nodiscard]] const std::vector<PathRecord>& paths() const { return paths_; }
  /// Their `rank` is a location.
  [[nodiscard]] const std::vector<PathRecord>& thread_paths() const { return thread_paths_; }

 private:
  std::filesystem::path folder_;
  SpillFile<ActivityRecord> activities_;
  SpillFile<DependencyRecord> dependencies_;
  SpillFile<DelayRecord> delays_;
  std::vector<PathRecord> paths_;
  std::vector<PathRecord> thread_paths_;
};

/// The buffers of all processes of an analysis, as process 0 reads them. Not thread-safe; refers to
/// the buffer.
class ActivitySource {
 public:
  /// Collective. The files of the other processes are there until they leave their call of
  /// release().
  ActivitySource(ActivityBuffer& buffer, Exchange& exchange);

  template <typename Use>
  void each_activity(const Use& use) const {
    buffer_.activities().each(use);
    for (const Published& other : others_)
      SpillFile<ActivityBuffer::ActivityRecord>::each_of_published(other.activities,
                                                                   other.activity_count, use);
  }
  template <typename Use>
  void each_dependency(const Use& use) const {
    buffer_.dependencies().each(use);
    for (const Published& other : others_)
      SpillFile<ActivityBuffer::DependencyRecord>::each_of_published(other.dependencies,
                                                                     other.dependency_count, use);
  }
  template <typename Use>
  void each_delay(const Use& use) const {
    buffer_.delays().each(use);
    for (const Published& other : others_)
      SpillFile<ActivityBuffer::DelayRecord>::each_of_published(other.delays, other.delay_count,
                                                                use);
  }
  [[nodiscard]] std::uint64_t dependencies() const;
  [[nodiscard]] std::uint64_t delays() const;
  /// Of all processes; those of a rank in the order of their definition.
  [[nodiscard]] const std::vector<ActivityBuffer::PathRecord>& paths() const { return paths_; }
  [[nodiscard]] const std::vector<ActivityBuffer::PathRecord>& thread_paths() const {
    return thread_paths_;
  }

  /// Collective: waits until process 0 has read all. Throws Error on the others if it could not.
  void release(bool could_read);

 private:
  struct Published {
    std::string activities;
    std::string dependencies;
    std::string delays;
    std::uint64_t activity_count = 0;
    std::uint64_t dependency_count = 0;
    std::uint64_t delay_count = 0;
  };
  [[nodiscard]] std::string published();
  void take(std::string_view bytes);

  ActivityBuffer& buffer_;
  Exchange& exchange_;
  std::vector<Published> others_;
  std::vector<ActivityBuffer::PathRecord> paths_;
  std::vector<ActivityBuffer::PathRecord> thread_paths_;
};

}  // namespace huddle
