#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// "2.4 GHz".
std::string text_of(Hertz frequency);

/// A frequency such as "2.4GHz", "800 MHz", "800000kHz" or "2.4e9" (Hz), in any case; nothing if it
/// is something else or not above 0.
std::optional<Hertz> parse_frequency(std::string_view text);

/// The frequencies from `lowest` to `highest`, both of them in; by default any. Empty if `lowest`
/// is above.
struct FrequencyRange {
  Hertz lowest{0};
  Hertz highest{std::numeric_limits<double>::infinity()};

  [[nodiscard]] bool empty() const { return lowest > highest; }
  /// True if `frequency` is in the range. Bounds are typed by people: 2.4GHz is meant to include
  /// 2400000001 Hz and 2399999999 Hz.
  [[nodiscard]] bool holds(Hertz frequency) const {
    constexpr double kTolerance = 1e-6;
    return frequency >= lowest * (1 - kTolerance) && frequency <= highest * (1 + kTolerance);
  }
  friend bool operator==(const FrequencyRange&, const FrequencyRange&) = default;
};

/// Returns the frequencies that two ranges share; empty if they share none.
FrequencyRange common_part(const FrequencyRange& a, const FrequencyRange& b);

/// "1.2 GHz to 2.4 GHz", or one frequency where both are the same.
std::string text_of(const FrequencyRange& range);

/// In whole kHz, as Linux counts: "1200000-2400000". The form of the variable HUDDLE_FREQUENCY.
std::string kilohertz_text_of(const FrequencyRange& range);

/// "1.2GHz-2.4GHz", "1.2-2.4GHz" or one frequency, "2GHz"; nothing if it is something else, is
/// backwards, or leaves 1 MHz to 100 GHz, where cores of today are.
std::optional<FrequencyRange> parse_frequency_range(std::string_view text);

/// A wish for the frequency of a job's cores.
struct FrequencyWish {
  enum class Kind : std::uint8_t {
    kKeep,   ///< they stay as the nodes have them
    kAuto,   ///< what the plan says
    kRange,  ///< within `range`
  };
  Kind kind = Kind::kKeep;
  /// With kRange; never empty.
  FrequencyRange range = {};

  friend bool operator==(const FrequencyWish&, const FrequencyWish&) = default;
};

inline constexpr std::string_view kFrequencyWishes = "keep, auto or a range such as 1.2GHz-2.4GHz";

/// "keep", "auto" or a range; nothing if it is something else.
std::optional<FrequencyWish> parse_frequency_wish(std::string_view text);

/// As it is written in an option: "keep", "auto" or "1200000-2400000kHz".
std::string text_of(const FrequencyWish& wish);

}  // namespace huddle
