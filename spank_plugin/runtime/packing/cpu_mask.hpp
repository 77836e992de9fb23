#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {

/// The PUs that a thread may run on, as the kernel takes and gives them, or who else stands before
/// it: a library that shows processes another machine does so to Huddle, too. Allocates nothing,
/// and leaves errno alone.
class CpuMask {
 public:
  /// As many PUs as Linux can be built for. A kernel of fewer takes and gives the lower bits.
  static constexpr std::uint32_t kPus = 8192;

  CpuMask() = default;
  explicit CpuMask(const PuSet& pus);
  /// `pu` alone; no PU where the kernel can't have that one.
  static CpuMask of(std::uint32_t pu) noexcept;

  /// Replaces this by the mask of a thread of this or another process; 0: the calling one. False,
  /// and no PU, if the kernel refuses it.
  bool read_of(pid_t thread) noexcept;
  /// Binds a thread to these PUs; false if the kernel refuses it.
  [[nodiscard]] bool give_to(pid_t thread) const noexcept;

  /// True while the calling thread is in one of these two: what the C library's functions answer
  /// then is not meant for the program (affinity_calls.cpp).
  static bool asks() noexcept;

  /// Writes the first `bytes` of it, and zeros behind its end.
  void copy_to(void* mask, std::size_t bytes) const noexcept;
  /// The PU, if there is exactly one; else kPus.
  [[nodiscard]] std::uint32_t only_one() const noexcept;

  friend bool operator==(const CpuMask&, const CpuMask&) = default;

 private:
  std::array<unsigned long, kPus / (8 * sizeof(unsigned long))> bits_{};
};

}  // namespace huddle::runtime
