#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle::forecast {

/// Sharing of a term's work: the powers of processes and threads in it. {-1, -1} is work
/// that all cores share, {0, 0} work that none do, {0, 1} an overhead of each thread.
struct SharePowers {
  double processes = 0;
  double threads = 0;
  /// Iterations are dealt out whole: a factor 1 / n of it is ceil(loop / n) / loop.
  bool dealt = false;
  /// {0, 0} beside {-1, -1} here is work that the nodes' packages share, however many cores they
  /// use: what memory's bandwidth bounds. {1, 0} and {1, 1} are a cost of each node, or of each
  /// package used on it: idle power, or a message to each.
  double nodes = 0;
  double packages = 0;
};

/// Units that a loop's iterations are dealt out to in whole numbers.
enum class LoopOver : unsigned char { nothing, processes, threads, cores };

/// The shape of a law, before its numbers are fitted.
///
/// A product is constant x size^a x processes^b x ..., a line on logarithms; `curved` adds the
/// squares of the logarithms, the others add products of them.
///
/// A sum is of terms with constants that are not negative: constant x size^i x log2(size)^j x
/// processes^p x threads^t x frequency^f. i and j, the same in all terms, are searched, first among
/// those of the performance model normal form (A. Calotoiu et al., Using automated performance
/// modeling to find scalability bugs in complex codes, SC13). With the shares {1/n, 1} it is
/// Amdahl's law; with {1/n, 1, n} the universal scalability law (N. Gunther, 1993).
struct LawForm {
  bool sum = false;
  // Members of a product.
  bool curved = false;
  bool processes_x_threads = false;
  bool size_x_others = false;
  // Members of a sum.
  std::vector<SharePowers> shares = {};
  /// Powers of the frequency in the terms.
  std::vector<double> frequency_powers = {0};
  /// If not empty, each term is there with each of these powers of the size, and with size x
  /// log2(size), so that terms may grow differently; terms that matter little are dropped.
  std::vector<double> size_powers = {};
  /// One more term that depends on nothing.
  bool fixed = false;
  /// Units that the loop of the terms that are dealt out runs over; its length is searched.
  LoopOver loop = LoopOver::nothing;

  /// Number of fitted numbers.
  [[nodiscard]] std::size_t parameters(const LawSamples& samples) const;
  /// Number of samples that a law of this form can go through, whatever their noise: more than
  /// parameters() if its terms may grow differently.
  [[nodiscard]] std::size_t freedom(const LawSamples& samples) const;
};

/// The forms to try, simple ones first: those for which the samples have enough values of the
/// factors that vary. Never empty: the first is a product.
std::vector<LawForm> forms_for(const LawSamples& samples);

}  // namespace huddle::forecast
