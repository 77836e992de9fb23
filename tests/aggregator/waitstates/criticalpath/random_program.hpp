#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"

namespace huddle::waitstates {

/// A made-up MPI program, and a plain reckoning of when everything in it happens: slow and obvious,
/// so that what is found in its log can be compared.
class RandomProgram {
 public:
  RandomProgram(std::uint32_t ranks, unsigned operations, unsigned seed);

  /// Gives the ticks of the rank's computation before its n-th call (behind the last: n = calls),
  /// from those it takes at first.
  using Computation =
      std::function<std::uint64_t(std::uint32_t rank, std::uint64_t call, std::uint64_t ticks)>;
  [[nodiscard]] std::uint64_t run_time(const Computation& computation) const;
  [[nodiscard]] std::uint64_t run_time() const;
  /// The same program where no call takes time beyond its waiting.
  [[nodiscard]] RandomProgram on_ideal_network() const;
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] std::uint64_t calls_of(std::uint32_t rank) const { return calls_[rank].size(); }
  /// As an unchanged run leaves it.
  [[nodiscard]] ActivityLog log(std::size_t in_memory = 16U << 20U) const;

 private:
  struct Call {
    std::uint64_t before;    // computation
    std::uint64_t transfer;  // when all is there
    std::string phase;
  };
  enum class Kind : std::uint8_t {
    kMessage,
    kRendezvous,
    kExchange,
    kBarrier,
    kRoot,
    kToRoot,
    kScan
  };
  struct Operation {
    Kind kind;
    // Rank, the call that begins it, the call that ends it. Messages: sender first. Collectives: by
    // place, the first is the root.
    struct Part {
      std::uint32_t rank;
      std::uint64_t begun_by;
      std::uint64_t call;
    };
    std::vector<Part> parts;
  };
  struct Times {
    std::vector<std::vector<std::uint64_t>> enters;
    std::vector<std::vector<std::uint64_t>> leaves;
    std::vector<std::uint64_t> ends;
  };

  std::uint64_t add_call(std::uint32_t rank);
  void add_operation();
  [[nodiscard]] Times live(const Computation& computation) const;
  [[nodiscard]] std::uint64_t wait_of(const Operation& operation, std::size_t part,
                                      const Times& times) const;
  [[nodiscard]] std::uint64_t random(std::uint64_t most);
  void report(const Operation& operation, LogBuilder& builder) const;

  std::uint32_t ranks_;
  std::uint64_t state_;
  std::vector<std::vector<Call>> calls_;  // by rank
  std::vector<Operation> operations_;
  std::vector<std::uint64_t> trailing_;
};

}  // namespace huddle::waitstates
