#pragma once

#include <vector>

namespace huddle {

/// The weights, not negative and of sum 1, under which the weighted mean of several models' errors
/// has the least sum of squares (Breiman's stacked regressions, 1996). `errors[row][model]`, all
/// rows of one length, 1 or more; without rows all weigh the same. A little is added for uneven
/// weights, so that models that err alike share.
std::vector<double> stacking_weights(const std::vector<std::vector<double>>& errors,
                                     std::size_t models);

/// What a standard error is multiplied by so that 90 % of errors not yet seen lie within 1.645 of
/// them (the conformal quantile of `scores`, errors in units of their standard error, not
/// negative). With few scores it is the largest one; without any it is 3: nobody knows.
double conformal_widening(std::vector<double> scores);

/// The quantile of the normal distribution that leaves 5 % on each side.
inline constexpr double kNinetyPercent = 1.645;

}  // namespace huddle
