#pragma once

// Internal to screen().

#include <array>
#include <cstddef>

namespace huddle {

/// The power law of the last values of a quantity, told by size from small to large: a straight
/// line between logarithms.
class RunningLaw {
 public:
  /// Precondition: both above 0, and no size smaller than an earlier one.
  void add(double size, double value);
  /// Whether it can say something about this size: there are values enough, and none too far.
  [[nodiscard]] bool knows(double size) const;
  /// Precondition: knows(size).
  [[nodiscard]] double at(double size) const;

 private:
  struct Point {
    double size = 0;  // logarithms
    double value = 0;
  };
  [[nodiscard]] const Point& from_last(std::size_t back) const;
  [[nodiscard]] double slope() const;

  std::array<Point, 32> points_{};
  std::size_t count_ = 0;  // of all that were told
};

}  // namespace huddle
