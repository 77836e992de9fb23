#include "profiles/vocabulary/computation_method.hpp"

#include <array>

namespace huddle {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"simple", "paper", "shared", "prior"};

}  // namespace

std::string_view name_of(ComputationMethod method) {
  return kNames.at(static_cast<std::size_t>(method));
}

std::optional<ComputationMethod> computation_method_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames.at(i) == name) return static_cast<ComputationMethod>(i);
  return std::nullopt;
}

}  // namespace huddle
