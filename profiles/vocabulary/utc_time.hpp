#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace huddle {

/// A moment of the calendar, to the millisecond.
using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// The moment that it is.
UtcTime utc_now();

/// "2026-11-22T00:39:49.123Z".
std::string text_of(UtcTime time);

/// Reads what text_of() writes, and "2026-11-22T00:39:49Z" and "2026-11-22" (its first moment).
/// Nothing if it is none of them, or no day of the calendar, or not of the years 1970 to 9999.
std::optional<UtcTime> parse_utc(std::string_view text);

}  // namespace huddle
