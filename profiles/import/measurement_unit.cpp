#include "profiles/import/measurement_unit.hpp"

#include <array>
#include <utility>
#include <vector>

#include "profiles/import/column_words.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::imports {
namespace {

struct NamedUnits {
  std::string_view names;
  MeasurementUnit unit;
};

// The one of two units that differ by case only which is in small letters comes first.
constexpr auto kUnits = std::to_array<NamedUnits>({
    {"s sec secs second seconds", {Dimension::time, 1, 1}},
    {"ms msec msecs millisecond milliseconds millis", {Dimension::time, 1, 1e3}},
    // With the micro sign and the Greek letter.
    {"us \u00b5s \u03bcs usec usecs microsecond microseconds micros", {Dimension::time, 1, 1e6}},
    {"ns nsec nsecs nanosecond nanoseconds nanos", {Dimension::time, 1, 1e9}},
    {"min minute minutes", {Dimension::time, 60, 1}},
    {"h hour hours", {Dimension::time, 3600, 1}},
    {"J joule joules Ws", {Dimension::energy, 1, 1}},
    {"mJ", {Dimension::energy, 1, 1e3}},
    {"MJ", {Dimension::energy, 1e6, 1}},
    {"uJ \u00b5J \u03bcJ", {Dimension::energy, 1, 1e6}},
    {"nJ", {Dimension::energy, 1, 1e9}},
    {"kJ", {Dimension::energy, 1e3, 1}},
    {"mWh", {Dimension::energy, 3.6, 1}},
    {"MWh", {Dimension::energy, 3.6e9, 1}},
    {"Wh", {Dimension::energy, 3600, 1}},
    {"kWh", {Dimension::energy, 3.6e6, 1}},
    {"GHz", {Dimension::frequency, 1, 1}},
    {"MHz", {Dimension::frequency, 1, 1e3}},
    {"kHz", {Dimension::frequency, 1, 1e6}},
    {"Hz", {Dimension::frequency, 1, 1e9}},
    {"W watt watts", {Dimension::power, 1, 1}},
    {"mW", {Dimension::power, 1, 1e3}},
    {"MW", {Dimension::power, 1e6, 1}},
    {"kW", {Dimension::power, 1e3, 1}},
});

constexpr std::string_view kStatistics =
    "mean avg average median min max sum total stddev std inclusive exclusive incl excl inc exc";
// Words that a unit in small letters may be joined to, by dimension.
constexpr std::array<std::string_view, 5> kJoinedTo = {
    "", "time elapsed duration runtime load work computation wall", "energy",
    "frequency freq clock", "power"};

// A word of a name, as places in it.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::string_view text_of(std::string_view name, Word word) {
  return name.substr(word.begin, word.end - word.begin);
}

bool is_of_word(char c) {
  const char lower = in_lower_case(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || (c & '\x80') != 0;
}

std::vector<Word> words_of(std::string_view name) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_of_word(name[at])) continue;
    if (at > 0 && is_of_word(name[at - 1]))
      words.back().end = at + 1;
    else
      words.push_back({at, at + 1});
  }
  return words;
}

std::optional<MeasurementUnit> unit_of(std::string_view text, Dimension dimension) {
  const auto unit = unit_named(text);
  return unit && unit->dimension == dimension ? unit : std::nullopt;
}

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}

// The place in a word where a unit begins that is joined to others: "timeMs", "energykj".
std::optional<std::size_t> joined_unit(std::string_view word, Dimension dimension) {
  const std::string_view before = kJoinedTo[static_cast<std::size_t>(dimension)];
  for (std::size_t at = 1; at < word.size(); ++at) {
    if (!unit_of(word.substr(at), dimension)) continue;
    const bool is_hump = is_small(word[at - 1]) && !is_small(word[at]);
    const bool is_behind_known =
        at + 1 < word.size() && has_word(before, in_lower_case(word.substr(0, at)));
    if (is_behind_known) return at;
    // A prefix before the hump makes it another unit.
    if (is_hump) return unit_of(word.substr(at - 1), dimension) ? std::nullopt : std::optional(at);
  }
  return std::nullopt;
}

}  // namespace

std::optional<MeasurementUnit> unit_named(std::string_view text) {
  if (text.find(' ') != std::string_view::npos) return std::nullopt;
  for (const NamedUnits& known : kUnits)
    if (has_word(known.names, text)) return known.unit;
  for (const NamedUnits& known : kUnits)
    if (has_word(in_lower_case(known.names), in_lower_case(text))) return known.unit;
  return std::nullopt;
}

std::optional<UnitInName> unit_in_name(std::string_view name, Dimension dimension) {
  std::vector<Word> words = words_of(name);
  for (std::size_t i = 1; i < words.size(); ++i)
    if (in_lower_case(text_of(name, words[i])) == "per") words.resize(i);
  while (words.size() > 1 && has_word(kStatistics, in_lower_case(text_of(name, words.back()))))
    words.pop_back();
  if (words.empty()) return std::nullopt;
  const Word last = words.back();
  const std::string_view word = text_of(name, last);
  const auto found = [&](std::size_t begin, std::size_t end, std::string_view rest) {
    const std::string_view unit = name.substr(begin, end - begin);
    return UnitInName{std::string(unit), *unit_of(unit, dimension),
                      std::string(trimmed(rest, " _.-[({"))};
  };
  if (unit_of(word, dimension) && word != "min")
    return found(last.begin, last.end, name.substr(0, last.begin));
  if (const auto joined = joined_unit(word, dimension))
    return found(last.begin + *joined, last.end, name.substr(0, last.begin + *joined));
  const std::string_view first = text_of(name, words[0]);
  if (words.size() > 1 && first.size() > 1 && first != "min" && unit_of(first, dimension))
    return found(words[0].begin, words[0].end, name.substr(words[0].end));
  return std::nullopt;
}

std::string_view base_unit_of(Dimension dimension) {
  constexpr std::array<std::string_view, 5> kNames = {"", "s", "J", "GHz", "W"};
  return kNames[static_cast<std::size_t>(dimension)];
}

std::string_view units_of(Dimension dimension) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "s, ms, us, ns, min or h",
                                                      "J, kJ, MJ, mJ, uJ, Wh or kWh",
                                                      "GHz, MHz, kHz or Hz", "W, kW or mW"};
  return kNames[static_cast<std::size_t>(dimension)];
}

}  // namespace huddle::imports
