#include "profiles/formats/profile/event_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace huddle {

std::string_view bare_event_name(std::string_view event) {
  const std::size_t slash = event.find('/');
  const bool prefixed = slash != std::string_view::npos && slash + 1 < event.size() &&
                        event.find('/', slash + 1) == std::string_view::npos;
  return prefixed ? event.substr(slash + 1) : event;
}

std::optional<double> count_of(const std::vector<std::string>& events,
                               const std::vector<double>& counts, std::string_view event) {
  std::optional<double> sum;
  for (std::size_t i = 0; i < std::min(events.size(), counts.size()); ++i)
    if (bare_event_name(events[i]) == event && std::isfinite(counts[i]))
      sum = sum.value_or(0) + counts[i];
  return sum;
}

std::optional<std::pair<double, double>> counts_of_both(const std::vector<std::string>& events,
                                                        const std::vector<double>& counts,
                                                        std::string_view one,
                                                        std::string_view other) {
  std::optional<std::pair<double, double>> sums;
  const std::size_t known = std::min(events.size(), counts.size());
  for (std::size_t i = 0; i < known; ++i) {
    if (bare_event_name(events[i]) != one || !std::isfinite(counts[i])) continue;
    const std::string kind = events[i].substr(0, events[i].size() - one.size());
    for (std::size_t j = 0; j < known; ++j) {
      if (events[j] != kind + std::string(other) || !std::isfinite(counts[j])) continue;
      if (!sums) sums = {0, 0};
      sums->first += counts[i];
      sums->second += counts[j];
    }
  }
  return sums;
}

}  // namespace huddle
