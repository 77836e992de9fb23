#include "profiles/recorder/counters.hpp"

#include <map>

#include "profiles/vocabulary/size_class.hpp"

namespace huddle::recorder {
namespace {

// Keys sort as the profile lists them.
constexpr std::uint64_t kSizeClassBits = 7;
constexpr std::uint64_t kSizeClassMask = (1U << kSizeClassBits) - 1;
constexpr std::uint64_t kParticipantsBits = 32;
constexpr std::uint64_t kParticipantsMask = 0xffffffffU;

std::uint64_t packed(Rank receiver, std::uint8_t size_class) {
  return (std::uint64_t{receiver.value} << kSizeClassBits) | size_class;
}

std::uint64_t packed(CollectiveKey key) {
  std::uint64_t bits = (std::uint64_t{key.operation} << 1U) | (key.derived ? 1U : 0U);
  bits = (bits << kSizeClassBits) | key.size_class;
  return (bits << kParticipantsBits) | key.participants;
}

CollectiveKey unpacked(std::uint64_t bits) {
  CollectiveKey key;
  key.participants = static_cast<std::uint32_t>(bits & kParticipantsMask);
  bits >>= kParticipantsBits;
  key.size_class = static_cast<std::uint8_t>(bits & kSizeClassMask);
  bits >>= kSizeClassBits;
  key.derived = (bits & 1U) != 0;
  key.operation = static_cast<std::uint32_t>(bits >> 1U);
  return key;
}

template <std::size_t Columns>
using Sums = std::map<std::uint64_t, std::array<std::uint64_t, Columns>>;

template <std::size_t Columns>
void add_to(Sums<Columns>& sums, const SparseCounters<Columns>& counters) {
  counters.for_each([&](std::uint64_t key, const auto& row) {
    auto& sum = sums[key];
    for (std::size_t i = 0; i < Columns; ++i) sum[i] += row[i];
  });
}

}  // namespace

void ThreadCounters::add_message(Rank receiver, std::uint64_t bytes) {
  messages_.add(packed(receiver, size_class_of(bytes)), {1, bytes});
}

void ThreadCounters::add_collective(CollectiveKey key, std::uint64_t bytes, std::uint64_t ticks) {
  key.size_class = size_class_of(bytes);
  collectives_.add(packed(key), {1, bytes, ticks});
}

std::vector<SentMessages> merged_messages(const std::vector<const ThreadCounters*>& threads) {
  Sums<2> sums;
  for (const ThreadCounters* thread : threads) add_to(sums, thread->messages_);
  std::vector<SentMessages> cells;
  cells.reserve(sums.size());
  for (const auto& [key, sum] : sums)
    cells.push_back({Rank{static_cast<std::uint32_t>(key >> kSizeClassBits)},
                     static_cast<std::uint8_t>(key & kSizeClassMask), sum[0], Bytes{sum[1]}});
  return cells;
}

std::vector<CollectiveCalls> merged_collectives(const std::vector<const ThreadCounters*>& threads,
                                                const Interval& run,
                                                std::string (*name_of)(std::uint32_t operation)) {
  Sums<3> sums;
  for (const ThreadCounters* thread : threads) add_to(sums, thread->collectives_);
  std::vector<CollectiveCalls> entries;
  entries.reserve(sums.size());
  for (const auto& [bits, sum] : sums) {
    const CollectiveKey key = unpacked(bits);
    entries.push_back({name_of(key.operation), key.derived ? "derived" : "world", key.participants,
                       key.size_class, sum[0], Bytes{sum[1]}, run.lasted(sum[2])});
  }
  return entries;
}

}  // namespace huddle::recorder
