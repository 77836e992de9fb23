#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace huddle::predict {

struct SimplexOptions {
  /// Length of the first steps, along each axis.
  double step = 0.5;
  /// The most calls of the function.
  std::size_t evaluations = 200;
  /// It stops when the values at the corners differ by less, as a share of their size.
  double tolerance = 1e-4;
};

struct Minimum {
  std::vector<double> at;
  double value = 0;
};

/// A local minimum of `function` by Nelder and Mead's simplex search (1965), which asks for no
/// derivatives: the shapes of contention have kinks. `function` must return finite numbers. The
/// same input gives the same answer.
Minimum search_minimum(const std::function<double(const std::vector<double>&)>& function,
                       std::vector<double> start, const SimplexOptions& options = {});

}  // namespace huddle::predict
