// Kernels that are bound by the latency of memory: where they read is decided by what they read, or
// at random.
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kLineBytes = 64;

// The lines are chained in the order of a Sequence modulo their number.
class PointerChase : public Computation {
 public:
  explicit PointerChase(std::size_t footprint)
      : mask_(power_of_two_below(footprint / kLineBytes + 1) - 1), lines_(mask_ + 1) {
    for (std::uint64_t i = 0; i <= mask_; ++i) lines_[i].next = Sequence::next(i) & mask_;
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    std::uint64_t at = at_;
    for (std::uint64_t i = 0; i < kSteps; ++i) at = lines_[at].next;
    at_ = at;
  }

  std::string wrong(std::uint64_t passes) const override {
    const std::uint64_t expected = Sequence::after(0, kSteps * passes) & mask_;
    return at_ == expected ? "" : difference("the end of the chain", at_, expected);
  }

 private:
  static constexpr std::uint64_t kSteps = 20000;

  struct alignas(kLineBytes) Line {
    std::uint64_t next = 0;
  };

  std::uint64_t mask_;
  std::vector<Line> lines_;
  std::uint64_t at_ = 0;
};

class RandomGather : public Computation {
 public:
  explicit RandomGather(std::size_t footprint)
      : mask_(power_of_two_below(footprint / sizeof(std::uint64_t) + 1) - 1), values_(mask_ + 1) {
    for (std::uint64_t i = 0; i <= mask_; ++i) values_[i] = value_at(i);
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    std::uint64_t state = state_;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kReads; ++i) {
      state = Sequence::next(state);
      sum += values_[Sequence::upper(state) & mask_];
    }
    state_ = state;
    sum_ += sum;
  }

  std::string wrong(std::uint64_t passes) const override {
    std::uint64_t state = kSeed;
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < kReads * passes; ++i) {
      state = Sequence::next(state);
      expected += value_at(Sequence::upper(state) & mask_);
    }
    return sum_ == expected ? "" : difference("the sum of what was read", sum_, expected);
  }

 private:
  static constexpr std::uint64_t kReads = 100000;

  static std::uint64_t value_at(std::uint64_t index) { return 3 * index + 1; }

  std::uint64_t mask_;
  std::vector<std::uint64_t> values_;
  std::uint64_t state_ = kSeed;
  std::uint64_t sum_ = 0;
};

// Keys are the odd numbers below twice their count; where they go in the table is random.
class HashLookup : public Computation {
 public:
  explicit HashLookup(std::size_t footprint)
      : mask_(power_of_two_below(footprint / sizeof(Slot) + 2) - 1),
        keys_((mask_ + 1) / 2),
        table_(mask_ + 1) {
    for (std::uint64_t i = 0; i < keys_; ++i) {
      const std::uint64_t key = 2 * i + 1;
      std::uint64_t at = slot_of(key);
      while (table_[at].key != 0) at = (at + 1) & mask_;
      table_[at] = {key, 5 * key};
    }
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    std::uint64_t state = state_;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kLookups; ++i) {
      state = Sequence::next(state);
      const std::uint64_t key = key_from(state);
      std::uint64_t at = slot_of(key);
      while (table_[at].key != key) at = (at + 1) & mask_;
      sum += table_[at].value;
    }
    state_ = state;
    sum_ += sum;
  }

  std::string wrong(std::uint64_t passes) const override {
    std::uint64_t state = kSeed;
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < kLookups * passes; ++i) {
      state = Sequence::next(state);
      expected += 5 * key_from(state);
    }
    return sum_ == expected ? "" : difference("the sum of what was looked up", sum_, expected);
  }

 private:
  static constexpr std::uint64_t kLookups = 25000;

  struct Slot {
    std::uint64_t key = 0;  // 0: free
    std::uint64_t value = 0;
  };

  [[nodiscard]] std::uint64_t slot_of(std::uint64_t key) const {
    return Sequence::upper(key * Sequence::kFactor) & mask_;
  }
  [[nodiscard]] std::uint64_t key_from(std::uint64_t state) const {
    return 2 * (Sequence::upper(state) & (keys_ - 1)) + 1;
  }

  std::uint64_t mask_;
  std::uint64_t keys_;
  std::vector<Slot> table_;
  std::uint64_t state_ = kSeed;
  std::uint64_t sum_ = 0;
};

class GraphWalk : public Computation {
 public:
  explicit GraphWalk(std::size_t footprint)
      : mask_(power_of_two_below(footprint / (kEdges * sizeof(std::uint32_t)) + 1) - 1),
        heads_((mask_ + 1) * kEdges),
        at_(kWalkers) {
    for (std::uint64_t vertex = 0; vertex <= mask_; ++vertex)
      for (std::uint64_t edge = 0; edge < kEdges; ++edge)
        heads_[vertex * kEdges + edge] = static_cast<std::uint32_t>(head_of(vertex, edge));
  }

  void compute(std::uint64_t pass, unsigned /*part*/, unsigned /*parts*/) override {
    for (std::uint64_t step = 0; step < kSteps; ++step)
      for (std::uint64_t walker = 0; walker < kWalkers; ++walker)
        at_[walker] = heads_[at_[walker] * kEdges + edge_taken(pass * kSteps + step, walker)];
  }

  std::string wrong(std::uint64_t passes) const override {
    for (std::uint64_t walker = 0; walker < kWalkers; ++walker) {
      std::uint64_t expected = 0;
      for (std::uint64_t step = 0; step < passes * kSteps; ++step)
        expected = head_of(expected, edge_taken(step, walker));
      if (at_[walker] != expected) return difference("where a walker is", at_[walker], expected);
    }
    return {};
  }

 private:
  static constexpr std::uint64_t kEdges = 8;
  static constexpr std::uint64_t kWalkers = 8;
  static constexpr std::uint64_t kSteps = 4000;

  [[nodiscard]] std::uint64_t head_of(std::uint64_t vertex, std::uint64_t edge) const {
    return Sequence::upper(Sequence::next(vertex * kEdges + edge)) & mask_;
  }
  static std::uint64_t edge_taken(std::uint64_t step, std::uint64_t walker) {
    return Sequence::upper((step * kWalkers + walker) * Sequence::kFactor) % kEdges;
  }

  std::uint64_t mask_;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint64_t> at_;
};

}  // namespace

ComputationPtr pointer_chase(std::size_t footprint) {
  return std::make_unique<PointerChase>(footprint);
}

ComputationPtr random_gather(std::size_t footprint) {
  return std::make_unique<RandomGather>(footprint);
}

ComputationPtr hash_lookup(std::size_t footprint) {
  return std::make_unique<HashLookup>(footprint);
}

ComputationPtr graph_walk(std::size_t footprint) {
  return std::make_unique<GraphWalk>(footprint);
}

}  // namespace huddle::calibration
