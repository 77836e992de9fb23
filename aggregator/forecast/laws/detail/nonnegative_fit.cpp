#include "aggregator/forecast/laws/detail/nonnegative_fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace huddle::forecast {
namespace {

using Eigen::Index;

// The least squares solution with the columns `used` only; 0 for the others.
Eigen::VectorXd solve_with(const Eigen::MatrixXd& gram, const Eigen::VectorXd& moments,
                           const std::vector<Index>& used) {
  const auto count = static_cast<Index>(used.size());
  Eigen::MatrixXd part(count, count);
  Eigen::VectorXd right(count);
  for (Index i = 0; i < count; ++i) {
    const Index row = used[static_cast<std::size_t>(i)];
    right[i] = moments[row];
    for (Index j = 0; j < count; ++j) part(i, j) = gram(row, used[static_cast<std::size_t>(j)]);
  }
  // Columns may be alike: a trace of a ridge keeps the solution finite.
  part.diagonal().array() *= 1 + 1e-10;
  const Eigen::VectorXd solution = part.ldlt().solve(right);
  Eigen::VectorXd all = Eigen::VectorXd::Zero(moments.size());
  for (Index i = 0; i < count; ++i) all[used[static_cast<std::size_t>(i)]] = solution[i];
  return all;
}

// Goes from `now` towards `wanted` until the first element becomes 0.
void step_towards(Eigen::VectorXd& now, const Eigen::VectorXd& wanted, std::vector<Index>& used) {
  double share = 1;
  for (const Index i : used)
    if (wanted[i] <= 0) share = std::min(share, now[i] / std::max(now[i] - wanted[i], 1e-300));
  now += share * (wanted - now);
  std::erase_if(used, [&](Index i) {
    const bool gone = wanted[i] <= 0 && now[i] <= 1e-12 * now.cwiseAbs().maxCoeff();
    if (gone) now[i] = 0;
    return gone;
  });
}

}  // namespace

Eigen::VectorXd solve_nonnegative(const Eigen::MatrixXd& gram, const Eigen::VectorXd& moments) {
  Eigen::VectorXd solution = Eigen::VectorXd::Zero(moments.size());
  std::vector<Index> used;
  const double small = 1e-9 * std::max(moments.cwiseAbs().maxCoeff(), 1e-300);
  // Each round takes one more column in; rounding errors could make it go in circles.
  const Index most_rounds = 3 * moments.size() + 3;
  for (Index round = 0; round < most_rounds; ++round) {
    const Eigen::VectorXd gain = moments - gram * solution;
    Index best = -1;
    for (Index i = 0; i < gain.size(); ++i)
      if (std::find(used.begin(), used.end(), i) == used.end() && gain[i] > small &&
          (best < 0 || gain[i] > gain[best]))
        best = i;
    if (best < 0) break;
    used.push_back(best);
    for (std::size_t tries = used.size() + 1; tries > 0; --tries) {
      const Eigen::VectorXd wanted = solve_with(gram, moments, used);
      const bool inside =
          std::all_of(used.begin(), used.end(), [&](Index i) { return wanted[i] > 0; });
      if (inside) {
        solution = wanted;
        break;
      }
      step_towards(solution, wanted, used);
      if (used.empty()) break;
    }
  }
  return solution.cwiseMax(0);
}

Eigen::VectorXd outlier_weights(const Eigen::VectorXd& errors, double usual) {
  std::vector<double> sizes(static_cast<std::size_t>(errors.size()));
  for (Index i = 0; i < errors.size(); ++i)
    sizes[static_cast<std::size_t>(i)] = std::abs(errors[i]);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  // 1.4826 x the median is the standard deviation of errors that are normal. An exact fit has none.
  const double bound = usual * std::max(1.4826 * *middle, 1e-6);
  return errors.unaryExpr(
      [bound](double error) { return std::min(1.0, bound / std::max(std::abs(error), 1e-300)); });
}

}  // namespace huddle::forecast
