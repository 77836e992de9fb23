#include "spank_plugin/frequency/frequency_request.hpp"
#include "profiles/vocabulary/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::frequency {
namespace {

constexpr std::size_t kMostPus = std::size_t{1} << 18U;

[[noreturn]] void refuse(std::string_view entry) {
  throw Error(fmt::format("{} has \"{}\", expected LEAST-MOST in kHz, or RANKS:PUS@LEAST-MOST",
                          kFrequencyVariable, shortened(entry)));
}

std::uint32_t read_rank(std::string_view text, std::string_view entry) {
  const auto rank = number_in<std::uint32_t>(text);
  if (!rank) refuse(entry);
  return *rank;
}

FrequencyRequest::Ranks read_ranks(std::string_view text, std::string_view entry) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) refuse(entry);
  const std::string_view span = text.substr(0, colon);
  const auto dash = span.find('-');
  FrequencyRequest::Ranks ranks;
  ranks.first = read_rank(span.substr(0, dash), entry);
  ranks.last =
      dash == std::string_view::npos ? ranks.first : read_rank(span.substr(dash + 1), entry);
  ranks.pus = PuSet::parse(text.substr(colon + 1));
  if (ranks.last < ranks.first || ranks.pus.empty()) refuse(entry);
  return ranks;
}

FrequencyRequest read_entry(std::string_view entry) {
  FrequencyRequest request;
  const auto at = entry.find('@');
  if (at != std::string_view::npos) request.ranks = read_ranks(entry.substr(0, at), entry);
  const auto limits =
      parse_clock_limits(at == std::string_view::npos ? entry : entry.substr(at + 1));
  if (!limits) refuse(entry);
  request.limits = *limits;
  return request;
}

ClockLimits limits_of(Hertz frequency, const ClockLimits& allowed) {
  const double khz = std::clamp(std::round(frequency.value / 1e3), 1.0,
                                static_cast<double>(ClockLimits::kMostKhz));
  const auto whole = static_cast<std::uint32_t>(khz);
  return moved_into({whole, whole}, allowed);
}

}  // namespace

std::vector<FrequencyRequest> parse_frequency_requests(std::string_view text) {
  if (text.size() > kMostFrequencyBytes)
    throw Error(fmt::format("{} has {} bytes, at most {} are read", kFrequencyVariable, text.size(),
                            kMostFrequencyBytes));
  std::vector<FrequencyRequest> requests;
  std::size_t pus = 0;
  for (std::string_view rest = text;;) {
    const auto end = rest.find(';');
    requests.push_back(read_entry(rest.substr(0, end)));
    const FrequencyRequest& last = requests.back();
    if (last.ranks) pus += last.ranks->pus.size();
    if (pus > kMostPus)
      throw Error(fmt::format("{} names more than {} PUs", kFrequencyVariable, kMostPus));
    if (!last.ranks && (requests.size() > 1 || end != std::string_view::npos)) refuse(text);
    if (end == std::string_view::npos) return requests;
    rest.remove_prefix(end + 1);
  }
}

std::string text_of(const std::vector<FrequencyRequest>& requests) {
  std::string text;
  for (const FrequencyRequest& request : requests) {
    if (!text.empty()) text += ';';
    if (const auto& ranks = request.ranks) {
      text += std::to_string(ranks->first);
      if (ranks->last != ranks->first) text += fmt::format("-{}", ranks->last);
      text += fmt::format(":{}@", ranks->pus.list());
    }
    text += text_of(request.limits);
  }
  return text;
}

LimitsByPu requests_on_node(const std::vector<FrequencyRequest>& requests,
                            const std::vector<std::uint32_t>& ranks,
                            const std::vector<PuSet>& cores) {
  std::map<std::uint32_t, const PuSet*> core_of;
  for (const PuSet& core : cores)
    for (const std::uint32_t pu : core.members()) core_of[pu] = &core;
  LimitsByPu limits;
  const auto limit_core = [&](const PuSet& core, const ClockLimits& of_core) {
    for (const std::uint32_t pu : core.members()) {
      const auto [place, is_new] = limits.emplace(pu, of_core);
      if (!is_new) place->second = higher(place->second, of_core);
    }
  };
  for (const FrequencyRequest& request : requests) {
    if (!request.ranks) {
      for (const PuSet& core : cores) limit_core(core, request.limits);
      continue;
    }
    const bool here = std::any_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
      return rank >= request.ranks->first && rank <= request.ranks->last;
    });
    if (!here) continue;
    for (const std::uint32_t pu : request.ranks->pus.members())
      if (const auto core = core_of.find(pu); core != core_of.end())
        limit_core(*core->second, request.limits);
  }
  return limits;
}

std::string planned_requests(const std::vector<RankPlace>& placement,
                             const std::vector<Hertz>& by_rank, const ClockLimits& allowed,
                             std::size_t most_bytes) {
  std::vector<FrequencyRequest> requests;
  ClockLimits highest = limits_of(by_rank[0], allowed);
  bool all_alike = true;
  for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
    const ClockLimits limits = limits_of(by_rank[rank], allowed);
    if (limits != highest) all_alike = false;
    highest = higher(highest, limits);
    const bool joins = rank > 0 && requests.back().limits == limits &&
                       placement[rank].node == placement[rank - 1].node;
    if (joins) {
      FrequencyRequest::Ranks& ranks = *requests.back().ranks;
      ranks.last = rank;
      for (const std::uint32_t pu : placement[rank].pus.members()) ranks.pus.add(pu);
    } else {
      requests.push_back({FrequencyRequest::Ranks{rank, rank, placement[rank].pus}, limits});
    }
  }
  const std::string in_full = text_of(requests);
  if (all_alike || in_full.size() > most_bytes) return text_of({{std::nullopt, highest}});
  return in_full;
}

}  // namespace huddle::frequency
