#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace huddle::frequency {

/// Limits that cpufreq shall keep the clock of a core within, both ends included, in kHz, as Linux
/// counts.
struct ClockLimits {
  /// Faster than any clock: more is a mistake, or hostile.
  static constexpr std::uint32_t kMostKhz = 100'000'000;

  std::uint32_t least_khz = 0;
  std::uint32_t most_khz = 0;

  friend auto operator<=>(const ClockLimits&, const ClockLimits&) = default;
};

/// Limits by the operating system's number of a PU.
using LimitsByPu = std::map<std::uint32_t, ClockLimits>;

/// A number of kHz from 1 to ClockLimits::kMostKhz in decimal digits; nothing if it is not one.
std::optional<std::uint32_t> parse_khz(std::string_view text);

/// "1200000-1800000"; nothing if it is something else or backwards.
std::optional<ClockLimits> parse_clock_limits(std::string_view text);

/// The form that parse_clock_limits reads.
std::string text_of(const ClockLimits& limits);

/// For people: "1.2-1.8 GHz", or "1.8 GHz" where both ends are the same.
std::string text_for_people(const ClockLimits& limits);

/// Both ends moved into `bounds`: limits wholly above them become its upper end.
ClockLimits moved_into(const ClockLimits& limits, const ClockLimits& bounds);

/// Returns the limits that hold where two requests meet in one clock: the higher one, end by end.
ClockLimits higher(const ClockLimits& a, const ClockLimits& b);

/// "0-3@1200000-1800000;4@2000000-2000000", PUs of like limits together. Empty for none.
std::string text_of(const LimitsByPu& limits);

/// Reads that form. Throws Error naming the text if it is something else, names a PU twice, or
/// names none. Bounded by the length of the text and PuSet::kLimit.
LimitsByPu parse_limits_by_pu(std::string_view text);

}  // namespace huddle::frequency
