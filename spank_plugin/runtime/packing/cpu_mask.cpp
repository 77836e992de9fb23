#include "spank_plugin/runtime/packing/cpu_mask.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace huddle::runtime {
namespace {

constexpr std::size_t kBitsOfWord = 8 * sizeof(unsigned long);

// The kernel's answer, negative for an error. The C library's syscall() is wrapped in this process.
long ask_kernel(long number, long thread, long bytes, long mask) noexcept {
#if defined(__x86_64__)
  long answer = number;
  asm volatile("syscall"
               : "+a"(answer)
               : "D"(thread), "S"(bytes), "d"(mask)
               : "rcx", "r11", "memory");
  return answer;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = thread;
  register long x1 asm("x1") = bytes;
  register long x2 asm("x2") = mask;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#else
  const int before = errno;
  const long answer = ::syscall(number, thread, bytes, mask);
  errno = before;
  return answer;
#endif
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

bool CpuMask::read_of(pid_t thread) noexcept {
  bits_ = {};
  return ask_kernel(SYS_sched_getaffinity, thread, sizeof bits_,
                    reinterpret_cast<long>(bits_.data())) >= 0;  // NOLINT: the kernel's interface
}

bool CpuMask::give_to(pid_t thread) const noexcept {
  return ask_kernel(SYS_sched_setaffinity, thread, sizeof bits_,
                    reinterpret_cast<long>(bits_.data())) >= 0;  // NOLINT: the kernel's interface
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
