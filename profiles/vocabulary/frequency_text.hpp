#pragma once

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

}  // namespace huddle
