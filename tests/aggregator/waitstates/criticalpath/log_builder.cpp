#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"

#include <algorithm>
#include <utility>

namespace huddle::waitstates {
namespace {

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

LogBuilder::LogBuilder(std::uint32_t ranks, std::size_t in_memory)
    : buffer({}, in_memory), rank_paths_(ranks), calls_(ranks) {
  report.ticks_per_second = 1000;
  definitions.ranks.resize(ranks);
}

std::uint32_t LogBuilder::add_path(const std::string& name) {
  const auto known = paths_.find(name);
  if (known != paths_.end()) return known->second;
  const std::string parent = parent_of(name);
  const std::uint32_t above = parent.empty() ? CallPath::kRoot : add_path(parent);
  const bool mpi = name_of(name).starts_with("MPI_");
  const auto number = static_cast<std::uint32_t>(report.call_paths.size());
  report.call_paths.push_back({above, name_of(name), mpi});
  definitions.regions.push_back(
      {name_of(name), mpi ? traces::TraceRegion::Kind::kMpi : traces::TraceRegion::Kind::kUser});
  return paths_[name] = number;
}

// A rank numbers its paths by itself, as it comes across them.
std::uint32_t LogBuilder::path_of(std::uint32_t rank, const std::string& name) {
  if (name.empty()) return CallPath::kRoot;
  const auto known = rank_paths_[rank].find(name);
  if (known != rank_paths_[rank].end()) return known->second;
  const std::uint32_t in_report = add_path(name);
  const std::uint32_t parent = path_of(rank, parent_of(name));
  const auto number = static_cast<std::uint32_t>(rank_paths_[rank].size());
  buffer.add_path(rank, number, parent, in_report, report.call_paths[in_report].mpi);
  return rank_paths_[rank][name] = number;
}

std::uint64_t LogBuilder::call(std::uint32_t rank, std::uint64_t enter, std::uint64_t leave,
                               const std::string& before, const std::string& path) {
  Activity activity;
  activity.enter = enter;
  activity.leave = leave;
  activity.before = path_of(rank, before);
  activity.call_path = path_of(rank, path);
  buffer.add(rank, activity);
  return calls_[rank]++;
}

void LogBuilder::message(std::uint32_t from, std::uint64_t send, std::uint32_t to,
                         std::uint64_t receive) {
  Dependency dependency;
  dependency.activity = dependency.begun_by = receive;
  dependency.on = send;
  dependency.rank = from;
  buffer.add(to, dependency);
}

void LogBuilder::rendezvous(std::uint32_t from, std::uint64_t send, std::uint32_t to,
                            std::uint64_t receive) {
  Dependency dependency;
  dependency.kind = DependencyKind::kReceiver;
  dependency.activity = dependency.begun_by = send;
  dependency.on = receive;
  dependency.rank = to;
  buffer.add(from, dependency);
}

void LogBuilder::collective(const std::vector<Member>& members, std::uint32_t root) {
  for (std::uint32_t place = 0; place < members.size(); ++place) {
    Dependency dependency;
    dependency.kind = members[place].kind;
    dependency.activity = members[place].call;
    dependency.begun_by = members[place].begun_by;
    dependency.on = collectives_;
    dependency.place = place;
    dependency.members = static_cast<std::uint32_t>(members.size());
    dependency.root = root;
    buffer.add(members[place].rank, dependency);
  }
  ++collectives_;
}

void LogBuilder::barrier(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& calls) {
  std::vector<Member> members;
  for (const auto& [rank, call] : calls)
    members.push_back({rank, call, call, DependencyKind::kCollectiveAll});
  collective(members);
}

void LogBuilder::span(std::uint32_t rank, std::uint64_t begin, std::uint64_t end) {
  ReportLocation location;
  location.rank = rank;
  location.begin = begin;
  location.end = end;
  report.locations.push_back(location);
  report.end = std::max(report.end, end);
}

std::uint32_t LogBuilder::path(const std::string& name) const {
  return paths_.at(name);
}

ActivityLog LogBuilder::build() {
  return make_activity_log(buffer, report, definitions);
}

}  // namespace huddle::waitstates
