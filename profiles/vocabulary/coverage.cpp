#include "profiles/vocabulary/coverage.hpp"

#include <array>

namespace huddle {
namespace {

constexpr std::array<std::string_view, 4> kCoverageWords = {"measured", "interpolated", "model",
                                                            "none"};

}  // namespace

std::string_view name_of(Coverage coverage) {
  return kCoverageWords[static_cast<std::size_t>(coverage)];
}

std::optional<Coverage> coverage_of(std::string_view name) {
  for (std::size_t i = 0; i < kCoverageWords.size(); ++i)
    if (kCoverageWords[i] == name) return static_cast<Coverage>(i);
  return std::nullopt;
}

}  // namespace huddle
