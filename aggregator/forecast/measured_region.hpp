#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/scaling/factors.hpp"

namespace huddle {

/// Which part of the space of configurations measured ones surround.
class MeasuredRegion {
 public:
  /// How a configuration lies to it.
  struct Place {
    /// By factor: less than the least or more than the largest measured value.
    std::array<bool, kFactors> factors{};
    /// Pairs of factors of which each is inside, but which were not measured together: no
    /// configuration goes as far, up or down, in both.
    std::vector<std::pair<std::size_t, std::size_t>> together;
    /// How far, as a logarithm, the worst of these pairs lies from what was measured.
    double gap = 0;

    /// "size", "threads with size".
    [[nodiscard]] std::vector<std::string> names() const;
  };

  MeasuredRegion() = default;
  /// Precondition: not empty; factors above 0.
  explicit MeasuredRegion(const std::vector<Configuration>& measured);

  [[nodiscard]] Place place_of(const Configuration& where) const;

 private:
  /// How far, as a logarithm, the configurations fall short of surrounding `where` in a plane.
  [[nodiscard]] double outside(const Factors& where, std::size_t one, std::size_t other) const;

  std::vector<Factors> measured_;
  std::array<std::vector<double>, kFactors> levels_;
};

}  // namespace huddle
