#include "profiles/throttling/region_cores.hpp"

#include <fmt/format.h>
#include <set>

#include <algorithm>
#include <charconv>

#include "profiles/vocabulary/error.hpp"

namespace huddle::throttling {
namespace {

constexpr std::uint32_t kMostCores = 65536;
constexpr std::string_view kBound = "bound ";
constexpr std::string_view kUnitOfClocks = "kHz";

[[noreturn]] void refuse(std::string_view word, std::string_view expected) {
  throw Error(fmt::format("teams: found \"{}\", expected {}", shortened(word), expected));
}

// The text before the next `separator`, which goes, too.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

template <class Number>
Number number_in(std::string_view text, int base, std::string_view word, const char* expected) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failure != std::errc() || end != text.data() + text.size() || number == 0)
    refuse(word, expected);
  return number;
}

double bound_in(const std::string_view part) {
  double bound = -1;
  if (part.starts_with(kBound)) {
    const char* const end = part.data() + part.size();
    const auto [rest, failure] = std::from_chars(part.data() + kBound.size(), end, bound);
    if (failure != std::errc() || rest != end) bound = -1;
  }
  if (!(bound >= 0 && bound <= 1)) refuse(part, "\"bound 0.05\", or another from 0 to 1");
  return bound;
}

RegionCores choice_in(const std::string_view word) {
  constexpr const char* kForm =
      "REGION[@GROUP|#CONTEXT]=CORES[/PACKAGES][*THREADS], ids in hexadecimal";
  std::string_view threads = word;
  std::string_view rest = take_until(threads, '*');
  std::string_view ids = take_until(rest, '=');
  const bool is_by_position = ids.find('#') != std::string_view::npos;
  const bool is_by_group = !is_by_position && ids.find('@') != std::string_view::npos;
  std::string_view region = take_until(ids, is_by_position ? '#' : '@');
  std::string_view cores = take_until(rest, '/');
  RegionCores choice;
  choice.region = number_in<std::uint64_t>(region, 16, word, kForm);
  if (is_by_group) choice.group = number_in<std::uint64_t>(ids, 16, word, kForm);
  if (is_by_position) choice.context = number_in<std::uint64_t>(ids, 16, word, kForm);
  choice.cores = number_in<std::uint32_t>(cores, 10, word, kForm);
  if (word.find('*') != std::string_view::npos)
    choice.threads = number_in<std::uint32_t>(threads, 10, word, kForm);
  if (word.find('/') != std::string_view::npos)
    choice.packages = number_in<std::uint32_t>(rest, 10, word, kForm);
  if (choice.cores > kMostCores || choice.packages > choice.cores)
    refuse(word, "at most 65536 cores, and no more packages than cores");
  if (choice.threads > kMostCores || choice.threads % choice.cores != 0)
    refuse(word, "at most 65536 threads, a multiple of the cores");
  return choice;
}

GroupClock clock_in(const std::string_view word) {
  constexpr const char* kForm = "@GROUP=CLOCKkHz, the group's id in hexadecimal";
  std::string_view clock = word.substr(1);
  const std::string_view group = take_until(clock, '=');
  if (!clock.ends_with(kUnitOfClocks)) refuse(word, kForm);
  clock.remove_suffix(kUnitOfClocks.size());
  return {number_in<std::uint64_t>(group, 16, word, kForm),
          number_in<std::uint32_t>(clock, 10, word, kForm)};
}

void set_anchor(std::string_view word, TeamsOfRanks& part) {
  constexpr const char* kForm = "one #ANCHOR, its id in hexadecimal";
  if (part.anchor != 0) refuse(word, kForm);
  part.anchor = number_in<std::uint64_t>(word.substr(1), 16, word, kForm);
}

void add(std::string_view word, TeamsOfRanks& part) {
  if (word.starts_with('#'))
    set_anchor(word, part);
  else if (word.starts_with('@'))
    part.clocks.push_back(clock_in(word));
  else
    part.choices.push_back(choice_in(word));
}

