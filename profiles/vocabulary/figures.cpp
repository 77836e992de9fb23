#include "profiles/vocabulary/figures.hpp"

#include <fmt/format.h>

#include <cmath>

namespace huddle {

std::string percent_text(double change, int decimals) {
  std::string text = fmt::format("{:+.{}f}", change * 100, decimals);
  if (text.front() == '-' && text.find_first_of("123456789in") == std::string::npos)
    text.front() = '+';
  return text;
}

bool is_useful_interval(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && high <= kWidestInterval * low;
}

std::string interval_text(double low, double high) {
  if (!is_useful_interval(low, high)) return kNoUsefulInterval;
  return fmt::format("{:.4g} to {:.4g}", low, high);
}

std::string change_interval_text(double low, double high, double reference) {
  if (!is_useful_interval(low, high)) return kNoUsefulInterval;
  return fmt::format("{} to {}", percent_text(low / reference - 1),
                     percent_text(high / reference - 1));
}

}  // namespace huddle
