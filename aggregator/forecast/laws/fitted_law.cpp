#include "aggregator/forecast/laws/fitted_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace huddle {
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

// How a term of logarithms changes with that of the size.
double slope_of(LawTerm term, const Factors& logs) {
  if (term.powers[kSize] == 0) return 0;
  term.constant *= term.powers[kSize];
  term.powers[kSize] -= 1;
  return value_of(term, logs);
}

// Curves over the size go on straight outside of the sizes they were fitted on.
double log_of_product(const FittedLaw& law, const Factors& where) {
  Factors logs{};
  for (std::size_t factor = 0; factor < kFactors; ++factor) logs[factor] = std::log(where[factor]);
  const double edge = std::clamp(logs[kSize], law.least_size, law.largest_size);
  const double over = logs[kSize] - edge;
  logs[kSize] = edge;
  double sum = 0;
  for (const LawTerm& term : law.terms) sum += value_of(term, logs) + over * slope_of(term, logs);
  return sum;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

std::string power(std::string_view base, double exponent) {
  std::string text(base);
  if (exponent != 1) text += "^" + number(exponent);
  return text;
}

std::string term_of_sum(const LawTerm& term) {
  std::string text = number(term.constant);
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (term.powers[factor] > 0) text += " x " + power(factor_name(factor), term.powers[factor]);
  if (term.size_logs != 0) text += " x " + power("log2(size)", term.size_logs);
  if (term.loop > 0) {
    const std::string over = term.over == LoopOver::threads     ? "threads"
                             : term.over == LoopOver::processes ? "processes"
                                                                : "cores";
    const std::string length = std::to_string(term.loop);
    text += " x ceil(" + length + " / " + over + ") / " + length;
  }
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (term.powers[factor] < 0) text += " / " + power(factor_name(factor), -term.powers[factor]);
  return text;
}

// "log(size)^2 x log(threads)"; a plain power of a factor is told apart by `plain`.
std::string logs_of_product(const LawTerm& term, std::size_t& plain) {
  std::string text;
  double total = 0;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    if (term.powers[factor] == 0) continue;
    total += term.powers[factor];
    plain = factor;
    if (!text.empty()) text += " x ";
    text += power("log(" + std::string(factor_name(factor)) + ")", term.powers[factor]);
  }
  if (total != 1) plain = kFactors;
  return text;
}

std::string formula_of_product(const std::vector<LawTerm>& terms) {
  double constant = 1;
  std::string powers;
  std::string exponent;
  for (const LawTerm& term : terms) {
    std::size_t plain = kFactors;
    const std::string logs = logs_of_product(term, plain);
    if (logs.empty()) {
      constant *= std::exp(term.constant);
    } else if (plain < kFactors) {
      powers += " x " + std::string(factor_name(plain)) + "^" + number(term.constant);
    } else {
      if (!exponent.empty()) exponent += term.constant < 0 ? " - " : " + ";
      exponent += number(exponent.empty() ? term.constant : std::abs(term.constant)) + " x " + logs;
    }
  }
  std::string text = number(constant) + powers;
  if (!exponent.empty()) text += " x exp(" + exponent + ")";
  return text;
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

std::string FittedLaw::formula() const {
  if (!sum) return formula_of_product(terms);
  std::string text;
  for (const LawTerm& term : terms) text += (text.empty() ? "" : " + ") + term_of_sum(term);
  return text;
}

}  // namespace huddle
