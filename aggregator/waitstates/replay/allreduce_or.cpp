#include "aggregator/waitstates/replay/allreduce_or.hpp"

#include <algorithm>

namespace huddle {

void unite(Exchange& exchange, std::vector<bool>& said) {
  if (exchange.processes() == 1) return;
  constexpr std::size_t kBits = 64;
  for (std::size_t begin = 0; begin < said.size(); begin += kBits) {
    const std::size_t bits = std::min(kBits, said.size() - begin);
    std::uint64_t word = 0;
    for (std::size_t bit = 0; bit < bits; ++bit)
      if (said[begin + bit]) word |= std::uint64_t{1} << bit;
    word = exchange.sum(word);
    for (std::size_t bit = 0; bit < bits; ++bit) said[begin + bit] = (word >> bit & 1U) != 0;
  }
}

}  // namespace huddle
