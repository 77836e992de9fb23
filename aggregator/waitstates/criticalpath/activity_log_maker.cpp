#include "aggregator/waitstates/criticalpath/activity_log_maker.hpp"

#include <algorithm>

#include "aggregator/waitstates/criticalpath/dense_ids.hpp"

namespace huddle {
namespace {

bool is_message(DependencyKind kind) {
  return kind == DependencyKind::kMessage || kind == DependencyKind::kReceiver;
}

// Whether the kind is one that members of such a meeting have: a broken log mixes them up.
bool fits_meeting(DependencyKind kind, Meeting::Kind meeting) {
  if (kind == DependencyKind::kCollectivePart) return meeting != Meeting::Kind::kScan;
  if (kind == DependencyKind::kCollectiveScan) return meeting == Meeting::Kind::kScan;
  if (kind == DependencyKind::kCollectiveRoot) return meeting == Meeting::Kind::kRoot;
  return meeting == Meeting::Kind::kAll;
}

std::uint32_t ranks_of(const WaitReport& report, const TraceDefinitions& definitions) {
  auto ranks = static_cast<std::uint32_t>(definitions.ranks.size());
  for (const ReportLocation& location : report.locations)
    ranks = std::max(ranks, location.rank + 1);
  return ranks;
}

}  // namespace

ActivityLogMaker::ActivityLogMaker(const ActivitySource& source,
                                   const std::filesystem::path& folder, const WaitReport& report,
                                   const TraceDefinitions& definitions)
    : source_(source),
      report_(report),
      ranks_(ranks_of(report, definitions)),
      paths_(source.paths(), ranks_, report.call_paths, definitions) {
  log_.folder_ = folder;
  log_.call_paths_ = report.call_paths;
  log_.ticks_per_second_ = static_cast<double>(report.ticks_per_second);
}

ActivityLog ActivityLogMaker::make() {
  sort_activities();
  set_ends();
  number_meetings();
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
  source_.each_activity([&](const ActivitySpool::ActivityRecord& record) {
    if (record.rank < ranks_) ++next[record.rank + 1];
  });
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) next[rank + 1] += next[rank];
  log_.first_of_rank_ = next;
  log_.activities_ = {next[ranks_], log_.folder_};
  std::vector<std::uint64_t> latest(ranks_);
  source_.each_activity([&](const ActivitySpool::ActivityRecord& record) {
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
  log_.last_paths_.assign(ranks_, CallPath::kRoot);
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
      // Most often it is main that is left: the outermost of where the last call was.
      std::uint32_t path = last.call_path;
      while (path != CallPath::kRoot && log_.call_paths_[path].parent != CallPath::kRoot)
        path = log_.call_paths_[path].parent;
      if (path != last.call_path) log_.last_paths_[rank] = path;
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

void ActivityLogMaker::number_meetings() {
  std::uint64_t collectives = 0;
  std::uint64_t largest = 0;
  source_.each_dependency([&](const ActivitySpool::DependencyRecord& record) {
    if (is_message(record.dependency.kind)) return;
    ++collectives;
    largest = std::max(largest, record.dependency.on);
  });
  meeting_of_ = {source_.dependencies(), log_.folder_};
  DenseIds numbers(collectives, largest, log_.folder_);
  std::uint64_t index = 0;
  source_.each_dependency([&](const ActivitySpool::DependencyRecord& record) {
    if (!is_message(record.dependency.kind)) meeting_of_[index] = numbers[record.dependency.on];
    ++index;
  });
  log_.meetings_ = {numbers.count(), log_.folder_};
}

void ActivityLogMaker::count_links() {
  log_.first_link_ = {log_.activities_.size() + 1, log_.folder_};
  std::uint64_t index = 0;
  source_.each_dependency([&](const ActivitySpool::DependencyRecord& record) {
    const std::uint64_t meeting_number = meeting_of_[index++];
    const Dependency& dependency = record.dependency;
    if (!fits(record.rank, dependency)) {
      ++log_.left_out_;
      return;
    }
    const std::uint64_t first = log_.first_of_rank_[record.rank];
    ++log_.first_link_[first + dependency.activity];
    if (is_message(dependency.kind)) return;
    if (dependency.begun_by != dependency.activity) ++log_.first_link_[first + dependency.begun_by];
    Meeting& meeting = log_.meetings_[meeting_number];
    ++meeting.members;
    meeting.places = dependency.members;  // until finish_scans
    if (dependency.kind == DependencyKind::kCollectiveScan) meeting.kind = Meeting::Kind::kScan;
    if (dependency.kind == DependencyKind::kCollectiveRoot) meeting.kind = Meeting::Kind::kRoot;
  });
}

// Each activity's links end where first_link_ says, and begin there when all are placed.
void ActivityLogMaker::make_room_for_links() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < log_.first_link_.size(); ++i) sum = log_.first_link_[i] += sum;
  log_.links_ = {sum, log_.folder_};
  std::uint64_t places = 0;
  for (std::uint64_t i = 0; i < log_.meetings_.size(); ++i) {
    Meeting& meeting = log_.meetings_[i];
    meeting.last = meeting.root_begin = Meeting::kNoActivity;
    if (meeting.kind != Meeting::Kind::kScan) continue;
    // Without all of its members a scan's places are anyone's guess.
    if (meeting.places != meeting.members) meeting.members = 0;
    meeting.places = places;
    places += meeting.members;
  }
  log_.scan_places_ = {places, log_.folder_};
  std::fill_n(log_.scan_places_.data(), places, Meeting::kNoActivity);
}

void ActivityLogMaker::insert(std::uint64_t activity, const ActivityLink& link) {
  log_.links_[--log_.first_link_[activity]] = link;
}

void ActivityLogMaker::place_links() {
  std::uint64_t index = 0;
  source_.each_dependency([&](const ActivitySpool::DependencyRecord& record) {
    const std::uint64_t meeting = meeting_of_[index++];
    const Dependency& dependency = record.dependency;
    if (!fits(record.rank, dependency)) return;
    const std::uint64_t first = log_.first_of_rank_[record.rank];
    const std::uint64_t activity = first + dependency.activity;
    if (!is_message(dependency.kind)) {
      place_collective(dependency, activity, first + dependency.begun_by, meeting);
      return;
    }
    ActivityLink link{log_.first_of_rank_[dependency.rank] + dependency.on, dependency.rank,
                      dependency.kind};
    link.ends = dependency.rank != record.rank;  // nobody waits for itself
    insert(activity, link);
  });
}

void ActivityLogMaker::place_collective(const Dependency& dependency, std::uint64_t activity,
                                        std::uint64_t begun_by, std::uint64_t meeting_number) {
  Meeting& meeting = log_.meetings_[meeting_number];
  const bool scan = meeting.kind == Meeting::Kind::kScan;
  const bool fits =
      fits_meeting(dependency.kind, meeting.kind) && (!scan || dependency.place < meeting.members);
  ActivityLink link{meeting_number, dependency.place, dependency.kind};
  link.begins = (fits || !scan) && activity == begun_by;
  link.ends = fits && dependency.kind != DependencyKind::kCollectivePart;
  insert(activity, link);
  if (begun_by != activity) {
    link.begins = fits || !scan;
    link.ends = false;
    insert(begun_by, link);
  }
  join(meeting, dependency, begun_by);
}

// Of several that begin last, the one with the lowest number counts.
bool ActivityLogMaker::began_later(std::uint64_t activity, std::uint64_t than) const {
  if (than == Meeting::kNoActivity) return true;
  const std::uint64_t a = log_.activities_[activity].enter;
  const std::uint64_t b = log_.activities_[than].enter;
  return a > b || (a == b && activity < than);
}

void ActivityLogMaker::join(Meeting& meeting, const Dependency& dependency,
                            std::uint64_t begun_by) {
  if (began_later(begun_by, meeting.last)) meeting.last = begun_by;
  if (dependency.place == dependency.root) meeting.root_begin = begun_by;
  if (dependency.kind == DependencyKind::kCollectiveScan && dependency.place < meeting.members &&
      meeting.kind == Meeting::Kind::kScan)
    log_.scan_places_[meeting.places + dependency.place] = begun_by;
}

// From who is at a place to who began last up to there.
void ActivityLogMaker::finish_scans() {
  for (std::uint64_t i = 0; i < log_.meetings_.size(); ++i) {
    const Meeting& meeting = log_.meetings_[i];
    if (meeting.kind != Meeting::Kind::kScan) continue;
    std::uint64_t last = Meeting::kNoActivity;
    for (std::uint32_t place = 0; place < meeting.members; ++place) {
      std::uint64_t& here = log_.scan_places_[meeting.places + place];
      if (here != Meeting::kNoActivity && began_later(here, last)) last = here;
      here = last;
    }
  }
}

}  // namespace huddle
