#include "profiles/hardware/counters/event_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/hardware/counters/reading.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::counters {
namespace {

bool is_letter_of_event(char letter) {
  constexpr std::string_view kSigns = "-_./,=:+@";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || kSigns.find(letter) != std::string_view::npos;
}

// Up to the next comma that is not between slashes.
std::string_view first_name(std::string_view text) {
  bool between_slashes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') between_slashes = !between_slashes;
    if (text[i] == ',' && !between_slashes) return text.substr(0, i);
  }
  return text;
}

void check(std::string_view name, const std::vector<std::string>& before, std::string_view where) {
  const std::string place = fmt::format("event {}", before.size() + 1);
  if (name.empty()) throw FormatError(where, place, "no name", "the name of an event");
  if (!std::all_of(name.begin(), name.end(), is_letter_of_event))
    throw FormatError(where, place, fmt::format("\"{}\"", name),
                      "a name of letters, digits and -_./,=:+@");
  if (std::count(name.begin(), name.end(), '/') % 2 != 0)
    throw FormatError(where, place, fmt::format("\"{}\"", name), "a name such as pmu/event/");
  if (std::find(before.begin(), before.end(), name) != before.end())
    throw FormatError(where, place, fmt::format("\"{}\" again", name), "each event once");
  if (before.size() == kMostEvents)
    throw FormatError(where, place, "one more", fmt::format("at most {} events", kMostEvents));
}

}  // namespace

std::vector<std::string> default_events() {
  return {"instructions", "cycles",      "cache-references", "cache-misses",
          "task-clock",   "page-faults", "context-switches"};
}

std::vector<std::string> parse_event_list(std::string_view text, std::string_view where) {
  std::vector<std::string> names;
  if (trimmed(text).empty()) return names;
  for (bool more = true; more;) {
    const std::string_view name = first_name(text);
    more = name.size() < text.size();
    text.remove_prefix(name.size() + (more ? 1 : 0));
    check(trimmed(name), names, where);
    names.emplace_back(trimmed(name));
  }
  return names;
}

}  // namespace huddle::counters
