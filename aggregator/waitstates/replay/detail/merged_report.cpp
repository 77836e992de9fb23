#include "aggregator/waitstates/replay/detail/merged_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::waitstates {
namespace {

// Of the remarks of thousands of locations a reader wants a few.
constexpr std::size_t kRemarks = 50;

// The call paths of all locations, by names.
class MergedPaths {
 public:
  explicit MergedPaths(const traces::TraceDefinitions& definitions) : definitions_(definitions) {
    for (const traces::TraceRegion& region : definitions.regions) names_.push_back(region.name);
    std::ranges::sort(names_);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    for (const traces::TraceRegion& region : definitions.regions)
      name_of_.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(names_, region.name) -
                                                    names_.begin()));
  }

  // For each path of a location the merged one's number; final numbers come with `finish`.
  std::vector<std::uint32_t> add(const std::vector<CallPathTree::Path>& paths) {
    std::vector<std::uint32_t> merged;
    merged.reserve(paths.size());
    for (const CallPathTree::Path& path : paths) {
      const std::uint32_t parent =
          path.parent == CallPath::kRoot ? CallPath::kRoot : merged[path.parent];
      auto [known, is_new] = children_.try_emplace({parent, name_of_[path.region]},
                                                   static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) nodes_.push_back({});
      const bool mpi = definitions_.regions[path.region].kind == traces::TraceRegion::Kind::kMpi;
      nodes_[known->second].mpi = nodes_[known->second].mpi || mpi;
      merged.push_back(known->second);
    }
    return merged;
  }

  // Parents first, siblings by name.
  std::vector<CallPath> finish() {
    std::vector<CallPath> sorted;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // node, its parent's final number
    push_children(CallPath::kRoot, CallPath::kRoot, open);
    while (!open.empty()) {
      const auto [node, parent] = open.back();
      open.pop_back();
      nodes_[node].final = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back({parent, names_[nodes_[node].name], nodes_[node].mpi});
      push_children(node, nodes_[node].final, open);
    }
    return sorted;
  }

  [[nodiscard]] std::uint32_t final_of(std::uint32_t merged) const { return nodes_[merged].final; }

 private:
  struct Node {
    std::uint32_t name = 0;
    std::uint32_t final = 0;
    bool mpi = false;
  };

  void push_children(std::uint32_t node, std::uint32_t final,
                     std::vector<std::pair<std::uint32_t, std::uint32_t>>& open) {
    const std::size_t before = open.size();
    for (auto child = children_.lower_bound({node, 0});
         child != children_.end() && child->first.first == node; ++child) {
      nodes_[child->second].name = child->first.second;
      open.emplace_back(child->second, final);
    }
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(before), open.end());
  }

  const traces::TraceDefinitions& definitions_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> name_of_;  // by region
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
  std::vector<Node> nodes_;
};

std::vector<std::string> merged_remarks(const std::vector<std::string>& remarks,
                                        const traces::TraceDefinitions& definitions) {
  std::vector<std::string> all = definitions.remarks;
  std::set<std::string> of_locations(remarks.begin(), remarks.end());
  for (const std::string& remark : definitions.remarks) of_locations.erase(remark);
  all.insert(all.end(), of_locations.begin(), of_locations.end());
  if (all.size() > kRemarks) {
    const std::size_t more = all.size() - kRemarks;
    all.resize(kRemarks);
    all.push_back(fmt::format("... and {} like these", pluralize(more, "more remark")));
  }
  return all;
}

// Sorts them. Two paths of a location may be one by name: then `add` adds the one's sums to the
// other's.
template <class Entry, class Key, class Add>
void sort_merged(std::vector<Entry>& entries, const Key& key, const Add& add) {
  std::ranges::sort(entries, {}, key);
  std::vector<Entry> merged;
  merged.reserve(entries.size());
  for (Entry& entry : entries) {
    if (merged.empty() || key(merged.back()) != key(entry))
      merged.push_back(std::move(entry));
    else
      add(merged.back(), entry);
  }
  entries = std::move(merged);
}

void sort_times(std::vector<PathTime>& times) {
  sort_merged(
      times, [](const PathTime& time) { return std::tuple(time.call_path, time.location); },
      [](PathTime& sums, const PathTime& time) {
        sums.visits += time.visits;
        sums.ticks += time.ticks;
      });
}

void sort_waits(std::vector<PathWaits>& waits) {
  sort_merged(
      waits,
      [](const PathWaits& wait) { return std::tuple(wait.pattern, wait.call_path, wait.location); },
      [](PathWaits& sums, const PathWaits& wait) {
        sums.count += wait.count;
        sums.ticks += wait.ticks;
        sums.longest = std::max(sums.longest, wait.longest);
        sums.energy.add(wait.energy);
      });
}

// Where functions begin, as far as the trace says so; a name at several places has none.
void add_places(std::vector<CallPath>& paths, const traces::TraceDefinitions& definitions) {
  using Place = std::pair<std::string, std::uint32_t>;
  std::map<std::string_view, Place> places;
  for (const traces::TraceRegion& region : definitions.regions) {
    if (region.kind == traces::TraceRegion::Kind::kMpi || region.file.empty()) continue;
    const Place place{region.file, region.line};
    const auto [known, is_new] = places.try_emplace(region.name, place);
    if (!is_new && known->second != place) known->second = {};
  }
  for (CallPath& path : paths)
    if (const auto known = places.find(path.region); !path.mpi && known != places.end())
      std::tie(path.file, path.line) = known->second;
}

std::vector<ReportLocation> described(const traces::TraceDefinitions& definitions) {
  std::vector<ReportLocation> all;
  for (const traces::TraceLocation& location : definitions.locations)
    all.push_back({location.name, location.rank, location.thread,
                   definitions.ranks[location.rank].node, 0, 0, 0});
  return all;
}

}  // namespace

WaitReport merged_report(ReplayFindings found, const traces::TraceDefinitions& definitions) {
  WaitReport report;
  report.ticks_per_second = definitions.ticks_per_second;
  report.locations = described(definitions);
  report.timeline.resize(definitions.locations.size());
  report.anomalies = found.anomalies;
  report.remarks = merged_remarks(found.remarks, definitions);
  MergedPaths paths(definitions);
  for (LocationFindings& location : found.locations) {
    ReportLocation& there = report.locations[location.index];
    there.begin = location.begin;
    there.end = location.end;
    there.events = location.events;
    report.timeline[location.index] = std::move(location.timeline);
    report.events += location.events;
    const bool first = report.events == location.events;
    if (location.events > 0) {
      report.begin = first ? location.begin : std::min(report.begin, location.begin);
      report.end = std::max(report.end, location.end);
    }
    const std::vector<std::uint32_t> merged = paths.add(location.paths);
    for (std::size_t path = 0; path < merged.size(); ++path)
      report.times.push_back(
          {merged[path], location.index, location.paths[path].visits, location.paths[path].ticks});
    for (PathWaits& wait : location.waits) {
      wait.call_path = merged[wait.call_path];
      wait.location = location.index;
      report.waits.push_back(std::move(wait));
    }
    location = {};
  }
  report.call_paths = paths.finish();
  add_places(report.call_paths, definitions);
  for (PathTime& time : report.times) time.call_path = paths.final_of(time.call_path);
  for (PathWaits& wait : report.waits) wait.call_path = paths.final_of(wait.call_path);
  sort_times(report.times);
  sort_waits(report.waits);
  return report;
}

}  // namespace huddle::waitstates
