#include "spank_plugin/runtime/wait_policy/wait_policy.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace huddle::runtime {
namespace {

constexpr WaitPolicy kPacked{"300", "0"};
constexpr WaitPolicy kSleep{"1", "0"};  // users who mean this say 0 and 0
constexpr WaitPolicy kLong{"50000", "2"};

/// CPUs that the kernel can be asked about here; where it has more, it says nothing.
constexpr std::size_t kMostCpus = 16384;

std::uint32_t cpus_of(pid_t process) {
  std::array<unsigned char, kMostCpus / 8> bytes{};
  auto* const mask = reinterpret_cast<cpu_set_t*>(bytes.data());
  if (::sched_getaffinity(process, bytes.size(), mask) != 0) return 0;
  std::uint32_t count = 0;
  for (const unsigned char byte : bytes) count += static_cast<unsigned>(__builtin_popcount(byte));
  return count;
}

}  // namespace

bool is_crowded(const RankThreads& threads) {
  const std::uint64_t team = threads.team > 0 ? threads.team : threads.cpus;
  if (threads.cpus > 0 && team > threads.cpus) return true;
  return threads.cpus_here > 0 && team * threads.ranks_here > threads.cpus_here;
}

CpuSharing cpu_sharing(const RankThreads& threads) {
  // The load that a node has without jobs.
  constexpr std::uint64_t kDaemons = 50;
  constexpr std::uint32_t kMostStolen = 10;
  if (is_crowded(threads)) return CpuSharing::kShared;
  const CpuUse& use = threads.use;
  const std::uint64_t team = threads.team > 0 ? threads.team : threads.cpus;
  const std::uint64_t all = 100 * team * threads.ranks_here;
  if (use.quota > 0 && all > use.quota) return CpuSharing::kShared;
  if (all == 0 || use.online == 0 || threads.cpus == 0) return CpuSharing::kUnknown;
  // The ranks beside this one begin now as well.
  const std::uint32_t ours = 100 * threads.ranks_here;
  const std::uint32_t others_now = use.running - std::min(use.running, ours);
  const auto is_full = [&](std::uint64_t others) { return others + all > use.online + kDaemons; };
  const auto [least, most] = std::minmax({others_now, use.load_1, use.load_5});
  // Others may have filled CPUs of their own only.
  const bool has_node = std::uint64_t{100} * threads.cpus_here >= use.online;
  if (is_full(least) && has_node) return CpuSharing::kShared;
  if (is_full(most) || use.stolen > kMostStolen) return CpuSharing::kUnknown;
  return CpuSharing::kOwn;
}

WaitPolicy wait_policy_for(const RankThreads& threads) {
  if (!threads.wanted || threads.chosen_by_user) return {};
  if (threads.may_be_packed) return kPacked;
  switch (cpu_sharing(threads)) {
    case CpuSharing::kShared:
      return kSleep;
    case CpuSharing::kOwn:
      return kLong;
    case CpuSharing::kUnknown:
      break;
  }
  return {};
}

bool is_from_huddle(std::string_view spins, std::string_view block_milliseconds) {
  for (const WaitPolicy& policy : {kPacked, kSleep, kLong})
    if (spins == policy.spins && block_milliseconds == policy.block_milliseconds) return true;
  return false;
}

std::uint32_t first_number(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, number);
  const bool whole = behind == end || *behind == ',';
  return error == std::errc() && whole ? number : 0;
}

std::uint32_t own_cpus() {
  return cpus_of(0);
}

std::uint32_t cpus_of_node() {
  return cpus_of(1);
}

}  // namespace huddle::runtime
