#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/law_form.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle::forecast {

/// A term of a law, with its constant.
struct LawTerm {
  double constant = 0;
  /// In a sum the powers of the factors; in a product those of their logarithms.
  Factors powers{};
  /// In a sum: the power of log2(size).
  double size_logs = 0;
  /// In a sum: if not 0, times ceil(loop / n) / loop, n being what the loop is dealt out to.
  std::size_t loop = 0;
  LoopOver over = LoopOver::nothing;
};

/// A form with its numbers. A plain value.
struct FittedLaw {
  /// The value is the sum of the terms; otherwise its natural logarithm is.
  bool sum = false;
  std::vector<LawTerm> terms;
  /// Logarithms of the sizes that a product was fitted on. Outside, curves over the size go on
  /// straight, as powers: growing ever faster would be guessed from a bend alone.
  double least_size = 0;
  double largest_size = 0;

  /// Natural logarithm of the value. All factors above 0; finite for all that are not absurd.
  [[nodiscard]] double log_at(const Factors& where) const;
};

/// Fits a form to the samples with these indices, such that relative errors are small and a few
/// outliers matter little. Precondition: at least one index; the form is one of forms_for() of
/// samples that have these.
FittedLaw fit_form(const LawForm& form, const LawSamples& samples,
                   std::span<const std::size_t> indices);

/// ceil(length / n) / length: the share of a loop's iterations that the busiest of `n` does.
double loop_share(std::size_t length, double n);

/// Number that `over` stands for at `where`.
double dealt_out_to(LoopOver over, const Factors& where);

/// The errors of a law's logarithms at those samples: measured - law.
std::vector<double> errors_of(const FittedLaw& law, const LawSamples& samples,
                              std::span<const std::size_t> indices);

}  // namespace huddle::forecast
