#include "aggregator/forecast/table/own_columns.hpp"

#include <algorithm>
#include <array>

namespace huddle {
namespace {

constexpr std::array<std::string_view, 6> kOwnNames = {"size",          "processes", "threads",
                                                       "frequency_ghz", "time_s",    "energy_j"};

}  // namespace

std::string_view own_name_of(ColumnRole role) {
  return role == ColumnRole::variable ? std::string_view{}
                                      : kOwnNames[static_cast<std::size_t>(role)];
}

ColumnRole own_role_of(std::string_view name) {
  const auto found = std::ranges::find(kOwnNames, name);
  return found == kOwnNames.end() ? ColumnRole::variable
                                  : static_cast<ColumnRole>(found - kOwnNames.begin());
}

}  // namespace huddle
