#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

// Bit by bit from the highest: who has a 1 where someone else has a 0 is out.
std::uint64_t Exchange::least(std::uint64_t value) {
  constexpr unsigned kBits = 64;
  std::uint64_t found = 0;
  bool in = true;
  for (unsigned bit = kBits; bit-- > 0;) {
    const bool zero = (value >> bit & 1U) == 0;
    if (sum(in && zero ? 1 : 0) == 0) {
      found |= std::uint64_t{1} << bit;
    } else {
      in = in && zero;
    }
  }
  return found;
}

}  // namespace huddle
