#include "commgraph/graph/pair_traffic.hpp"

#include <algorithm>
#include <tuple>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

void add(std::uint64_t& sum, std::uint64_t amount) {
  if (__builtin_add_overflow(sum, amount, &sum))
    throw Error("two ranks of the profile exchange 2^64 messages or bytes, or more");
}

}  // namespace

std::vector<PairTraffic> added_up(std::vector<PairTraffic> traffic) {
  std::erase_if(traffic, [](const PairTraffic& pair) { return pair.a == pair.b; });
  for (PairTraffic& pair : traffic)
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  std::sort(traffic.begin(), traffic.end(), [](const PairTraffic& x, const PairTraffic& y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
  std::size_t kept = 0;
  for (const PairTraffic& pair : traffic) {
    if (kept > 0 && traffic[kept - 1].a == pair.a && traffic[kept - 1].b == pair.b) {
      add(traffic[kept - 1].messages, pair.messages);
      add(traffic[kept - 1].bytes, pair.bytes);
    } else {
      traffic[kept++] = pair;
    }
  }
  traffic.resize(kept);
  return traffic;
}

}  // namespace huddle
