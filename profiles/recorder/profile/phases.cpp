#include "profiles/recorder/profile/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {

namespace {

// A program whose delimiters are called from ever new places has no phases that recur; later ones
// are counted as one phase.
constexpr std::size_t kMostPhases = 1024;

std::uint64_t key_of(const CallSite& begin, const CallSite& end) {
  const std::uint64_t key = (begin.id * 0x9e3779b97f4a7c15ULL) ^ end.id;
  return key == 0 ? 1 : key;
}

}  // namespace

PhaseTracker::PhaseTracker(std::uint64_t now, PhaseCounters* counters)
    : counters_(counters), first_(named_site("init")), others_(named_site("other places")) {
  begin_phase(now, 0);
}

CallSite PhaseTracker::named_site(const char* name) {
  return {hash_of(name), name, {}, 0};
}

// Welford's recurrence (1962): the variance without a large sum of squares.
void PhaseTracker::Phase::add(std::uint64_t ticks) {
  ++count;
  const auto value = static_cast<double>(ticks);
  const double before = value - mean;
  mean += before / static_cast<double>(count);
  squares += before * (value - mean);
  shortest = count == 1 ? ticks : std::min(shortest, ticks);
  longest = std::max(longest, ticks);
}

PhaseTracker::Phase& PhaseTracker::phase_between(const CallSite& begin, const CallSite& end) {
  const Key key = key_of(begin, end);
  const auto known = phases_.find(key);
  if (known != phases_.end()) {
    ended_ = key;
    return known->second;
  }
  const bool room = phases_.size() < kMostPhases;
  ended_ = room ? key : key_of(others_, others_);
  Phase& phase = phases_[ended_];
  phase.begin = room ? &begin : &others_;
  phase.end = room ? &end : &others_;
  return phase;
}

void PhaseTracker::stop_counting() noexcept {
  if (counting_) counters_->end_pass();
  counted_ = std::exchange(counting_, false);
}

void PhaseTracker::end_phase(const CallSite& site, std::uint64_t now, std::uint64_t inside) {
  const std::uint64_t between = now > began_ ? now - began_ : 0;
  const std::uint64_t in_mpi = std::min(inside - inside_before_, between);
  {
    const std::lock_guard lock(mutex_);
    Phase& phase = phase_between(*began_at_, site);
    phase.add(between - in_mpi);
    phase.inside += in_mpi;
    periods_.add({ended_, between - in_mpi});
    if (counted_) {
      ++phase.counted;
      phase.counted_ticks += between;
      phase.tally.add(counters_->begin(), counters_->end());
    }
  }
  began_at_ = &site;
  delimiter_began_ = now;
}

void PhaseTracker::begin_phase(std::uint64_t now, std::uint64_t inside) noexcept {
  if (ended_ != 0) {
    const std::lock_guard lock(mutex_);
    phases_.find(ended_)->second.in_delimiter += now - delimiter_began_;
    ended_ = 0;
  }
  began_ = now;
  inside_before_ = inside;
  counting_ = counters_ != nullptr && counters_->begin_pass(now);
}

std::vector<PhaseRecord> PhaseTracker::records(
    const Interval& run,
    const std::function<std::vector<double>(const counters::Tally&)>& counts_of) const {
  std::vector<PhaseRecord> records;
  const double tick = run.lasted(1).value;
  const std::lock_guard lock(mutex_);
  records.reserve(phases_.size());
  for (const auto& [key, phase] : phases_) {
    PhaseRecord record;
    record.group = key;
    record.count = phase.count;
    record.shortest = run.lasted(phase.shortest);
    record.longest = run.lasted(phase.longest);
    record.mean = std::clamp(Seconds{phase.mean * tick}, record.shortest, record.longest);
    record.variance_s2 =
        std::max(0.0, phase.squares / static_cast<double>(phase.count)) * tick * tick;
    record.mpi_time = run.lasted(phase.inside);
    record.delimiter_time = run.lasted(phase.in_delimiter);
    record.counted = phase.counted;
    record.counted_time = run.lasted(phase.counted_ticks);
    if (phase.counted > 0) record.counts = counts_of(phase.tally);
    records.push_back(std::move(record));
  }
  std::sort(records.begin(), records.end(),
            [](const auto& a, const auto& b) { return a.group < b.group; });
  return records;
}

std::vector<PassPeriodRecord> PhaseTracker::periods() const {
  const std::lock_guard lock(mutex_);
  auto found = periods_.period();
  if (!found) return {};
  return {{found->first, found->passes, std::move(found->groups)}};
}

std::vector<PhaseGroup> PhaseTracker::groups() const {
  std::vector<PhaseGroup> groups;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, phase] : phases_)
    groups.push_back({key, phase.begin->description, phase.end->description});
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return groups;
}

}  // namespace huddle::recorder
