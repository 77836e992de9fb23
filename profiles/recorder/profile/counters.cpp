#include "profiles/recorder/profile/counters.hpp"

#include <algorithm>
#include <map>

namespace huddle::recorder {

namespace {

using Sums = std::map<std::uint64_t, std::array<std::uint64_t, 2>>;

}  // namespace

std::size_t ThreadCounters::CollectiveHash::operator()(const CollectiveKey& key) const {
  std::uint64_t hash = key.communicator ^ key.operation;
  hash = (hash ^ (std::uint64_t{key.participants} << 8U) ^ key.size_class) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

void ThreadCounters::add_collective(const CollectiveKey& key, std::uint64_t bytes,
                                    std::uint64_t ticks) {
  CollectiveKey place = key;
  place.size_class = size_class_of(bytes);
  const std::lock_guard lock(mutex_);
  CollectiveSums& sums = collectives_[place];
  ++sums.calls;
  sums.bytes += bytes;
  sums.ticks += ticks;
  sums.shortest = std::min(sums.shortest, ticks);
}

std::vector<SentMessages> merged_messages(const std::vector<const ThreadCounters*>& threads,
                                          Traffic kind) {
  constexpr std::uint64_t kBits = ThreadCounters::kSizeClassBits;
  constexpr std::uint64_t kSizeClassMask = (std::uint64_t{1} << kBits) - 1;
  Sums sums;
  for (const ThreadCounters* thread : threads)
    thread->messages_[static_cast<std::size_t>(kind)].for_each(
        [&](std::uint64_t key, const auto& row) {
          auto& sum = sums[key];
          for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
        });
  std::vector<SentMessages> cells;
  cells.reserve(sums.size());
  for (const auto& [key, sum] : sums)
    cells.push_back({Rank{static_cast<std::uint32_t>(key >> kBits)},
                     static_cast<std::uint8_t>(key & kSizeClassMask), sum[0], Bytes{sum[1]}});
  return cells;
}

std::vector<CollectiveCalls> merged_collectives(
    const std::vector<const ThreadCounters*>& threads, const Interval& run,
    const std::string& (*name_of)(std::uint32_t operation)) {
  std::map<CollectiveKey, ThreadCounters::CollectiveSums> sums;
  for (const ThreadCounters* thread : threads) {
    const std::lock_guard lock(thread->mutex_);
    for (const auto& [key, row] : thread->collectives_) {
      auto& sum = sums[key];
      sum.calls += row.calls;
      sum.bytes += row.bytes;
      sum.ticks += row.ticks;
      sum.shortest = std::min(sum.shortest, row.shortest);
    }
  }
  std::vector<CollectiveCalls> entries;
  entries.reserve(sums.size());
  for (const auto& [key, sum] : sums)
    entries.push_back({name_of(key.operation), key.communicator == 0 ? "world" : "derived",
                       key.participants, key.size_class, sum.calls, Bytes{sum.bytes},
                       run.lasted(sum.ticks), key.communicator, run.lasted(sum.shortest)});
  return entries;
}

std::vector<CallKind> merged_calls(const std::vector<const ThreadCounters*>& threads,
                                   const Interval& run,
                                   const std::string& (*name_of)(std::uint32_t operation)) {
  std::map<std::string, CallKind> kinds;
  for (const ThreadCounters* thread : threads)
    for (std::uint32_t operation = 0; operation < thread->calls_.size(); ++operation) {
      const auto& calls = thread->calls_[operation];
      const std::uint64_t count = calls.calls.load(std::memory_order_relaxed);
      if (count == 0) continue;
      CallKind& kind = kinds[name_of(operation)];
      kind.calls += count;
      kind.timed += std::min(count, calls.timed.load(std::memory_order_relaxed));
      kind.time += run.lasted(calls.ticks.load(std::memory_order_relaxed));
      const std::uint64_t followed = calls.followed.load(std::memory_order_relaxed);
      if (followed == 0) continue;
      const Seconds before = run.lasted(calls.ticks_before.load(std::memory_order_relaxed));
      kind.before = kind.before.value_or(Seconds{0}) +
                    before * (static_cast<double>(count) / static_cast<double>(followed));
    }
  std::vector<CallKind> list;
  for (auto& [name, kind] : kinds) {
    kind.operation = name;
    list.push_back(std::move(kind));
  }
  return list;
}

}  // namespace huddle::recorder
