// What huddle waitstates --csv prints.

#include <fmt/format.h>

#include <map>
#include <utility>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"

namespace huddle::waitstates {
namespace {

constexpr std::string_view kSumColumns = "count,time_s,longest_s,energy_j,esp_j,esp_bw_j\n";

std::string sum_cells(const WaitAnswer& answer, const WaitSums& waits) {
  return fmt::format("{},{},{},{},{},{}\n", waits.count, answer.seconds(waits.ticks),
                     answer.seconds(waits.longest), joules(waits.energy.spent_nj),
                     joules(waits.energy.saving_nj), joules(waits.energy.busy_saving_nj));
}

// "main/solve/MPI_Recv"; a region's own slashes stay as they are.
std::string path_text(const WaitReport& report, std::uint32_t path) {
  std::string text = report.call_paths[path].region;
  for (std::uint32_t above = report.call_paths[path].parent; above < path;
       path = above, above = report.call_paths[path].parent)
    text = report.call_paths[above].region + "/" + text;
  return text;
}

std::string csv_by_pattern(const WaitAnswer& answer) {
  std::string text = fmt::format("pattern,{}", kSumColumns);
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    text += fmt::format("{},{}", name_of(static_cast<WaitPattern>(i)),
                        sum_cells(answer, answer.sums.patterns[i]));
  return text;
}

// The report's entries put together by pattern and `key_of` an entry.
template <class KeyOf>
auto grouped(const WaitReport& report, KeyOf key_of) {
  std::map<std::pair<WaitPattern, std::uint32_t>, WaitSums> sums;
  for (const PathWaits& waits : report.waits) sums[{waits.pattern, key_of(waits)}].add(waits);
  return sums;
}

std::string by_call_path(const WaitAnswer& answer) {
  std::string text = fmt::format("pattern,call_path,{}", kSumColumns);
  for (const auto& [key, sums] :
       grouped(answer.report, [](const PathWaits& waits) { return waits.call_path; }))
    text += fmt::format("{},{},{}", name_of(key.first),
                        render::csv_cell(path_text(answer.report, key.second)),
                        sum_cells(answer, sums));
  return text;
}

std::string by_rank(const WaitAnswer& answer) {
  std::string text = fmt::format("pattern,rank,thread,node,{}", kSumColumns);
  for (const auto& [key, sums] :
       grouped(answer.report, [](const PathWaits& waits) { return waits.location; })) {
    const ReportLocation& at = answer.report.locations[key.second];
    text += fmt::format("{},{},{},{},{}", name_of(key.first), at.rank, at.thread,
                        render::csv_cell(at.node), sum_cells(answer, sums));
  }
  return text;
}

}  // namespace

std::string waits_csv(const WaitAnswer& answer, WaitsBy by) {
  switch (by) {
    case WaitsBy::kCallPath:
      return by_call_path(answer);
    case WaitsBy::kRank:
      return by_rank(answer);
    case WaitsBy::kPattern:
      break;
  }
  return csv_by_pattern(answer);
}

}  // namespace huddle::waitstates