void check_positions(const TeamsOfRanks& part, std::string_view list) {
  if (part.choices.empty() && part.clocks.empty())
    refuse(list, "what is chosen for these ranks behind them");
  if (part.anchor == 0 &&
      std::ranges::any_of(part.choices, [](const RegionCores& one) { return one.context != 0; }))
    refuse(list, "#ANCHOR behind these ranks, since something is chosen by position");
}

std::string text_of(const RegionCores& choice) {
  std::string text = fmt::format("{:x}", choice.region);
  if (choice.context != 0) text += fmt::format("#{:x}", choice.context);
  if (choice.group != 0) text += fmt::format("@{:x}", choice.group);
  text += fmt::format("={}", choice.cores);
  if (choice.packages != 1) text += fmt::format("/{}", choice.packages);
  if (choice.threads != 0) text += fmt::format("*{}", choice.threads);
  return text;
}

}  // namespace

std::string text_of(const ChosenByRank& chosen) {
  std::string text = fmt::format("{}{}", kBound, chosen.bound);
  for (const TeamsOfRanks& part : chosen.teams) {
    text += ';' + part.ranks.list();
    if (part.anchor != 0) text += fmt::format(" #{:x}", part.anchor);
    for (const RegionCores& choice : part.choices) text += ' ' + text_of(choice);
    for (const GroupClock& clock : part.clocks)
      text += fmt::format(" @{:x}={}{}", clock.group, clock.khz, kUnitOfClocks);
  }
  return text;
}

ChosenByRank parse_teams(std::string_view text, std::uint32_t ranks) {
  if (text.size() > kMostTeamsText)
    refuse(text, fmt::format("at most {} characters", kMostTeamsText));
  ChosenByRank chosen;
  chosen.bound = bound_in(take_until(text, ';'));
  while (!text.empty()) {
    std::string_view rest = take_until(text, ';');
    const std::string_view list = take_until(rest, ' ');
    TeamsOfRanks part{RankSet::parse(list, ranks), {}};
    if (part.ranks.empty()) refuse(list, "the ranks that something is chosen for");
    if (rest.empty()) refuse(list, "what is chosen for these ranks behind them");
    while (!rest.empty()) add(take_until(rest, ' '), part);
    check_positions(part, list);
    chosen.teams.push_back(std::move(part));
  }
  return chosen;
}

bool has_sizes(const ChosenByRank& chosen) {
  return std::ranges::any_of(chosen.teams, [](const TeamsOfRanks& part) {
    return std::ranges::any_of(part.choices,
                               [](const RegionCores& one) { return one.threads > 0; });
  });
}

ChosenByRank without_sizes(ChosenByRank chosen) {
  for (TeamsOfRanks& part : chosen.teams) {
    // Where its entry for a position is gone, another one would hold there, which was not chosen.
    std::set<std::uint64_t> at_positions;
    for (const RegionCores& one : part.choices)
      if (one.threads > 0 && one.context != 0) at_positions.insert(one.region);
    std::erase_if(part.choices, [&](const RegionCores& one) {
      return one.threads > 0 || at_positions.contains(one.region);
    });
    if (std::ranges::none_of(part.choices, [](const auto& one) { return one.context != 0; }))
      part.anchor = 0;
  }
  std::erase_if(chosen.teams, [](const TeamsOfRanks& part) {
    return part.choices.empty() && part.clocks.empty();
  });
  return chosen;
}

std::vector<RegionCores> choices_for(const ChosenByRank& chosen, Rank rank) {
  for (const TeamsOfRanks& part : chosen.teams)
    if (part.ranks.contains(rank)) return part.choices;
  return {};
}

std::uint64_t anchor_for(const ChosenByRank& chosen, Rank rank) {
  for (const TeamsOfRanks& part : chosen.teams)
    if (part.ranks.contains(rank)) return part.anchor;
  return 0;
}

std::vector<GroupClock> clocks_for(const ChosenByRank& chosen, Rank rank) {
  for (const TeamsOfRanks& part : chosen.teams)
    if (part.ranks.contains(rank)) return part.clocks;
  return {};
}

}  // namespace huddle::throttling
