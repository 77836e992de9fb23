// make_activity_log(): sorts what was recorded into an ActivityLog.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/detail/call_path_numbers.hpp"
#include "aggregator/waitstates/criticalpath/detail/dense_ids.hpp"

namespace huddle::waitstates {
namespace {

bool is_message(DependencyKind kind) {
  return kind == DependencyKind::kMessage || kind == DependencyKind::kReceiver;
}

bool is_of_no_member(DependencyKind kind) {
  return kind == DependencyKind::kCollectiveOtherGroup;
}

// Whether the kind is one of such an instance's members: a damaged log mixes them up.
bool fits_instance(DependencyKind kind, CollectiveInstance::Kind instance) {
  if (kind == DependencyKind::kCollectivePart) return instance != CollectiveInstance::Kind::kScan;
  if (kind == DependencyKind::kCollectiveScan) return instance == CollectiveInstance::Kind::kScan;
  if (kind == DependencyKind::kCollectiveRoot) return instance == CollectiveInstance::Kind::kRoot;
  return instance == CollectiveInstance::Kind::kAll;
}

std::uint32_t ranks_of(const WaitReport& report, const traces::TraceDefinitions& definitions) {
  auto ranks = static_cast<std::uint32_t>(definitions.ranks.size());
  for (const ReportLocation& location : report.locations)
    ranks = std::max(ranks, location.rank + 1);
  return ranks;
}

}  // namespace

/// Sorts activities by rank, links by activity, and collectives into instances.
class ActivityLogMaker {
 public:
  ActivityLogMaker(const ActivityBuffer& buffer, const WaitReport& report,
                   const traces::TraceDefinitions& definitions);
  ActivityLog make();

 private:
  void sort_activities();
  void set_ends();
  void number_instances();
  void count_links();
  void make_room_for_links();
  void place_links();
  void place_collective(const Dependency& dependency, std::uint64_t activity,
                        std::uint64_t begun_by, std::uint64_t instance);
  void join(CollectiveInstance& instance, const Dependency& dependency, std::uint64_t begun_by);
  void finish_scans();
  [[nodiscard]] bool began_later(std::uint64_t activity, std::uint64_t than) const;
  void insert(std::uint64_t activity, const ActivityLink& link);

  [[nodiscard]] std::uint64_t count_of(std::uint32_t rank) const;
  [[nodiscard]] bool fits(std::uint32_t rank, const Dependency& dependency) const;

  const ActivityBuffer& buffer_;
  const WaitReport& report_;
  std::uint32_t ranks_;
  CallPathNumbers paths_;
  ActivityLog log_;
  DiskArray<std::uint64_t> instance_of_;  // by dependency, in the buffer's order
};

ActivityLogMaker::ActivityLogMaker(const ActivityBuffer& buffer, const WaitReport& report,
                                   const traces::TraceDefinitions& definitions)
    : buffer_(buffer),
      report_(report),
      ranks_(ranks_of(report, definitions)),
      paths_(buffer.paths(), ranks_, report.call_paths, definitions) {
  log_.folder_ = buffer.folder();
  log_.call_paths_ = report.call_paths;
  log_.ticks_per_second_ = static_cast<double>(report.ticks_per_second);
}

ActivityLog ActivityLogMaker::make() {
  sort_activities();
  set_ends();
  number_instances();
  count_links();
  make_room_for_links();
  place_links();
  finish_scans();
  return std::move(log_);
}

std::uint64_t ActivityLogMaker::count_of(std::uint32_t rank) const {
  return log_.first_of_rank_[rank + 1] - log_.first_of_rank_[rank];
}

void ActivityLogMaker::sort_activities() {
  std::vector<std::uint64_t> next(ranks_ + 1);
  buffer_.activities().each([&](const ActivityBuffer::ActivityRecord& record) {
    if (record.rank < ranks_) ++next[record.rank + 1];
  });
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) next[rank + 1] += next[rank];
  log_.first_of_rank_ = next;
  log_.activities_ = {next[ranks_], log_.folder_};
  std::vector<std::uint64_t> latest(ranks_);
  buffer_.activities().each([&](const ActivityBuffer::ActivityRecord& record) {
    const std::uint32_t rank = record.rank;
    if (rank >= ranks_) return;
    Activity& activity = log_.activities_[next[rank]++];
    activity = record.activity;
    // Times that fall would make lengths below 0 of them.
    activity.enter = std::max(activity.enter, latest[rank]);
    activity.leave = latest[rank] = std::max(activity.leave, activity.enter);
    activity.call_path = paths_.in_report(rank, activity.call_path);
    activity.before = paths_.in_report(rank, activity.before);
  });
}

