#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace huddle {

/// The published method's six samplings: one row in so many, fewest rows first.
inline constexpr std::array<std::uint32_t, 6> kSamplings = {2000, 1000, 100, 10, 4, 3};

/// With fewer rows there is nothing to learn: two leaves of a tree.
inline constexpr std::size_t kLeastTrainingRows = 10;

/// Whether every n-th of so many rows are enough to learn from.
inline bool is_possible(std::size_t rows, std::uint32_t one_in) {
  return (rows + one_in - 1) / one_in >= kLeastTrainingRows;
}

/// Rows 0, n, 2n, ... of `rows` sorted ones; and the others, which test what was learnt.
struct SampledRows {
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> test;
};
/// Precondition: `one_in` is above 0.
SampledRows sampled_rows(std::size_t rows, std::uint32_t one_in);

/// Up to `most` of `rows`, spread evenly, in their order; the first is always among them.
std::vector<std::uint32_t> spread_evenly(const std::vector<std::uint32_t>& rows, std::size_t most);

}  // namespace huddle
