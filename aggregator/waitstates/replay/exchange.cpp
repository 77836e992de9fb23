#include "aggregator/waitstates/replay/exchange.hpp"

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"

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

void allreduce_or(Exchange& exchange, std::vector<bool>& values) {
  if (exchange.processes() == 1) return;
  constexpr std::size_t kBits = 64;
  for (std::size_t begin = 0; begin < values.size(); begin += kBits) {
    const std::size_t bits = std::min(kBits, values.size() - begin);
    std::uint64_t word = 0;
    for (std::size_t bit = 0; bit < bits; ++bit)
      if (values[begin + bit]) word |= std::uint64_t{1} << bit;
    word = exchange.sum(word);
    for (std::size_t bit = 0; bit < bits; ++bit) values[begin + bit] = (word >> bit & 1U) != 0;
  }
}

namespace {

class OneProcess : public Exchange {
 public:
  [[nodiscard]] std::uint32_t process() const override { return 0; }
  [[nodiscard]] std::uint32_t processes() const override { return 1; }
  void send(std::uint32_t, std::string) override {
    throw Error("an analysis of one process sends a message: a bug in Huddle");
  }
  std::vector<Parcel> receive(bool) override { return {}; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  std::uint64_t least(std::uint64_t value) override { return value; }
  std::vector<std::string> gather(std::string bytes) override {
    std::vector<std::string> all;
    all.push_back(std::move(bytes));
    return all;
  }
};

}  // namespace

std::unique_ptr<Exchange> one_process() {
  return std::make_unique<OneProcess>();
}

}  // namespace huddle
