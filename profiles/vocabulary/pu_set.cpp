#include "profiles/vocabulary/pu_set.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// The kernel refuses a mask shorter than its own; this holds every PuSet and every Linux of today.
constexpr std::size_t kMaskPus = PuSet::kLimit;

struct CpuSetFree {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuMask = std::unique_ptr<cpu_set_t, CpuSetFree>;

CpuMask empty_mask() {
  CpuMask mask(CPU_ALLOC(kMaskPus));
  if (!mask) throw Error("out of memory for a CPU mask");
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMaskPus), mask.get());
  return mask;
}

[[noreturn]] void bad_list(std::string_view list) {
  throw Error(fmt::format("\"{}\" is not a list of PUs such as 0-3,8 (numbers below {})",
                          shortened(list), PuSet::kLimit));
}

std::uint32_t read_number(std::string_view list, const char*& at, const char* end) {
  std::uint32_t number = 0;
  const auto [next, failure] = std::from_chars(at, end, number);
  if (failure != std::errc{} || number >= PuSet::kLimit) bad_list(list);
  at = next;
  return number;
}

}  // namespace

PuSet PuSet::parse(std::string_view list) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    const std::uint32_t first = read_number(list, at, end);
    std::uint32_t last = first;
    if (at != end && *at == '-') last = read_number(list, ++at, end);
    if (last < first) bad_list(list);
    ranges.emplace_back(first, last);
    if (at == end) break;
    if (*at++ != ',' || at == end) bad_list(list);
  }
  std::sort(ranges.begin(), ranges.end());
  PuSet set;
  std::uint32_t next = 0;  // no smaller one is missing: a list may say the same PU many times
  for (const auto& [first, last] : ranges)
    for (next = std::max(next, first); next <= last; ++next) set.members_.push_back(next);
  return set;
}

PuSet PuSet::of_this_thread() {
  const CpuMask mask = empty_mask();
  if (sched_getaffinity(0, CPU_ALLOC_SIZE(kMaskPus), mask.get()) != 0)
    throw SystemError("read", "this thread's CPU affinity", errno);
  PuSet set;
  for (std::uint32_t pu = 0; pu < kLimit; ++pu)
    if (CPU_ISSET_S(pu, CPU_ALLOC_SIZE(kMaskPus), mask.get())) set.members_.push_back(pu);
  return set;
}

void PuSet::add(std::uint32_t pu) {
  if (pu >= kLimit) throw Error(fmt::format("PU {} is beyond the limit of {}", pu, kLimit));
  const auto place = std::lower_bound(members_.begin(), members_.end(), pu);
  if (place == members_.end() || *place != pu) members_.insert(place, pu);
}

bool PuSet::contains(std::uint32_t pu) const {
  return std::binary_search(members_.begin(), members_.end(), pu);
}

std::string PuSet::list() const {
  std::string text;
  for (std::size_t i = 0; i < members_.size();) {
    std::size_t last = i;
    while (last + 1 < members_.size() && members_[last + 1] == members_[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(members_[i]);
    if (last > i) text += '-' + std::to_string(members_[last]);
    i = last + 1;
  }
  return text;
}

void PuSet::bind_this_thread() const {
  const CpuMask mask = empty_mask();
  for (const std::uint32_t pu : members_) CPU_SET_S(pu, CPU_ALLOC_SIZE(kMaskPus), mask.get());
  if (sched_setaffinity(0, CPU_ALLOC_SIZE(kMaskPus), mask.get()) != 0)
    throw SystemError("bind to PUs", list(), errno);
}

}  // namespace huddle
