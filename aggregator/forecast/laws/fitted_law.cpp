#include "aggregator/forecast/laws/fitted_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "aggregator/forecast/laws/detail/nonnegative_fit.hpp"

namespace huddle::forecast {
namespace {

double log_of_sum(const std::vector<LawTerm>& terms, const Factors& where) {
  double sum = 0;
  for (const LawTerm& term : terms) {
    double value = term.constant;
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      if (term.powers[factor] != 0) value *= std::pow(where[factor], term.powers[factor]);
    if (term.size_logs != 0)
      value *= std::pow(std::max(std::log2(where[kSize]), 1e-3), term.size_logs);
    if (term.loop > 0) value *= loop_share(term.loop, dealt_out_to(term.over, where));
    sum += value;
  }
  return std::log(std::max(sum, 1e-300));
}

double value_of(const LawTerm& term, const Factors& logs) {
  double value = term.constant;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (term.powers[factor] != 0) value *= std::pow(logs[factor], term.powers[factor]);
  return value;
}

// Change of a term of logarithms with that of the size.
double slope_of(LawTerm term, const Factors& logs) {
  if (term.powers[kSize] == 0) return 0;
  term.constant *= term.powers[kSize];
  term.powers[kSize] -= 1;
  return value_of(term, logs);
}

// Curves over the size go on straight outside of the sizes they were fitted on.
double log_of_product(const FittedLaw& law, const Factors& where) {
  Factors logs = logs_of(where);
  const double edge = std::clamp(logs[kSize], law.least_size, law.largest_size);
  const double over = logs[kSize] - edge;
  logs[kSize] = edge;
  double sum = 0;
  for (const LawTerm& term : law.terms) sum += value_of(term, logs) + over * slope_of(term, logs);
  return sum;
}

using Eigen::Index;

constexpr int kReweightings = 5;
// Errors beyond so many standard deviations count less (Huber's usual choice).
constexpr double kHuberProduct = 1.345;
// Penalty on slopes, as a share of their information: it decides where data do not.
constexpr double kRidge = 1e-6;

// The logarithms' powers in each term but the constant; `varying` factors only.
std::vector<Factors> term_powers(const LawForm& form, const std::vector<std::size_t>& varying,
                                 const LawSamples& samples) {
  std::vector<Factors> powers;
  const auto add = [&](std::size_t a, std::size_t b) {
    Factors term{};
    term[a] += 1;
    if (b < kFactors) term[b] += 1;
    powers.push_back(term);
  };
  for (const std::size_t factor : varying) add(factor, kFactors);
  if (form.curved)
    for (const std::size_t factor : varying)
      if (samples.levels[factor].size() > 2) add(factor, factor);
  if (form.processes_x_threads) add(kProcesses, kThreads);
  if (form.size_x_others)
    for (const std::size_t factor : varying)
      if (factor != kSize && samples.levels[kSize].size() > 1) add(kSize, factor);
  return powers;
}

// Design of logarithms that are counted from `middle`.
Eigen::MatrixXd design_of(const std::vector<Factors>& powers, const LawSamples& samples,
                          std::span<const std::size_t> indices, const Factors& middle) {
  Eigen::MatrixXd design(static_cast<Index>(indices.size()), static_cast<Index>(powers.size()) + 1);
  design.col(0).setOnes();
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::size_t term = 0; term < powers.size(); ++term) {
      double value = 1;
      for (std::size_t factor = 0; factor < kFactors; ++factor)
        for (double power = powers[term][factor]; power > 0; --power)
          value *= samples.logs[indices[i]][factor] - middle[factor];
      design(static_cast<Index>(i), static_cast<Index>(term) + 1) = value;
    }
  return design;
}

Eigen::VectorXd fit_robustly(const Eigen::MatrixXd& design, const Eigen::VectorXd& values) {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(values.size());
  Eigen::VectorXd solution;
  for (int round = 0; round < kReweightings; ++round) {
    const Eigen::MatrixXd weighted = weights.asDiagonal() * design;
    Eigen::MatrixXd gram = design.transpose() * weighted;
    const Eigen::VectorXd moments = weighted.transpose() * values;
    gram.diagonal().array() += kRidge * gram.diagonal().maxCoeff();
    gram(0, 0) -= kRidge * gram.diagonal().maxCoeff();
    solution = gram.ldlt().solve(moments);
    weights = outlier_weights(values - design * solution, kHuberProduct);
  }
  return solution;
}

// Products of logarithms counted from `middle`, multiplied out: terms of plain logarithms.
FittedLaw multiplied_out(const std::vector<Factors>& powers, const Eigen::VectorXd& constants,
                         const Factors& middle) {
  FittedLaw law;
  law.terms.push_back({.constant = constants[0]});
  const auto add = [&law](const Factors& term, double constant) {
    for (LawTerm& old : law.terms)
      if (old.powers == term) {
        old.constant += constant;
        return;
      }
    law.terms.push_back({.constant = constant, .powers = term});
  };
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const double constant = constants[static_cast<Index>(i) + 1];
    std::vector<std::size_t> factors;
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      for (double power = powers[i][factor]; power > 0; --power) factors.push_back(factor);
    add(powers[i], constant);
    if (factors.size() == 1) {
      add({}, -constant * middle[factors[0]]);
      continue;
    }
    for (const std::size_t left : {0U, 1U}) {
      Factors single{};
      single[factors[left]] = 1;
      add(single, -constant * middle[factors[1 - left]]);
    }
    add({}, constant * middle[factors[0]] * middle[factors[1]]);
  }
  return law;
}

}  // namespace

