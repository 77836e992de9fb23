#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"

namespace huddle::forecast {

/// Part of the space of configurations that measured ones surround.
class MeasuredRegion {
 public:
  /// Place of a configuration relative to it.
  struct Place {
    /// Indexed by factor: less than the least or more than the largest measured value.
    std::array<bool, kFactors> factors{};
    /// Pairs of factors that were not measured together like this. Each is inside, but no
    /// configuration goes as far, up or down, in both; or, wherever they lie, each value of one
    /// had a value of its own of the other, as in weak scaling, and these two lie off that line.
    std::vector<std::pair<std::size_t, std::size_t>> together;
    /// Distance, as a logarithm, of the worst of these pairs from what was measured.
    double gap = 0;

    /// "size", "threads with size".
    [[nodiscard]] std::vector<std::string> names() const;
  };

  MeasuredRegion() = default;
  /// Precondition: not empty; factors above 0.
  explicit MeasuredRegion(const std::vector<Configuration>& measured);

  [[nodiscard]] Place place_of(const Configuration& where) const;

 private:
  /// True if each value of one factor had one of its own of the other, which rises, or falls, with
  /// it.
  [[nodiscard]] bool is_line(std::size_t one, std::size_t other) const;
  /// Distance, as a logarithm, of `other` from where it was with such a value of `one`: from a line
  /// through what was measured, which goes on straight.
  [[nodiscard]] double off_line(const Factors& where, std::size_t one, std::size_t other) const;
  /// Distance, as a logarithm, that the configurations fall short of surrounding `where` in a
  /// plane.
  [[nodiscard]] double outside(const Factors& where, std::size_t one, std::size_t other) const;

  std::vector<Factors> measured_;
  std::array<std::vector<double>, kFactors> levels_;
  std::array<std::array<bool, kFactors>, kFactors> lines_{};
};

}  // namespace huddle::forecast
