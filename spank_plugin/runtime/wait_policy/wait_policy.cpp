#include "spank_plugin/runtime/wait_policy/wait_policy.hpp"

#include <sched.h>

#include <charconv>
#include <cstddef>
#include <system_error>

namespace huddle::runtime {
namespace {

constexpr WaitPolicy kShort{"300", "0"};
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

WaitPolicy wait_policy_for(const RankThreads& threads) {
  if (!threads.wanted || threads.chosen_by_user) return {};
  return threads.may_be_packed || is_crowded(threads) ? kShort : kLong;
}

bool is_from_huddle(std::string_view spins, std::string_view block_milliseconds) {
  for (const WaitPolicy& policy : {kShort, kLong})
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
