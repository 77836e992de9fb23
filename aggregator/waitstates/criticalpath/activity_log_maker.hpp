#pragma once

// Internal to the making of an ActivityLog.

#include <cstdint>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/activity_source.hpp"
#include "aggregator/waitstates/criticalpath/call_path_numbers.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// Sorts what was spooled: activities by rank, links by activity, collectives into meetings. Makes
/// one log.
class ActivityLogMaker {
 public:
  ActivityLogMaker(const ActivitySource& source, const std::filesystem::path& folder,
                   const WaitReport& report, const TraceDefinitions& definitions);
  ActivityLog make();

 private:
  void sort_activities();
  void set_ends();
  void number_meetings();
  void count_links();
  void make_room_for_links();
  void place_links();
  void place_collective(const Dependency& dependency, std::uint64_t activity,
                        std::uint64_t begun_by, std::uint64_t meeting);
  void join(Meeting& meeting, const Dependency& dependency, std::uint64_t begun_by);
  void finish_scans();
  [[nodiscard]] bool began_later(std::uint64_t activity, std::uint64_t than) const;
  void insert(std::uint64_t activity, const ActivityLink& link);

  [[nodiscard]] std::uint64_t count_of(std::uint32_t rank) const;
  [[nodiscard]] bool fits(std::uint32_t rank, const Dependency& dependency) const;

  const ActivitySource& source_;
  const WaitReport& report_;
  std::uint32_t ranks_;
  CallPathNumbers paths_;
  ActivityLog log_;
  DiskArray<std::uint64_t> meeting_of_;  // by dependency, in the source's order
};

}  // namespace huddle
