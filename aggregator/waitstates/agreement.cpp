#include "aggregator/waitstates/agreement.hpp"

#include <algorithm>

namespace huddle {

// Bit by bit from the highest: who has a 1 where someone else has a 0 is out.
std::uint64_t least_of_all(Exchange& exchange, std::uint64_t value) {
  if (exchange.processes() == 1) return value;
  constexpr unsigned kBits = 64;
  std::uint64_t least = 0;
  bool in = true;
  for (unsigned bit = kBits; bit-- > 0;) {
    const bool zero = (value >> bit & 1U) == 0;
    if (exchange.sum(in && zero ? 1 : 0) == 0) {
      least |= std::uint64_t{1} << bit;
    } else {
      in = in && zero;
    }
  }
  return least;
}

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
