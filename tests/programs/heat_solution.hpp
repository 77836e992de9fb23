// The heat problem of halo_exchange, solved on paper.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace programs {

// The exact solution of the discrete problem u' = u + D (sum of the four neighbours - 4 u), for any
// cell at any step. With width x height inner cells, a fixed rim at 0 and at width + 1 (height +
// 1), s = i / (width + 1) and t = j / (height + 1), field f after n steps is
//
//   (f + 1) + (1 + f/2) s - (2 + f/4) t + (3 - f/8) s t
//     + sum over m of a_m g_m^n sin(k_m pi s) sin(l_m pi t)
//
// The bilinear part is discretely harmonic; each product of sines is an eigenvector of a step, with
// eigenvalue g_m = 1 - 4 D (sin^2(k_m pi / 2 (width + 1)) + sin^2(l_m pi / 2 (height + 1))). No two
// rows, columns or fields are ever alike: a halo that is missing, from the wrong neighbour or of
// the wrong field shows at any time, one that is late shows until the sines have died away. Width
// and height must be at least 4.
class HeatSolution {
 public:
  static constexpr double kDiffusion = 0.2;

  HeatSolution(int width, int height) : width_(width), height_(height) {
    for (std::size_t m = 0; m < kModes.size(); ++m) {
      const double along_x = std::sin(kModes[m].k * std::numbers::pi / (2.0 * (width + 1)));
      const double along_y = std::sin(kModes[m].l * std::numbers::pi / (2.0 * (height + 1)));
      loss_[m] = 4.0 * kDiffusion * (along_x * along_x + along_y * along_y);
    }
  }

  // i and j count all cells of all ranks, from 1; the rim is at 0 and at width + 1 (height + 1).
  double at(int field, int i, int j, int step) const {
    const double s = i / (width_ + 1.0);
    const double t = j / (height_ + 1.0);
    double value = field + 1.0 + (1.0 + field / 2.0) * s - (2.0 + field / 4.0) * t +
                   (3.0 - field / 8.0) * s * t;
    for (std::size_t m = 0; m < kModes.size(); ++m)
      value += amplitude(field, m) * std::pow(1.0 - loss_[m], step) *
               std::sin(kModes[m].k * std::numbers::pi * s) *
               std::sin(kModes[m].l * std::numbers::pi * t);
    return value;
  }

  // The sum over all fields and cells of the squared change from step to step + 1; the sines are
  // orthogonal.
  double residual(int fields, int step) const {
    double sum = 0;
    for (int field = 0; field < fields; ++field)
      for (std::size_t m = 0; m < kModes.size(); ++m) {
        const double change = amplitude(field, m) * loss_[m] * std::pow(1.0 - loss_[m], step);
        sum += change * change * (width_ + 1.0) * (height_ + 1.0) / 4.0;
      }
    return sum;
  }

  // The most that rounding may add to a cell's value in so many steps.
  double tolerance(int fields, int steps) const {
    return 8.0 * std::numeric_limits<double>::epsilon() * (fields + 8.0) * (steps + 10.0);
  }

  // The most that rounding may add to a residual: relative from the sines' cancellation, absolute
  // once the changes have died away.
  double residual_tolerance(int fields, double expected) const {
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * (fields + 8.0);
    return 1e-6 * expected + fields * (width_ * 1.0) * height_ * rounding * rounding;
  }

 private:
  struct Mode {
    int k, l;
  };
  static constexpr std::array<Mode, 3> kModes = {{{1, 2}, {3, 1}, {2, 3}}};

  static double amplitude(int field, std::size_t mode) {
    return 1.0 / (1.0 + static_cast<double>(mode) + field / 3.0);
  }

  int width_;
  int height_;
  std::array<double, kModes.size()> loss_{};
};

}  // namespace programs
