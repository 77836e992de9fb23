#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>

#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle::waitstates {

/// Maps sparse ids to dense ones, from 0 on, in the order of first use. Large tables are on disk.
/// Not thread-safe.
class DenseIds {
 public:
  /// At most `most` different ones, none above `largest`. Throws SystemError.
  DenseIds(std::uint64_t most, std::uint64_t largest, const std::filesystem::path& folder)
      : scatter_(largest / 4 > most),
        slots_(std::bit_ceil(std::max(scatter_ ? 2 * most : largest + 1, std::uint64_t{1})),
               folder) {}

  std::uint64_t operator[](std::uint64_t number) {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t at = number;
    if (scatter_) at = number * 0x9E3779B97F4A7C15U >> (64 - std::countr_zero(slots_.size()));
    for (;; ++at) {
      Slot& slot = slots_[at & mask];
      if (slot.given == 0) {
        slot = {number, ++count_};
        return count_ - 1;
      }
      if (slot.number == number) return slot.given - 1;
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  struct Slot {
    std::uint64_t number;
    std::uint64_t given;  // the dense id + 1; 0: empty
  };
  bool scatter_;  // else the numbers are dense enough to be places themselves
  DiskArray<Slot> slots_;
  std::uint64_t count_ = 0;
};

}  // namespace huddle::waitstates
