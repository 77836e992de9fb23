#include "aggregator/waitstates/replay/path_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/detail/location_sums.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Follows one location: which call path it is in, and what is counted there.
class CounterWalk : public CounterVisitor {
 public:
  static constexpr std::size_t kDeepest = 1024;

  explicit CounterWalk(const CounterTrace& trace)
      : trace_(trace), sets_(trace.counters().empty() ? 0 : set_count(trace)) {}

  void event(const Event& event) override {
    spend_until(event.time);
    if (event.kind == EventKind::kEnter) {
      // Deeper ones are taken for the one around them in the report, too.
      const std::uint32_t path =
          stack_.size() >= kDeepest ? current() : tree_.below(current(), event.subject);
      stack_.push_back({event.subject, path});
    } else if (event.kind == EventKind::kLeave && !stack_.empty()) {
      stack_.pop_back();
    }
  }

  void counted(std::uint64_t time, std::span<const CounterValue> values) override {
    spend_until(time);
    Set& set = sets_[trace_.counters()[values[0].counter].set];
    if (set.times.empty() && set.known) set.times[current()] = 1;
    double all = 0;
    for (const auto& [path, ticks] : set.times) all += static_cast<double>(ticks);
    for (const CounterValue& value : values) count(set, all, value);
    set.times.clear();
    set.known = true;
  }

  // Values by counter and the location's call path, and the paths.
  struct Count {
    double value = 0;
    double weight = 0;  // levels: ticks
  };
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, Count>& counts() const {
    return counts_;
  }
  [[nodiscard]] const std::vector<CallPathTree::Path>& paths() const { return tree_.paths(); }

 private:
  struct Set {
    bool known = false;                            // it was read once
    std::map<std::uint32_t, std::uint64_t> times;  // by call path, since it was read
    std::map<std::uint32_t, CounterValue> last;    // by counter
  };

  static std::uint32_t set_count(const CounterTrace& trace) {
    std::uint32_t most = 0;
    for (const TraceCounter& counter : trace.counters()) most = std::max(most, counter.set);
    return most + 1;
  }

  [[nodiscard]] std::uint32_t current() const {
    return stack_.empty() ? CallPath::kRoot : stack_.back().second;
  }

  void spend_until(std::uint64_t time) {
    const std::uint64_t ticks = time - std::min(time, time_);
    time_ = std::max(time_, time);
    if (ticks == 0) return;
    for (Set& set : sets_)
      if (set.known) set.times[current()] += ticks;
  }

  void count(Set& set, double all, const CounterValue& value) {
    const auto [last, is_first] = set.last.try_emplace(value.counter, value);
    const TraceCounter::Mode mode = trace_.counters()[value.counter].mode;
    const bool of_time_before =
        mode == TraceCounter::Mode::kSinceLast || mode == TraceCounter::Mode::kLevelBefore;
    const double amount = of_time_before ? value.value()
                          : mode == TraceCounter::Mode::kLevel
                              ? last->second.value()
                              : amount_between(last->second, value);
    const bool known = !is_first || (of_time_before && set.known);
    last->second = value;
    if (!known || !std::isfinite(amount)) return;
    const bool level = trace_.counters()[value.counter].is_level();
    for (const auto& [path, ticks] : set.times) {
      Count& sum = counts_[{value.counter, path}];
      if (level) {
        sum.value += amount * static_cast<double>(ticks);
        sum.weight += static_cast<double>(ticks);
      } else {
        sum.value += amount * (static_cast<double>(ticks) / all);
      }
    }
  }

  const CounterTrace& trace_;
  std::vector<Set> sets_;
  CallPathTree tree_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack_;  // region, path
  std::uint64_t time_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Count> counts_;
};

// The report's call paths by name: inside MPI and very deep, the one around it.
class PathsOfReport {
 public:
  explicit PathsOfReport(const WaitReport& report) {
    for (std::uint32_t path = 0; path < report.call_paths.size(); ++path)
      paths_.emplace(std::pair(report.call_paths[path].parent, report.call_paths[path].region),
                     path);
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t parent, const std::string& region) const {
    const auto found = paths_.find({parent, region});
    return found == paths_.end() ? parent : found->second;
  }

 private:
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> paths_;
};

// By counter, the report's call path, and location.
using CounterSums =
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, CounterWalk::Count>;

void add_location(CounterTrace& trace, std::uint32_t location, const PathsOfReport& paths,
                  CounterSums& sums) {
  CounterWalk walk(trace);
  try {
    trace.visit(location, walk);
  } catch (const FormatError&) {
    // What was read before counts; the replay reports what is wrong.
  }
  std::vector<std::uint32_t> numbers;  // in the report, by the location's own
  const auto in_report = [&numbers](std::uint32_t path) {
    return path == CallPath::kRoot ? CallPath::kRoot : numbers.at(path);
  };
  for (const CallPathTree::Path& path : walk.paths())
    numbers.push_back(
        paths.below(in_report(path.parent), trace.definitions().regions[path.region].name));
  for (const auto& [of, count] : walk.counts()) {
    CounterWalk::Count& sum = sums[{of.first, in_report(of.second), location}];
    sum.value += count.value;
    sum.weight += count.weight;
  }
}

}  // namespace

void add_path_counters(WaitReport& report, CounterTrace& trace) {
  const PathsOfReport paths(report);
  CounterSums sums;
  const std::size_t locations = trace.counters().empty() ? 0 : trace.definitions().locations.size();
  for (std::uint32_t location = 0; location < locations; ++location)
    add_location(trace, location, paths, sums);
  for (const TraceCounter& counter : trace.counters())
    report.counters.push_back(
        {counter.name, counter.unit, counter.is_level(), counter.at_each_region});
  for (const auto& [key, sum] : sums) {
    const auto [counter, path, location] = key;
    const double value = sum.weight > 0 ? sum.value / sum.weight : sum.value;
    report.counts.push_back({counter, path, location, value});
  }
  if (const std::uint32_t others = trace.counters_of_others(); others > 0)
    report.remarks.push_back(fmt::format(
        "{} of nodes, processes or groups: which call paths they belong to is not known.",
        counted(others, "counter")));
}

}  // namespace huddle
