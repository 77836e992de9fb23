#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "aggregator/waitstates/page/detail/page_data.hpp"
#include "aggregator/waitstates/replay/wait_sums.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned char kNoPattern = 255;

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    text += kDigits[three >> 18U];
    text += kDigits[three >> 12U & 63U];
    text += i + 1 < bytes.size() ? kDigits[three >> 6U & 63U] : '=';
    text += i + 2 < bytes.size() ? kDigits[three & 63U] : '=';
  }
  return text;
}

char share(std::uint64_t ticks, double whole) {
  const double part = whole > 0 ? static_cast<double>(ticks) / whole : 0;
  return static_cast<char>(static_cast<unsigned char>(std::lround(255 * std::min(part, 1.0))));
}

// A bin of all locations of a row together.
TimelineBin bin_of(const WaitReport& report, const PageRow& row, std::size_t bin) {
  TimelineBin sum;
  for (const std::uint32_t location : row.locations) {
    const TimelineBin& one = report.timeline[location][bin];
    sum.mpi += one.mpi;
    sum.openmp += one.openmp;
    for (std::size_t i = 0; i < kWaitPatterns; ++i) sum.waiting[i] += one.waiting[i];
  }
  return sum;
}

}  // namespace

Json page_timeline(const WaitReport& report, const PageRows& rows) {
  if (report.timeline_bin == 0 || report.timeline.empty()) return Json();
  const std::size_t bins = report.timeline[0].size();
  const bool whole_timeline =
      report.timeline.size() == report.locations.size() &&
      std::all_of(report.timeline.begin(), report.timeline.end(),
                  [&](const auto& location) { return location.size() == bins; });
  if (!whole_timeline)
    throw Error("the report of " + shortened(report.trace) +
                " has not as many bins of its timeline for each location");
  const auto ticks = static_cast<double>(report.timeline_bin);
  std::string cells;
  cells.reserve(3 * bins * rows.rows.size());
  for (const PageRow& row : rows.rows) {
    const double whole = ticks * static_cast<double>(row.locations.size());
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const TimelineBin sum = bin_of(report, row, bin);
      std::uint64_t waiting = 0;
      for (const std::uint64_t part : sum.waiting) waiting += part;
      const std::size_t most = foremost(sum.waiting);
      cells += share(sum.mpi + sum.openmp, whole);
      cells += share(waiting, whole);
      cells +=
          static_cast<char>(most == kWaitPatterns ? kNoPattern : static_cast<unsigned char>(most));
    }
  }
  return {{"bins", bins},
          {"begin", static_cast<double>(report.timeline_begin) - static_cast<double>(report.begin)},
          {"binTicks", report.timeline_bin},
          {"cells", base64(cells)}};
}

Json page_critical_path(const WaitReport& report, const PageRows& rows,
                        const std::vector<PageInterval>& intervals) {
  Json array = Json::array();
  for (const PageInterval& interval : intervals) {
    if (interval.location >= report.locations.size()) continue;
    array.push_back(rows.row_of_location[interval.location]);
    array.push_back(interval.begin);
    array.push_back(interval.end);
  }
  return array;
}

}  // namespace huddle::waitstates
