#include "spank_plugin/frequency/clock_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::frequency {

std::optional<std::uint32_t> parse_khz(std::string_view text) {
  const auto khz = number_in<std::uint32_t>(text);
  return khz && *khz != 0 && *khz <= ClockLimits::kMostKhz ? khz : std::nullopt;
}

std::optional<ClockLimits> parse_clock_limits(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto least = parse_khz(text.substr(0, dash));
  const auto most = parse_khz(text.substr(dash + 1));
  if (!least || !most || *least > *most) return std::nullopt;
  return ClockLimits{*least, *most};
}

std::string text_of(const ClockLimits& limits) {
  return fmt::format("{}-{}", limits.least_khz, limits.most_khz);
}

std::string text_for_people(const ClockLimits& limits) {
  const double most = limits.most_khz / 1e6;
  if (limits.least_khz == limits.most_khz) return fmt::format("{:.4g} GHz", most);
  return fmt::format("{:.4g}-{:.4g} GHz", limits.least_khz / 1e6, most);
}

ClockLimits moved_into(const ClockLimits& limits, const ClockLimits& bounds) {
  return {std::clamp(limits.least_khz, bounds.least_khz, bounds.most_khz),
          std::clamp(limits.most_khz, bounds.least_khz, bounds.most_khz)};
}

ClockLimits higher(const ClockLimits& a, const ClockLimits& b) {
  return {std::max(a.least_khz, b.least_khz), std::max(a.most_khz, b.most_khz)};
}

std::string text_of(const LimitsByPu& limits) {
  std::map<ClockLimits, PuSet> groups;
  for (const auto& [pu, of_pu] : limits) groups[of_pu].add(pu);
  std::string text;
  for (const auto& [of_group, pus] : groups) {
    if (!text.empty()) text += ';';
    text += fmt::format("{}@{}", pus.list(), text_of(of_group));
  }
  return text;
}

LimitsByPu parse_limits_by_pu(std::string_view text) {
  const auto refuse = [&] {
    throw Error(
        fmt::format("\"{}\" are not limits of PUs such as 0-3@1200000-1800000", shortened(text)));
  };
  LimitsByPu by_pu;
  for (std::string_view rest = text;;) {
    const auto end = rest.find(';');
    const std::string_view entry = rest.substr(0, end);
    const auto at = entry.find('@');
    if (at == std::string_view::npos) refuse();
    const auto limits = parse_clock_limits(entry.substr(at + 1));
    const PuSet pus = PuSet::parse(entry.substr(0, at));
    if (!limits || pus.empty()) refuse();
    for (const std::uint32_t pu : pus.members())
      if (!by_pu.emplace(pu, *limits).second) refuse();
    if (end == std::string_view::npos) return by_pu;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace huddle::frequency
