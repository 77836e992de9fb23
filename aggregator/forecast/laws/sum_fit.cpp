#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aggregator/forecast/laws/detail/nonnegative_fit.hpp"

namespace huddle::forecast {
namespace {

using Eigen::Index;

// Powers of the size in the performance model normal form. Power may depend on anything but the
// size.
constexpr std::array<double, 18> kSizePowers = {0, 0.25,    1.0 / 3, 0.5,     2.0 / 3, 0.75,
                                                1, 1.25,    4.0 / 3, 1.5,     5.0 / 3, 1.75,
                                                2, 7.0 / 3, 2.5,     8.0 / 3, 2.75,    3};
constexpr std::array<double, 3> kSizeLogs = {0, 1, 2};
// Steps around the best of them.
constexpr std::array<double, 4> kSteps = {-1.0 / 12, -1.0 / 24, 1.0 / 24, 1.0 / 12};
// Factor that more that is fitted must lower the loss to be believed.
constexpr double kClearly = 0.98;
// Share of the value: a term that is less everywhere is dropped.
constexpr double kMatters = 0.01;
constexpr int kSumRounds = 3;
// Fall of the errors' sum of squares, as a multiple of their variance, that makes a term
// significant.
constexpr double kSignificant = 10;
constexpr double kHuberSum = 1.345;
// Size of an outlier at a first look.
constexpr double kGross = 6;
// Loops of more than so many iterations for each core have steps too small to see.
constexpr double kMostTurns = 12;
constexpr std::size_t kMostLength = 4096;
constexpr std::size_t kLeastLength = 4;

struct Column {
  LawTerm term;
  // True if the searched power of the size is part of it.
  bool grows = false;
  bool dealt = false;
};

// Parts that do not depend on what is searched.
struct Problem {
  const LawForm& form;
  const LawSamples& samples;
  std::span<const std::size_t> indices;
  std::vector<Column> columns;
  // Each column over the measured values, with size^0.
  Eigen::MatrixXd base;
  Eigen::VectorXd weights;
};

struct Solution {
  double size_power = 0;
  double size_logs = 0;
  std::size_t loop = 0;
  Eigen::VectorXd constants;
  double loss = std::numeric_limits<double>::infinity();
};

// The term with each of the powers of the size.
void add_growths(std::vector<Column>& columns, const LawForm& form, Column column, bool logs) {
  column.grows = false;
  for (const double power : form.size_powers) {
    column.term.powers[kSize] = power;
    columns.push_back(column);
    if (power != 1 || !logs) continue;
    column.term.size_logs = 1;
    columns.push_back(column);
    column.term.size_logs = 0;
  }
}

std::vector<Column> columns_of(const LawForm& form, const LawSamples& samples) {
  const bool sizes = samples.levels[kSize].size() > 1;
  std::vector<Column> columns;
  for (std::size_t share = 0; share < form.shares.size(); ++share)
    for (const double frequency : form.frequency_powers) {
      const SharePowers& powers = form.shares[share];
      Column column{.term = {}, .grows = sizes, .dealt = powers.dealt};
      column.term.powers = {0,         powers.processes, powers.threads,
                            frequency, powers.nodes,     powers.packages};
      // A factor 1 / n is in the loop's share.
      if (column.dealt)
        ++column.term.powers[form.loop == LoopOver::threads ? kThreads : kProcesses];
      if (form.size_powers.empty())
        columns.push_back(column);
      else
        add_growths(columns, form, column, samples.levels[kSize].front() >= 2);
    }
  if (form.fixed) columns.emplace_back();
  return columns;
}

Eigen::MatrixXd base_of(const Problem& problem) {
  const auto rows = static_cast<Index>(problem.indices.size());
  Eigen::MatrixXd base(rows, static_cast<Index>(problem.columns.size()));
  for (Index row = 0; row < rows; ++row) {
    const std::size_t sample = problem.indices[static_cast<std::size_t>(row)];
    for (std::size_t column = 0; column < problem.columns.size(); ++column) {
      double log = -problem.samples.values[sample];
      for (std::size_t factor = 0; factor < kFactors; ++factor)
        log += problem.columns[column].term.powers[factor] * problem.samples.logs[sample][factor];
      if (problem.columns[column].term.size_logs > 0)
        log += std::log(std::log2(problem.samples.where[sample][kSize]));
      base(row, static_cast<Index>(column)) = std::exp(log);
    }
  }
  return base;
}

Eigen::MatrixXd design_of(const Problem& problem, const Solution& at) {
  Eigen::MatrixXd design = problem.base;
  const Index rows = design.rows();
  Eigen::ArrayXd sizes(rows);
  Eigen::ArrayXd loops(rows);
  for (Index row = 0; row < rows; ++row) {
    const std::size_t sample = problem.indices[static_cast<std::size_t>(row)];
    sizes[row] = problem.samples.logs[sample][kSize];
    loops[row] =
        at.loop == 0
            ? 1
            : loop_share(at.loop, dealt_out_to(problem.form.loop, problem.samples.where[sample]));
  }
  const Eigen::ArrayXd log_power = at.size_logs == 0
                                       ? Eigen::ArrayXd::Ones(rows)
                                       : (sizes / std::log(2.0)).max(1e-3).pow(at.size_logs).eval();
  const Eigen::ArrayXd grown = (sizes * at.size_power).exp() * log_power;
  for (std::size_t i = 0; i < problem.columns.size(); ++i) {
    const Column& column = problem.columns[i];
    auto values = design.col(static_cast<Index>(i)).array();
    if (column.grows) values *= grown;
    if (column.dealt && at.loop > 0) values *= loops;
  }
  return design;
}

void solve(const Problem& problem, Solution& at) {
  Eigen::MatrixXd design = design_of(problem, at);
  const Eigen::VectorXd roots = problem.weights.cwiseSqrt();
  design = roots.asDiagonal() * design;
  const Eigen::VectorXd lengths =
      design.colwise().norm().transpose().cwiseMax(std::numeric_limits<double>::min());
  design = design * lengths.cwiseInverse().asDiagonal();
  if (!design.allFinite()) return;
  const Eigen::MatrixXd gram = design.transpose() * design;
  const Eigen::VectorXd found = solve_nonnegative(gram, design.transpose() * roots);
  at.loss = (design * found - roots).squaredNorm();
  at.constants = found.cwiseQuotient(lengths);
}

Solution search_size(const Problem& problem) {
  Solution best;
  if (problem.samples.levels[kSize].size() < 2 || !problem.form.size_powers.empty()) {
    solve(problem, best);
    return best;
  }
  const auto try_power = [&](double power, double log_power, double share) {
    Solution at{.size_power = power, .size_logs = log_power, .constants = {}};
    solve(problem, at);
    if (at.loss < best.loss * share) best = at;
  };
  const bool logs = problem.samples.levels[kSize].front() >= 2;
  for (const double power : kSizePowers)
    for (const double log_power : kSizeLogs)
      if (log_power == 0 || logs) try_power(power, log_power, log_power > 0 ? kClearly : 1);
  const Solution near = best;
  for (const double step : kSteps) try_power(near.size_power + step, near.size_logs, kClearly);
  return best;
}

// Drops the terms that matter nowhere, and fits the others anew.
void drop_small(Problem& problem, Solution& solution) {
  if (solution.constants.size() == 0) return;
  const Eigen::VectorXd largest =
      (design_of(problem, solution) * solution.constants.asDiagonal()).colwise().maxCoeff();
  std::vector<Column> kept;
  for (std::size_t i = 0; i < problem.columns.size(); ++i)
    if (largest[static_cast<Index>(i)] >= kMatters) kept.push_back(problem.columns[i]);
  if (kept.empty() || kept.size() == problem.columns.size()) return;
  problem.columns = std::move(kept);
  problem.base = base_of(problem);
  solve(problem, solution);
}

// Without one of the columns; of the same weights.
Solution solve_without(Problem& problem, const Solution& solution, std::size_t column) {
  problem.columns.erase(problem.columns.begin() + static_cast<std::ptrdiff_t>(column));
  problem.base = base_of(problem);
  Solution at = solution;
  at.loss = std::numeric_limits<double>::infinity();
  solve(problem, at);
  return at;
}

// Drops terms that noise may have made, the least needed one first: a steep power of the size that
// lowers the errors of one or two measurements at the edge would be all there is beyond it.
void drop_insignificant(Problem& problem, Solution& solution) {
  std::erase_if(problem.columns, [&, i = Index{0}](const Column&) mutable {
    return !(solution.constants[i++] > 0);
  });
  problem.base = base_of(problem);
  solve(problem, solution);
  while (problem.columns.size() > 1) {
    Problem without = problem;
    Solution least = solve_without(without, solution, 0);
    for (std::size_t column = 1; column < problem.columns.size(); ++column) {
      Problem other = problem;
      const Solution at = solve_without(other, solution, column);
      if (at.loss >= least.loss) continue;
      least = at;
      without.columns = std::move(other.columns);
      without.base = std::move(other.base);
    }
    const auto left = static_cast<double>(problem.indices.size() - problem.columns.size());
    if (problem.indices.size() > problem.columns.size() &&
        least.loss > solution.loss * (1 + kSignificant / left))
      break;
    problem.columns = std::move(without.columns);
    problem.base = std::move(without.base);
    solution = least;
  }
}

// The length of loop that explains most; that of the solution stays if none does better.
void search_loop(const Problem& problem, Solution& solution) {
  double most = 1;
  for (const std::size_t index : problem.indices)
    most = std::max(most, dealt_out_to(problem.form.loop, problem.samples.where[index]));
  const auto last = static_cast<std::size_t>(std::min<double>(kMostLength, kMostTurns * most));
  Solution best = solution;
  best.loss = std::numeric_limits<double>::infinity();
  for (std::size_t length = kLeastLength; length <= last; ++length) {
    Solution at = solution;
    at.loop = length;
    at.loss = std::numeric_limits<double>::infinity();
    solve(problem, at);
    if (at.loss < best.loss) best = at;
  }
  solution = best;
}

FittedLaw law_of(const Problem& problem, const Solution& solution) {
  FittedLaw law{.sum = true, .terms = {}};
  for (std::size_t i = 0; i < problem.columns.size(); ++i) {
    const Column& column = problem.columns[i];
    LawTerm term = column.term;
    term.constant = solution.constants.size() > 0 ? solution.constants[static_cast<Index>(i)] : 0;
    if (term.constant <= 0) continue;
    if (column.grows) {
      term.powers[kSize] = solution.size_power;
      term.size_logs = solution.size_logs;
    }
    if (column.dealt && solution.loop > 0) {
      term.loop = solution.loop;
      term.over = problem.form.loop;
    }
    law.terms.push_back(term);
  }
  return law;
}

Eigen::VectorXd weights_by(const FittedLaw& law, const Problem& problem, double usual) {
  const std::vector<double> errors = errors_of(law, problem.samples, problem.indices);
  return outlier_weights(
      Eigen::Map<const Eigen::VectorXd>(errors.data(), static_cast<Index>(errors.size())), usual);
}

}  // namespace

FittedLaw fit_sum(const LawForm& form, const LawSamples& samples,
                  std::span<const std::size_t> indices) {
  Problem problem{form, samples, indices, columns_of(form, samples), {}, {}};
  problem.base = base_of(problem);
  // A curved product follows whatever is smooth: what is far from it is no good to search with.
  const FittedLaw smooth = fit_form({.curved = true}, samples, indices);
  problem.weights = weights_by(smooth, problem, kGross);
  Solution solution = search_size(problem);
  if (!form.size_powers.empty()) drop_small(problem, solution);
  if (form.loop != LoopOver::nothing) search_loop(problem, solution);
  for (int round = 0; round < kSumRounds; ++round) {
    const FittedLaw law = law_of(problem, solution);
    if (law.terms.empty()) break;
    problem.weights = weights_by(law, problem, kHuberSum);
    solve(problem, solution);
  }
  if (!form.size_powers.empty() && solution.constants.size() > 0)
    drop_insignificant(problem, solution);
  return law_of(problem, solution);
}

}  // namespace huddle::forecast
