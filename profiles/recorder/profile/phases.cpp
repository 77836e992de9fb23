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

PhaseTracker::Phase& PhaseTracker::phase_between(Phases& phases, const CallSite& begin,
                                                 const CallSite& end) {
  const Key key = key_of(begin, end);
  const auto known = phases.find(key);
  if (known != phases.end()) {
    ended_ = key;
    return known->second;
  }
  const bool room = phases.size() < kMostPhases;
  ended_ = room ? key : key_of(others_, others_);
  Phase& phase = phases[ended_];
  phase.begin = room ? &begin : &others_;
  phase.end = room ? &end : &others_;
  return phase;
}

void PhaseTracker::stop_counting() noexcept {
  if (counting_) counters_->end_pass();
  counted_ = std::exchange(counting_, false);
}

void PhaseTracker::end_phase(const CallSite& site, std::uint64_t now, std::uint64_t inside,
                             PassPlacement placement) {
  const std::uint64_t between = now > began_ ? now - began_ : 0;
  const std::uint64_t in_mpi = std::min(inside - inside_before_, between);
  {
    const std::lock_guard lock(mutex_);
    Phase& phase =
        phase_between(phases_by_placement_[static_cast<std::size_t>(placement)], *began_at_, site);
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
  placement_ = placement;
  delimiter_began_ = now;
  pass_ = between;
}

void PhaseTracker::end_delimiter(std::uint64_t now) noexcept {
  if (ended_ == 0) return;
  const std::lock_guard lock(mutex_);
  phases_by_placement_[static_cast<std::size_t>(placement_)].find(ended_)->second.in_delimiter +=
      now - delimiter_began_;
  if (placement_ != PassPlacement::kUsual) {
    const auto known = usual().find(ended_);
    const double expected = known == usual().end() ? 0 : known->second.mean_cycle();
    extra_ +=
        static_cast<std::int64_t>(static_cast<double>(pass_ + now - delimiter_began_) - expected);
  }
  ended_ = 0;
}

void PhaseTracker::begin_phase(std::uint64_t now, std::uint64_t inside) noexcept {
  end_delimiter(now);
  began_ = now;
  inside_before_ = inside;
  counting_ = counters_ != nullptr && counters_->begin_pass(now);
}

std::uint64_t PhaseTracker::longest_period(std::uint64_t elapsed) const {
  static constexpr std::uint64_t kOften = 8;
  static constexpr double kShare = 0.05;
  std::uint64_t fewest = 0;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, phase] : usual()) {
    const double time = static_cast<double>(phase.count) * phase.mean_cycle();
    if (phase.count < kOften || time < kShare * static_cast<double>(elapsed)) continue;
    if (fewest == 0 || phase.count < fewest) fewest = phase.count;
  }
  return fewest == 0 ? 0 : elapsed / fewest;
}

std::vector<PhaseRecord> PhaseTracker::records(
    const Interval& run,
    const std::function<std::vector<double>(const counters::Tally&)>& counts_of,
    PassPlacement placement) const {
  std::vector<PhaseRecord> records;
  const double tick = run.lasted(1).value;
  const std::lock_guard lock(mutex_);
  const Phases& phases = phases_by_placement_[static_cast<std::size_t>(placement)];
  records.reserve(phases.size());
  for (const auto& [key, phase] : phases) {
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
  for (const Phases& phases : phases_by_placement_)
    for (const auto& [key, phase] : phases)
      groups.push_back({key, phase.begin->description, phase.end->description});
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  const auto same = [](const auto& a, const auto& b) { return a.id == b.id; };
  groups.erase(std::unique(groups.begin(), groups.end(), same), groups.end());
  return groups;
}

}  // namespace huddle::recorder
