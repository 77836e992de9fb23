// The counters of a trace by call path, for people.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Of all ranks together; levels are means of the ranks'.
struct CountedPath {
  std::uint32_t call_path = 0;
  double value = 0;
  std::size_t locations = 0;
};

std::vector<CountedPath> counted_paths(const WaitReport& report, std::uint32_t counter) {
  std::map<std::uint32_t, CountedPath> by_path;
  for (const PathCount& count : report.counts) {
    if (count.counter != counter) continue;
    CountedPath& path = by_path[count.call_path];
    path.call_path = count.call_path;
    path.value += count.value;
    ++path.locations;
  }
  std::vector<CountedPath> paths;
  for (auto& [number, path] : by_path) {
    if (report.counters[counter].level) path.value /= static_cast<double>(path.locations);
    paths.push_back(path);
  }
  std::ranges::stable_sort(paths, std::greater<>{}, &CountedPath::value);
  return paths;
}

std::string counted_path_text(const WaitReport& report, std::uint32_t path) {
  if (path >= report.call_paths.size()) return "(no region)";
  std::string text = shortened(report.call_paths[path].region);
  const std::uint32_t parent = report.call_paths[path].parent;
  return parent < path ? shortened(report.call_paths[parent].region) + "/" + text : text;
}

std::string counter_text(const WaitReport& report, std::uint32_t index) {
  constexpr std::size_t kMost = 10;
  const ReportCounter& counter = report.counters[index];
  const std::vector<CountedPath> paths = counted_paths(report, index);
  double all = 0;
  for (const CountedPath& path : paths) all += path.value;
  std::string text = fmt::format("\n{}", shortened(counter.name));
  if (!counter.unit.empty() && counter.unit != "#")
    text += fmt::format(" ({})", shortened(counter.unit, 20));
  if (counter.level) {
    text += ": means over time, of all ranks and threads\n";
  } else {
    text += fmt::format(": {:.6g} in all{}\n", all,
                        counter.exact ? "" : ", shared among call paths by their time");
  }
  if (paths.empty()) return text + "No value was read twice.\n";
  std::vector<Table::Column> columns = {{"call path", Table::Align::kLeft}, {"value"}};
  if (!counter.level) columns.push_back({"%"});
  Table table(columns);
  for (std::size_t i = 0; i < std::min(paths.size(), kMost); ++i) {
    std::vector<std::string> row = {counted_path_text(report, paths[i].call_path),
                                    fmt::format("{:.6g}", paths[i].value)};
    if (!counter.level) row.push_back(fmt::format("{:.1f}", percent_of(paths[i].value, all)));
    table.add(row);
  }
  text += table.text();
  if (paths.size() > kMost) text += fmt::format("{} more; --json has all.\n", paths.size() - kMost);
  return text;
}

}  // namespace

std::string counters_text(const WaitAnswer& answer) {
  if (answer.report.counters.empty())
    return "\nThe trace has no counters that its ranks recorded of themselves.\n";
  std::string text;
  for (std::uint32_t i = 0; i < answer.report.counters.size(); ++i)
    text += counter_text(answer.report, i);
  return text;
}

}  // namespace huddle
