#include "spank_plugin/keeper/clock_request_arbiter.hpp"

#include <algorithm>
#include <utility>

namespace huddle::keeper {
namespace {

bool is_over(const ClockAsk& ask, MonotonicNs now) {
  return ask.lease_end_ns != 0 && ask.lease_end_ns <= now;
}

}  // namespace

ClockRequestArbiter::ClockRequestArbiter(std::vector<Clock> clocks,
                                         std::chrono::nanoseconds between_lowerings)
    : between_lowerings_ns_(static_cast<std::uint64_t>(between_lowerings.count())) {
  clocks_.reserve(clocks.size());
  for (Clock& clock : clocks) clocks_.push_back({std::move(clock), {}, 0, 0});
}

void ClockRequestArbiter::join(std::size_t clock, Rank rank) {
  clocks_[clock].entries.push_back({rank, {}});
}

void ClockRequestArbiter::leave(std::size_t clock, Rank rank) {
  std::erase_if(clocks_[clock].entries, [&](const Entry& entry) { return entry.rank == rank; });
}

bool ClockRequestArbiter::ask(std::size_t clock, Rank rank, const ClockAsk& ask) {
  for (Entry& entry : clocks_[clock].entries) {
    if (entry.rank != rank) continue;
    const bool news = entry.ask != ask;
    entry.ask = ask;
    return news;
  }
  return false;
}

std::uint32_t ClockRequestArbiter::moved(std::size_t clock, std::uint32_t khz) const {
  const Clock& own = clocks_[clock].clock;
  const std::uint32_t inside = std::clamp(khz, own.envelope.least_khz, own.envelope.most_khz);
  if (own.steps_khz.empty()) return inside;
  const auto step = std::lower_bound(own.steps_khz.begin(), own.steps_khz.end(), inside);
  return step == own.steps_khz.end() ? own.envelope.most_khz
                                     : std::min(*step, own.envelope.most_khz);
}

std::uint32_t ClockRequestArbiter::wanted(std::size_t clock, const ClockAsk& ask,
                                          MonotonicNs now) const {
  if (ask.khz == 0 || ask.khz > frequency::ClockLimits::kMostKhz || is_over(ask, now))
    return clocks_[clock].clock.envelope.most_khz;
  return moved(clock, ask.khz);
}

ClockRequestArbiter::Decision ClockRequestArbiter::decide(std::size_t clock,
                                                          MonotonicNs now) const {
  const State& state = clocks_[clock];
  Decision decision;
  for (const Entry& entry : state.entries) {
    decision.khz = std::max(decision.khz, wanted(clock, entry.ask, now));
    if (entry.ask.khz != 0 && entry.ask.lease_end_ns > now)
      decision.again_ns = std::min(decision.again_ns, entry.ask.lease_end_ns);
  }
  if (state.entries.empty()) decision.khz = state.clock.envelope.most_khz;
  if (decision.khz < state.written_khz && now < state.may_lower_ns) {
    decision.khz = state.written_khz;
    decision.again_ns = std::min(decision.again_ns, state.may_lower_ns);
  }
  return decision;
}

void ClockRequestArbiter::note_written(std::size_t clock, std::uint32_t khz, MonotonicNs now) {
  State& state = clocks_[clock];
  if (khz < state.written_khz) state.may_lower_ns = now + between_lowerings_ns_;
  state.written_khz = khz;
}

ClockVerdict ClockRequestArbiter::verdict(std::size_t clock, const ClockAsk& ask,
                                          std::uint32_t written_khz, MonotonicNs now) const {
  if (ask.khz == 0) return ClockVerdict::kNoWish;
  if (is_over(ask, now)) return ClockVerdict::kLeaseOver;
  const std::uint32_t own = wanted(clock, ask, now);
  if (own == written_khz) return own == ask.khz ? ClockVerdict::kAsAsked : ClockVerdict::kMoved;
  const State& state = clocks_[clock];
  const auto asks_for_more = [&](const Entry& entry) {
    return wanted(clock, entry.ask, now) > own;
  };
  return std::any_of(state.entries.begin(), state.entries.end(), asks_for_more)
             ? ClockVerdict::kHigherAsk
             : ClockVerdict::kSoon;
}

}  // namespace huddle::keeper
