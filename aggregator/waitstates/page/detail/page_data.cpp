#include "aggregator/waitstates/page/detail/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

// Whether a row holds locations of several nodes: then the page can't distinguish nodes.
bool mixes_nodes(const WaitReport& report, const PageRows& rows) {
  return std::any_of(rows.rows.begin(), rows.rows.end(), [&](const PageRow& row) {
    return std::any_of(row.locations.begin(), row.locations.end(), [&](std::uint32_t location) {
      return report.locations[location].node != report.locations[row.locations[0]].node;
    });
  });
}

void name_nodes(const WaitReport& report, PageRows& rows) {
  if (mixes_nodes(report, rows)) {
    rows.nodes = {""};
    return;
  }
  std::map<std::string, std::uint32_t> numbers;
  for (PageRow& row : rows.rows) {
    const std::string& name = report.locations[row.locations[0]].node;
    const auto [known, added] = numbers.emplace(name, rows.nodes.size());
    if (added) rows.nodes.push_back(name);
    row.node = known->second;
  }
}

}  // namespace

PageRows rows_of(const WaitReport& report, std::size_t most_rows) {
  const std::vector<std::uint32_t> order = by_rank_and_thread(report);
  most_rows = std::max<std::size_t>(most_rows, 1);
  PageRows rows;
  rows.together = std::max<std::size_t>((order.size() + most_rows - 1) / most_rows, 1);
  rows.row_of_location.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ReportLocation& location = report.locations[order[i]];
    if (i % rows.together == 0)
      rows.rows.push_back({location.rank, location.rank, location.thread, 0, {}});
    PageRow& row = rows.rows.back();
    row.last_rank = location.rank;
    row.locations.push_back(order[i]);
    rows.row_of_location[order[i]] = static_cast<std::uint32_t>(rows.rows.size() - 1);
  }
  name_nodes(report, rows);
  return rows;
}

namespace {

using Json = nlohmann::ordered_json;

// Sums by call path and row. Entries may come in any order.
class CellSums {
 public:
  CellSums(const WaitReport& report, const PageRows& rows) : report_(report), rows_(rows) {}

  // CallPath::kRoot stands behind all call paths.
  void add(std::uint32_t call_path, std::uint32_t location, std::uint64_t value) {
    const bool no_region = call_path == CallPath::kRoot;
    if (no_region) call_path = static_cast<std::uint32_t>(report_.call_paths.size());
    if ((!no_region && call_path >= report_.call_paths.size()) ||
        location >= report_.locations.size())
      throw Error("the report of " + shortened(report_.trace) +
                  " has an entry of a call path or a location that it does not have");
    if (value == 0) return;
    std::vector<std::uint64_t>& cells = sums_[call_path];
    if (cells.empty()) cells.resize(rows_.rows.size());
    cells[rows_.row_of_location[location]] += value;
  }

  [[nodiscard]] Json runs() const {
    Json array = Json::array();
    for (const auto& [call_path, cells] : sums_) {
      for (std::size_t row = 0; row < cells.size();) {
        if (cells[row] == 0) {
          ++row;
          continue;
        }
        const auto end = static_cast<std::size_t>(
            std::find(cells.begin() + static_cast<std::ptrdiff_t>(row), cells.end(), 0U) -
            cells.begin());
        array.push_back(call_path);
        array.push_back(row);
        array.push_back(end - row);
        for (; row < end; ++row) array.push_back(cells[row]);
      }
    }
    return array;
  }