void ActivityLogMaker::set_ends() {
  log_.begins_.assign(ranks_, 0);
  log_.ends_.assign(ranks_, 0);
  for (const ReportLocation& location : report_.locations) {
    if (location.thread != 0) continue;
    log_.begins_[location.rank] = location.begin - std::min(report_.begin, location.begin);
    log_.ends_[location.rank] = location.end - std::min(report_.begin, location.end);
  }
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    std::uint64_t& begin = log_.begins_[rank];
    std::uint64_t& end = log_.ends_[rank];
    if (count_of(rank) > 0) {
      const Activity& last = log_.activities_[log_.first_of_rank_[rank + 1] - 1];
      begin = std::min(begin, log_.activities_[log_.first_of_rank_[rank]].enter);
      end = std::max(end, last.leave);
    }
    end = std::max(end, begin);
    log_.run_time_ = std::max(log_.run_time_, end);
  }
}

bool ActivityLogMaker::fits(std::uint32_t rank, const Dependency& dependency) const {
  if (rank >= ranks_ || dependency.activity >= count_of(rank) ||
      dependency.begun_by > dependency.activity)
    return false;
  if (!is_message(dependency.kind)) return true;
  return dependency.rank < ranks_ && dependency.on < count_of(dependency.rank);
}

void ActivityLogMaker::number_instances() {
  std::uint64_t collectives = 0;
  std::uint64_t largest = 0;
  buffer_.dependencies().each([&](const ActivityBuffer::DependencyRecord& record) {
    if (is_message(record.dependency.kind)) return;
    ++collectives;
    largest = std::max(largest, record.dependency.on);
  });
  instance_of_ = {buffer_.dependencies().size(), log_.folder_};
  DenseIds numbers(collectives, largest, log_.folder_);
  std::uint64_t index = 0;
  buffer_.dependencies().each([&](const ActivityBuffer::DependencyRecord& record) {
    if (!is_message(record.dependency.kind)) instance_of_[index] = numbers[record.dependency.on];
    ++index;
  });
  log_.collectives_ = {numbers.count(), log_.folder_};
}

void ActivityLogMaker::count_links() {
  log_.first_link_ = {log_.activities_.size() + 1, log_.folder_};
  std::uint64_t index = 0;
  buffer_.dependencies().each([&](const ActivityBuffer::DependencyRecord& record) {
    const std::uint64_t instance_number = instance_of_[index++];
    const Dependency& dependency = record.dependency;
    if (!fits(record.rank, dependency)) {
      ++log_.left_out_;
      return;
    }
    const std::uint64_t first = log_.first_of_rank_[record.rank];
    ++log_.first_link_[first + dependency.activity];
    if (is_message(dependency.kind) || is_of_no_member(dependency.kind)) return;
    if (dependency.begun_by != dependency.activity) ++log_.first_link_[first + dependency.begun_by];
    CollectiveInstance& instance = log_.collectives_[instance_number];
    ++instance.members;
    instance.places = dependency.members;  // until finish_scans
    if (dependency.kind == DependencyKind::kCollectiveScan)
      instance.kind = CollectiveInstance::Kind::kScan;
    if (dependency.kind == DependencyKind::kCollectiveRoot)
      instance.kind = CollectiveInstance::Kind::kRoot;
  });
}

