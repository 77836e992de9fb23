#include "aggregator/forecast/toep/sampling.hpp"

namespace huddle {

SampledRows sampled_rows(std::size_t rows, std::uint32_t one_in) {
  SampledRows split;
  for (std::size_t row = 0; row < rows; ++row)
    (row % one_in == 0 ? split.training : split.test).push_back(static_cast<std::uint32_t>(row));
  return split;
}

std::vector<std::uint32_t> spread_evenly(const std::vector<std::uint32_t>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<std::uint32_t> some;
  some.reserve(most);
  for (std::size_t i = 0; i < most; ++i) some.push_back(rows[i * rows.size() / most]);
  return some;
}

}  // namespace huddle
