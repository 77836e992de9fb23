#include "aggregator/render/heatmap/amounts.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace huddle {
namespace {

std::string scaled(std::uint64_t value, double step, std::span<const char* const> units) {
  double rest = static_cast<double>(value) / step;
  std::size_t unit = 0;
  for (; rest >= step && unit + 1 < units.size(); ++unit) rest /= step;
  return fmt::format("{:.1f} {}", rest, units[unit]);
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return bytes < 1024 ? fmt::format("{} B", bytes) : scaled(bytes, 1024, kUnits);
}

std::string human_count(std::uint64_t count) {
  constexpr std::array kUnits = {"k", "M", "G", "T", "P", "E"};
  return count < 10000 ? std::to_string(count) : scaled(count, 1000, kUnits);
}

}  // namespace huddle
