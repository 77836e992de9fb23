#pragma once

// What huddle waitstates prints.

#include <cstdint>
#include <string>

#include "aggregator/waitstates/criticalpath/run_study.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "aggregator/waitstates/replay/wait_sums.hpp"

namespace huddle::waitstates {

/// What wait states are listed by.
enum class WaitsBy : std::uint8_t { kPattern, kCallPath, kRank };

/// A report and what it adds up to; views both.
struct WaitAnswer {
  explicit WaitAnswer(const WaitReport& of, const RunStudy* and_study = nullptr)
      : report(of), sums(sums_of(of)), study(and_study) {}

  [[nodiscard]] double seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) / static_cast<double>(report.ticks_per_second);
  }
  [[nodiscard]] double run_time_s() const { return seconds(report.end - report.begin); }

  const WaitReport& report;
  ReportSums sums;
  const RunStudy* study;
};

/// `part` of `whole` in percent; 0 of nothing.
inline double percent_of(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}
inline double joules(std::int64_t nanojoules) {
  return static_cast<double>(nanojoules) / 1e9;
}

/// " (solve.c:12)", where the call path's function begins in the source; empty if that is not
/// known.
std::string place_text(const CallPath& path);

/// What was analysed, the time of all ranks and what power was reckoned with.
std::string waits_head_text(const WaitAnswer& answer);
/// The table.
std::string waits_text(const WaitAnswer& answer, WaitsBy by);
/// What the analysis could not do as it should, and what the reader of the trace remarks; empty for
/// a sound trace.
std::string waits_remarks_text(const WaitAnswer& answer);

/// A line for each pattern, or for each pattern in a call path or on a location.
std::string waits_csv(const WaitAnswer& answer, WaitsBy by);

/// For programs: docs/formats/waitstates.md.
std::string waits_json(const WaitAnswer& answer);

/// Critical path, slack and what-ifs, as far as the answer's study has them, each below an empty
/// line.
std::string study_text(const WaitAnswer& answer);

}  // namespace huddle::waitstates
