#pragma once

// The activities of all ranks in order, linked by what they depend on: what critical path, slack
// and what-ifs are computed from.

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/waitstates/criticalpath/temporary_file.hpp"
#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

class ActivityBuffer;

/// The part of an activity in a message or a collective.
struct ActivityLink {
  /// Messages: the partner's activity, by its number in the log; collectives: an index of
  /// ActivityLog::collectives().
  std::uint64_t on = 0;
  /// Messages: the partner's rank; collectives: the place of this rank.
  std::uint32_t which = 0;
  DependencyKind kind = DependencyKind::kMessage;
  bool begins = false;  ///< collectives: this activity's begin counts for the others
  bool ends = true;     ///< this activity can't end before the link's other side
};

/// An instance of a collective operation.
struct CollectiveInstance {
  enum class Kind : std::uint8_t { kAll, kRoot, kScan };
  std::uint64_t last = kNoActivity;        ///< the activity that began last, by its number
  std::uint64_t root_begin = kNoActivity;  ///< the root's
  std::uint64_t places = 0;  ///< kScan: where its places begin in ActivityLog::scan_places()
  std::uint32_t members = 0;
  Kind kind = Kind::kAll;
};

/// The activities of all ranks and what they depend on, numbered through from rank 0 on. Large
/// arrays are in unlinked temporary files that are mapped, so that the log need not fit into
/// memory. Safe for reading from any thread.
class ActivityLog {
 public:
  ActivityLog() = default;

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(begins_.size()); }
  [[nodiscard]] std::uint64_t size() const { return activities_.size(); }
  /// The rank's activities are those from first_of(rank) on, below first_of(rank + 1).
  [[nodiscard]] std::uint64_t first_of(std::uint32_t rank) const { return first_of_rank_[rank]; }
  [[nodiscard]] std::uint32_t rank_of(std::uint64_t activity) const;
  /// Its call paths are those of the report.
  [[nodiscard]] const Activity& operator[](std::uint64_t activity) const {
    return activities_[activity];
  }
  [[nodiscard]] std::span<const ActivityLink> links_of(std::uint64_t activity) const {
    return {links_.data() + first_link_[activity],
            static_cast<std::size_t>(first_link_[activity + 1] - first_link_[activity])};
  }
  [[nodiscard]] const DiskArray<CollectiveInstance>& collectives() const { return collectives_; }
  /// Of the instances of kind kScan, by place: the activity that began last among the
  /// places up to this one.
  [[nodiscard]] const DiskArray<std::uint64_t>& scan_places() const { return scan_places_; }

  /// Ticks since the report's begin: the first and the last event of the rank's first thread.
  [[nodiscard]] std::uint64_t begin_of(std::uint32_t rank) const { return begins_[rank]; }
  [[nodiscard]] std::uint64_t end_of(std::uint32_t rank) const { return ends_[rank]; }
  /// The computation before `activity` of `rank`, or with first_of(rank + 1) that behind the last:
  /// how long it was, and its call path. Behind the last there is time only where the trace ends
  /// inside a call.
  [[nodiscard]] std::uint64_t computation_before(std::uint32_t rank, std::uint64_t activity) const {
    const std::uint64_t begin =
        activity == first_of_rank_[rank] ? begins_[rank] : activities_[activity - 1].leave;
    return (activity == first_of_rank_[rank + 1] ? ends_[rank] : activities_[activity].enter) -
           begin;
  }
  [[nodiscard]] std::uint32_t path_before(std::uint32_t rank, std::uint64_t activity) const {
    return activity == first_of_rank_[rank + 1] ? CallPath::kRoot : activities_[activity].before;
  }
  /// What the activity takes beyond its waiting, given what it waited for as measured.
  [[nodiscard]] std::uint64_t transfer_of(std::uint64_t activity, std::uint64_t cause) const {
    const Activity& it = activities_[activity];
    return it.leave - (cause > it.enter ? cause : it.enter);
  }
  /// Of the last rank: what the run took.
  [[nodiscard]] std::uint64_t run_time() const { return run_time_; }
  [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }
  [[nodiscard]] const std::vector<CallPath>& call_paths() const { return call_paths_; }
  /// How many dependencies were left out, since what they name is not there.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// For temporary files as long as the log.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// What the activity waited for, as measured.
  struct Cause {
    std::uint64_t time = 0;  ///< when that began; 0 if there is nothing that it depends on
    std::uint64_t activity = kNoActivity;
  };
  /// Of the links that `activity` ends by, the last one to be there: of several, that of the lowest
  /// number. A link that contradicts the clocks (its time is after the activity's end) does not
  /// count; see holds().
  [[nodiscard]] Cause cause_of(std::uint64_t activity) const;
  /// The activity that the link of `activity` waits for, or kNoActivity.
  [[nodiscard]] std::uint64_t waits_for(const ActivityLink& link) const;
  /// Whether the activity that a link ends by ends after what it waits for has begun.
  [[nodiscard]] bool holds(std::uint64_t activity, std::uint64_t on) const {
    return on != kNoActivity && activities_[on].enter <= activities_[activity].leave;
  }

 private:
  friend class ActivityLogMaker;

  std::filesystem::path folder_;
  DiskArray<Activity> activities_;
  DiskArray<std::uint64_t> first_link_;
  DiskArray<ActivityLink> links_;
  DiskArray<CollectiveInstance> collectives_;
  DiskArray<std::uint64_t> scan_places_;
  std::vector<std::uint64_t> first_of_rank_ = {0};
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint64_t> ends_;
  std::vector<CallPath> call_paths_;
  std::uint64_t run_time_ = 0;
  std::uint64_t left_out_ = 0;
  double ticks_per_second_ = 1e9;
};

/// True, by call path of the log, where it is a call that sets MPI up or ends it, whose length says
/// nothing of the program.
std::vector<bool> paths_of_set_up(const ActivityLog& log);

/// Sorts what an analysis has buffered into a log. `report` is the analysis' own, `definitions` the
/// trace's. Throws SystemError.
ActivityLog make_activity_log(const ActivityBuffer& buffer, const WaitReport& report,
                              const traces::TraceDefinitions& definitions);

}  // namespace huddle::waitstates
