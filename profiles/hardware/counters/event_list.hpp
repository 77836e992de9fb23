#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huddle::counters {

/// Returns the events that are counted if nobody says otherwise: how much work, how long it took,
/// what went past the private caches and what past the last one, and what the system did to the
/// process meanwhile.
std::vector<std::string> default_events();

/// Reads a list such as "instructions,cycles,cpu/event=0x3c,umask=1/": names with commas between
/// them, where commas between slashes belong to the name. Spaces around names are dropped. The
/// empty text is the empty list. The names are not looked up: that takes the machine that counts.
///
/// Throws FormatError, whose file is `where`, if a name is empty, there twice, has a slash without
/// its partner or letters that no event has, or if there are more than kMostEvents.
std::vector<std::string> parse_event_list(std::string_view text, std::string_view where);

}  // namespace huddle::counters
