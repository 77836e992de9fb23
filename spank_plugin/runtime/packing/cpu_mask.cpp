#include "spank_plugin/runtime/packing/cpu_mask.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace huddle::runtime {
namespace {

constexpr std::size_t kBitsOfWord = 8 * sizeof(unsigned long);

[[gnu::tls_model("initial-exec")]] constinit thread_local bool asking = false;

// Calls one of the C library's functions as Huddle, and returns true if it returned 0.
template <class Call>
bool succeeds(const Call& call) noexcept {
  const int before = errno;
  asking = true;
  const bool done = call() == 0;
  asking = false;
  errno = before;
  return done;
}

}  // namespace

CpuMask::CpuMask(const PuSet& pus) {
  for (const std::uint32_t pu : pus.members())
    if (pu < kPus) bits_[pu / kBitsOfWord] |= 1UL << pu % kBitsOfWord;
}

CpuMask CpuMask::of(std::uint32_t pu) noexcept {
  CpuMask mask;
  if (pu < kPus) mask.bits_[pu / kBitsOfWord] = 1UL << pu % kBitsOfWord;
  return mask;
}

bool CpuMask::asks() noexcept {
  return asking;
}

bool CpuMask::read_of(pid_t thread) noexcept {
  bits_ = {};
  auto* const mask = reinterpret_cast<cpu_set_t*>(bits_.data());  // NOLINT: a cpu_set_t of any size
  return succeeds([&] { return ::sched_getaffinity(thread, sizeof bits_, mask); });
}

bool CpuMask::give_to(pid_t thread) const noexcept {
  const auto* const mask = reinterpret_cast<const cpu_set_t*>(bits_.data());  // NOLINT: as above
  return succeeds([&] { return ::sched_setaffinity(thread, sizeof bits_, mask); });
}

void CpuMask::copy_to(void* mask, std::size_t bytes) const noexcept {
  const std::size_t known = std::min(bytes, sizeof bits_);
  std::memcpy(mask, bits_.data(), known);
  std::memset(static_cast<char*>(mask) + known, 0, bytes - known);
}

std::uint32_t CpuMask::only_one() const noexcept {
  std::uint32_t found = kPus;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    if (bits_[i] == 0) continue;
    if (found != kPus || !std::has_single_bit(bits_[i])) return kPus;
    found = static_cast<std::uint32_t>(i * kBitsOfWord) +
            static_cast<std::uint32_t>(std::countr_zero(bits_[i]));
  }
  return found;
}

}  // namespace huddle::runtime
