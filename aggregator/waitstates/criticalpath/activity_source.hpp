#pragma once

// Internal to the making of an ActivityLog.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_spool.hpp"
#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

/// What all processes of an analysis have spooled, as process 0 reads it. One thread's; refers to
/// the spool.
class ActivitySource {
 public:
  /// Collective. The files of the other processes are there until they leave their call of
  /// release().
  ActivitySource(ActivitySpool& spool, Exchange& exchange);

  template <typename Use>
  void each_activity(const Use& use) const {
    spool_.activities().each(use);
    for (const Published& other : others_)
      SpillFile<ActivitySpool::ActivityRecord>::each_of_published(other.activities,
                                                                  other.activity_count, use);
  }
  template <typename Use>
  void each_dependency(const Use& use) const {
    spool_.dependencies().each(use);
    for (const Published& other : others_)
      SpillFile<ActivitySpool::DependencyRecord>::each_of_published(other.dependencies,
                                                                    other.dependency_count, use);
  }
  [[nodiscard]] std::uint64_t dependencies() const;
  /// Of all processes; those of a rank in the order in which they were told.
  [[nodiscard]] const std::vector<ActivitySpool::PathRecord>& paths() const { return paths_; }

  /// Collective: waits until process 0 has read all. Throws Error on the others if it could not.
  void release(bool could_read);

 private:
  struct Published {
    std::string activities;
    std::string dependencies;
    std::uint64_t activity_count = 0;
    std::uint64_t dependency_count = 0;
  };
  [[nodiscard]] std::string published();
  void take(std::string_view bytes);

  ActivitySpool& spool_;
  Exchange& exchange_;
  std::vector<Published> others_;
  std::vector<ActivitySpool::PathRecord> paths_;
};

}  // namespace huddle