 private:
  const WaitReport& report_;
  const PageRows& rows_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> sums_;
};

// The sums of `value_of` for the waits of each pattern, by its number; patterns without any are
// left out.
template <class ValueOf>
Json by_pattern(const WaitReport& report, const PageRows& rows, ValueOf value_of) {
  std::map<std::size_t, CellSums> sums;
  for (const PathWaits& waits : report.waits)
    sums.try_emplace(static_cast<std::size_t>(waits.pattern), report, rows)
        .first->second.add(waits.call_path, waits.location, value_of(waits));
  Json json = Json::object();
  for (const auto& [pattern, cells] : sums) json[std::to_string(pattern)] = cells.runs();
  return json;
}

Json by_path(const WaitReport& report, const PageRows& rows, std::uint64_t PathTime::*value) {
  CellSums sums(report, rows);
  for (const PathTime& time : report.times) sums.add(time.call_path, time.location, time.*value);
  return sums.runs();
}

// Each name once.
Json paths_json(const WaitReport& report, bool with_no_region) {
  std::map<std::string_view, std::size_t> numbers;
  Json regions = Json::array();
  Json parents = Json::array();
  Json region_of = Json::array();
  Json mpi = Json::array();
  Json places = Json::array();  // in the source
  for (std::size_t i = 0; i < report.call_paths.size(); ++i) {
    const CallPath& path = report.call_paths[i];
    const auto [known, added] = numbers.emplace(path.region, numbers.size());
    if (added) regions.push_back(path.region);
    region_of.push_back(known->second);
    parents.push_back(path.parent < i ? Json(path.parent) : Json(-1));
    mpi.push_back(path.mpi ? 1 : 0);
    places.push_back(path.file.empty() ? std::string{}
                                       : fmt::format("{}:{}", path.file, path.line));
  }
  if (with_no_region) {
    region_of.push_back(regions.size());
    regions.push_back("(no region)");
    parents.push_back(-1);
    mpi.push_back(0);
    places.push_back("");
  }
  return {{"regions", std::move(regions)},
          {"region", std::move(region_of)},
          {"parent", std::move(parents)},
          {"mpi", std::move(mpi)},
          {"place", std::move(places)}};
}

// Node, first and last rank, thread, how many locations; begin and end in ticks of the run.
Json rows_json(const WaitReport& report, const PageRows& rows) {
  Json array = Json::array();
  for (const PageRow& row : rows.rows) {
    std::uint64_t begin = report.end;
    std::uint64_t end = report.begin;
    for (const std::uint32_t location : row.locations) {
      begin = std::min(begin, report.locations[location].begin);
      end = std::max(end, report.locations[location].end);
    }
    array.push_back(
        Json::array({row.node, row.first_rank, row.last_rank, row.thread, row.locations.size(),
                     begin - std::min(begin, report.begin), end - report.begin}));
  }
  return array;
}

Json patterns_json() {
  Json array = Json::array();
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    const auto pattern = static_cast<WaitPattern>(i);
    array.push_back({{"name", name_of(pattern)}, {"title", title_of(pattern)}});
  }
  return array;
}

// Figures of people's documents, and on which nodes they were not needed.
std::string origin_of(const WaitReport& report) {
  if (report.measured.empty()) return report.power.origin;
  std::string text = report.power.origin + "; measured instead on";
  for (std::size_t i = 0; i < report.measured.size(); ++i)
    text += (i == 0 ? " " : ", ") + report.measured[i].node;
  return text;
}

Json power_json(const WaitReport& report) {
  const PowerStates& power = report.power;
  if (power.states.empty()) return Json();
  const PowerLimits limits = limits_of(power);
  return {{"machine", power.machine},
          {"origin", origin_of(report)},
          {"idle", limits.idle},
          {"busy", limits.busy}};
}

Json measures_json(const WaitReport& report, const PageRows& rows,
                   const std::vector<PageMeasure>& measures) {
  Json array = Json::array();
  for (const PageMeasure& measure : measures) {
    CellSums sums(report, rows);
    for (const PageMeasure::Entry& entry : measure.entries)
      sums.add(entry.call_path, entry.location, entry.ticks);
    array.push_back({{"title", measure.title},
                     {"explanation", measure.explanation},
                     {"cells", sums.runs()},
                     {"parts", measures_json(report, rows, measure.parts)}});
  }
  return array;
}

// Whether there is a measure of time that no region is known of.
bool knows_no_region(const std::vector<PageMeasure>& measures) {
  return std::any_of(measures.begin(), measures.end(), [](const PageMeasure& measure) {
    const bool has = std::any_of(measure.entries.begin(), measure.entries.end(),
                                 [](const auto& at) { return at.call_path == CallPath::kRoot; });
    return has || knows_no_region(measure.parts);
  });
}

// An energy may be negative in a report by another's hand only.
std::uint64_t whole(std::int64_t nanojoules) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(nanojoules, 0));
}

}  // namespace

Json page_data(const WaitReport& report, const PageExtras& extras, const PageRows& rows) {
  Json data = {{"trace", report.trace},
               {"program", report.program},
               {"ticksPerSecond", report.ticks_per_second},
               {"runTicks", report.end - report.begin},
               {"events", report.events},
               {"together", rows.together},
               {"power", power_json(report)},
               {"patterns", patterns_json()},
               {"nodes", rows.nodes},
               {"rows", rows_json(report, rows)},
               {"paths", paths_json(report, knows_no_region(extras.measures))}};
  data["time"] = by_path(report, rows, &PathTime::ticks);
  data["visits"] = by_path(report, rows, &PathTime::visits);
  data["waitTime"] = by_pattern(report, rows, [](const PathWaits& waits) { return waits.ticks; });
  data["waitCount"] = by_pattern(report, rows, [](const PathWaits& waits) { return waits.count; });
  data["energy"] =
      by_pattern(report, rows, [](const PathWaits& waits) { return whole(waits.energy.spent_nj); });
  data["esp"] = by_pattern(report, rows,
                           [](const PathWaits& waits) { return whole(waits.energy.saving_nj); });
  data["espBw"] = by_pattern(
      report, rows, [](const PathWaits& waits) { return whole(waits.energy.busy_saving_nj); });
  data["measures"] = measures_json(report, rows, extras.measures);
  data["remarks"] = remarks_on(report);
  data["timeline"] = page_timeline(report, rows);
  data["criticalPath"] = page_critical_path(report, rows, extras.critical_path);
  return data;
}

}  // namespace huddle::waitstates
