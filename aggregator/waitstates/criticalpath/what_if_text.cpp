#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "aggregator/waitstates/criticalpath/what_if.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::waitstates {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view found, std::string_view expected) {
  throw UsageError(fmt::format("what if \"{}\": {} is not {}; expected is {}", shortened(text),
                               found.empty() ? "nothing" : fmt::format("\"{}\"", shortened(found)),
                               expected, kWhatIfGrammar));
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

void read_speed(std::string_view text, std::string_view all, Change& change) {
  constexpr double kMostStretch = 1000;
  if (text.starts_with('x')) {
    const std::optional<double> factor = number_in(text.substr(1));
    if (!factor || !(*factor >= 0) || *factor > kMostStretch)
      refuse(all, text, "x and a factor of 0 to 1000");
    change.stretch = *factor;
    return;
  }
  change.frequency = parse_frequency(text);
  if (!change.frequency) refuse(all, text, "a frequency or x and a factor");
}

void read_memory_share(std::string_view text, std::string_view all, Change& change) {
  constexpr std::string_view kKey = "memory=";
  if (!text.starts_with(kKey)) refuse(all, text, "memory=SHARE%");
  std::string_view share = text.substr(kKey.size());
  const bool percent = share.ends_with('%');
  if (percent) share.remove_suffix(1);
  const std::optional<double> value = number_in(share);
  change.memory_share = value.value_or(-1) / (percent ? 100 : 1);
  if (!(change.memory_share >= 0 && change.memory_share <= 1))
    refuse(all, text, "memory= and a share of 0 to 100 %");
  if (!change.frequency) refuse(all, text, "of use without a frequency");
}

// Ranks in brackets at the end: names of regions may have brackets themselves, as in
// operator[](int).
void read_regions(std::string_view text, std::string_view all, Change& change) {
  const std::size_t open = text.rfind('[');
  if (text.ends_with(']') && open != std::string_view::npos) {
    const std::string_view ranks = text.substr(open + 1, text.size() - open - 2);
    try {
      change.ranks = RankSet::parse(ranks, std::numeric_limits<std::uint32_t>::max());
    } catch (const Error&) {
      refuse(all, ranks, "a list of ranks such as 0-3,8");
    }
    if (change.ranks->empty()) refuse(all, ranks, "a list of ranks such as 0-3,8");
    text = text.substr(0, open);
  }
  change.regions = trimmed(text);
  if (change.regions.empty()) refuse(all, change.regions, "a name of regions, or *");
}

Change read_change(std::string_view text, std::string_view all) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) refuse(all, text, "of the form REGIONS@FREQUENCY");
  Change change;
  read_regions(trimmed(text.substr(0, at)), all, change);
  const std::string_view behind = text.substr(at + 1);
  const std::size_t comma = behind.find(',');
  read_speed(trimmed(behind.substr(0, comma)), all, change);
  if (comma != std::string_view::npos)
    read_memory_share(trimmed(behind.substr(comma + 1)), all, change);
  return change;
}

}  // namespace

WhatIf parse_what_if(std::string_view text) {
  WhatIf request;
  request.text = text;
  if (trimmed(text) == "slack") {
    request.by_slack = true;
    return request;
  }
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find(';');
    request.changes.push_back(read_change(trimmed(rest.substr(0, end)), text));
    if (end == std::string_view::npos) return request;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace huddle::waitstates