// Each activity's links end where first_link_ says, and begin there when all are placed.
void ActivityLogMaker::make_room_for_links() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < log_.first_link_.size(); ++i) {
    sum = log_.first_link_[i] += sum;
    keep_mapped_files_small();
  }
  log_.links_ = {sum, log_.folder_};
  std::uint64_t places = 0;
  for (std::uint64_t i = 0; i < log_.collectives_.size(); ++i) {
    CollectiveInstance& instance = log_.collectives_[i];
    instance.last = instance.root_begin = kNoActivity;
    keep_mapped_files_small();
    if (instance.kind != CollectiveInstance::Kind::kScan) continue;
    // Without all of its members a scan's places are unknown.
    if (instance.places != instance.members) instance.members = 0;
    instance.places = places;
    places += instance.members;
  }
  log_.scan_places_ = {places, log_.folder_};
  for (std::uint64_t place = 0; place < places; ++place) {
    log_.scan_places_[place] = kNoActivity;
    keep_mapped_files_small();
  }
}

void ActivityLogMaker::insert(std::uint64_t activity, const ActivityLink& link) {
  log_.links_[--log_.first_link_[activity]] = link;
}

void ActivityLogMaker::place_links() {
  std::uint64_t index = 0;
  buffer_.dependencies().each([&](const ActivityBuffer::DependencyRecord& record) {
    const std::uint64_t instance = instance_of_[index++];
    const Dependency& dependency = record.dependency;
    if (!fits(record.rank, dependency)) return;
    const std::uint64_t first = log_.first_of_rank_[record.rank];
    const std::uint64_t activity = first + dependency.activity;
    if (!is_message(dependency.kind)) {
      place_collective(dependency, activity, first + dependency.begun_by, instance);
      return;
    }
    ActivityLink link{log_.first_of_rank_[dependency.rank] + dependency.on, dependency.rank,
                      dependency.kind};
    link.ends = dependency.rank != record.rank;  // nobody waits for itself
    insert(activity, link);
  });
}

void ActivityLogMaker::place_collective(const Dependency& dependency, std::uint64_t activity,
                                        std::uint64_t begun_by, std::uint64_t instance_number) {
  CollectiveInstance& instance = log_.collectives_[instance_number];
  const bool scan = instance.kind == CollectiveInstance::Kind::kScan;
  const bool fits = fits_instance(dependency.kind, instance.kind) &&
                    (!scan || dependency.place < instance.members);
  ActivityLink link{instance_number, dependency.place, dependency.kind};
  if (is_of_no_member(dependency.kind)) {
    link.ends = fits;
    insert(activity, link);
    return;
  }
  link.begins = (fits || !scan) && activity == begun_by;
  link.ends = fits && dependency.kind != DependencyKind::kCollectivePart;
  insert(activity, link);
  if (begun_by != activity) {
    link.begins = fits || !scan;
    link.ends = false;
    insert(begun_by, link);
  }
  join(instance, dependency, begun_by);
}

// Of several that begin last, the one with the lowest number counts.
bool ActivityLogMaker::began_later(std::uint64_t activity, std::uint64_t than) const {
  if (than == kNoActivity) return true;
  const std::uint64_t a = log_.activities_[activity].enter;
  const std::uint64_t b = log_.activities_[than].enter;
  return a > b || (a == b && activity < than);
}

void ActivityLogMaker::join(CollectiveInstance& instance, const Dependency& dependency,
                            std::uint64_t begun_by) {
  if (began_later(begun_by, instance.last)) instance.last = begun_by;
  if (dependency.place == dependency.root) instance.root_begin = begun_by;
  if (dependency.kind == DependencyKind::kCollectiveScan && dependency.place < instance.members &&
      instance.kind == CollectiveInstance::Kind::kScan)
    log_.scan_places_[instance.places + dependency.place] = begun_by;
}

// From who is at a place to who began last up to there.
void ActivityLogMaker::finish_scans() {
  for (std::uint64_t i = 0; i < log_.collectives_.size(); ++i) {
    const CollectiveInstance& instance = log_.collectives_[i];
    if (instance.kind != CollectiveInstance::Kind::kScan) continue;
    std::uint64_t last = kNoActivity;
    keep_mapped_files_small();
    for (std::uint32_t place = 0; place < instance.members; ++place) {
      std::uint64_t& here = log_.scan_places_[instance.places + place];
      if (here != kNoActivity && began_later(here, last)) last = here;
      here = last;
    }
  }
}

ActivityLog make_activity_log(const ActivityBuffer& buffer, const WaitReport& report,
                              const traces::TraceDefinitions& definitions) {
  return ActivityLogMaker(buffer, report, definitions).make();
}

}  // namespace huddle::waitstates
