#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace huddle::runtime {

/// Finds what a program does again and again: the shortest cycle in the sequence of its delimiters
/// (the calls of MPI that end phases) that goes on. A cycle that was found and ended, such as an
/// inner loop's, is not tried again before longer ones were. Nothing here allocates. One thread.
class CycleFinder {
 public:
  /// Longer ones are not found.
  static constexpr std::size_t kLongest = 512;

  /// A delimiter: `key` stands for the place that called it. Returns whether a cycle ends with it.
  bool pass(std::uint64_t key) noexcept;
  /// Delimiters in a cycle; 0 as long as there is none.
  [[nodiscard]] std::size_t length() const { return length_; }

 private:
  static constexpr std::size_t kKept = 2048;
  static_assert(kKept >= 3 * kLongest + 1);

  /// The key of `back` delimiters ago; 0 is the last one.
  [[nodiscard]] std::uint64_t key(std::size_t back) const {
    return keys_[(passed_ - 1 - back) % kKept];
  }
  [[nodiscard]] bool repeats(std::size_t length) const noexcept;
  void search() noexcept;

  std::array<std::uint64_t, kKept> keys_{};
  std::uint64_t passed_ = 0;
  std::size_t length_ = 0;
  std::size_t position_ = 0;
  /// Shorter cycles have ended.
  std::size_t least_ = 1;
  std::uint64_t searched_ = 0;
};

}  // namespace huddle::runtime