double loop_share(std::size_t length, double n) {
  const auto iterations = static_cast<double>(length);
  return std::ceil(iterations / n - 1e-9) / iterations;
}

double dealt_out_to(LoopOver over, const Factors& where) {
  switch (over) {
    case LoopOver::threads:
      return where[kThreads];
    case LoopOver::processes:
      return where[kProcesses];
    case LoopOver::cores:
      return where[kProcesses] * where[kThreads];
    case LoopOver::nothing:
      break;
  }
  return 1;
}

double FittedLaw::log_at(const Factors& where) const {
  return sum ? log_of_sum(terms, where) : log_of_product(*this, where);
}

FittedLaw fit_product(const LawForm& form, const LawSamples& samples,
                      std::span<const std::size_t> indices) {
  std::vector<std::size_t> varying;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (samples.levels[factor].size() > 1) varying.push_back(factor);
  Factors middle{};
  Eigen::VectorXd values(static_cast<Index>(indices.size()));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    values[static_cast<Index>(i)] = samples.values[indices[i]];
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      middle[factor] += samples.logs[indices[i]][factor] / static_cast<double>(indices.size());
  }
  const std::vector<Factors> powers = term_powers(form, varying, samples);
  FittedLaw law = multiplied_out(
      powers, fit_robustly(design_of(powers, samples, indices, middle), values), middle);
  law.least_size = law.largest_size = samples.logs[indices[0]][kSize];
  for (const std::size_t index : indices) {
    law.least_size = std::min(law.least_size, samples.logs[index][kSize]);
    law.largest_size = std::max(law.largest_size, samples.logs[index][kSize]);
  }
  return law;
}

FittedLaw fit_form(const LawForm& form, const LawSamples& samples,
                   std::span<const std::size_t> indices) {
  return form.sum ? fit_sum(form, samples, indices) : fit_product(form, samples, indices);
}

std::vector<double> errors_of(const FittedLaw& law, const LawSamples& samples,
                              std::span<const std::size_t> indices) {
  std::vector<double> errors;
  for (const std::size_t index : indices)
    errors.push_back(samples.values[index] - law.log_at(samples.where[index]));
  return errors;
}

}  // namespace huddle::forecast
