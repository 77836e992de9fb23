#include "spank_plugin/keeper/clock_writer.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace huddle::keeper {
namespace {

// A write takes ten microseconds or so, more where the hardware is asked at once: what a rank
// raises waits for no more than these.
constexpr std::size_t kLoweringsAtOnce = 16;
// Readings take at most one part in so many of the time: some kernels answer after 10 ms.
constexpr std::uint64_t kReadingShare = 20;
constexpr int kTopTries = 5;
constexpr std::chrono::milliseconds kTopPause{1};

}  // namespace

ClockWriter::ClockWriter(const ClockEnvelope& envelope, ClockRequestArbiter& arbiter,
                         const Paces& paces)
    : envelope_(envelope), arbiter_(arbiter), paces_(paces), states_(envelope.clocks().size()) {
  looked_at_.reserve(states_.size());
  lowerings_.reserve(states_.size());
}

void ClockWriter::look_at(std::size_t clock) {
  states_[clock].due_ns = 0;
}

std::span<const std::size_t> ClockWriter::write_due(MonotonicNs now) {
  looked_at_.clear();
  lowerings_.clear();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    // Not always from the first one: there may be more to lower than there is time for.
    const std::size_t clock = (first_ + i) % states_.size();
    const State& state = states_[clock];
    if (state.due_ns > now) continue;
    looked_at_.push_back(clock);
    if (state.retry_ns > now) continue;
    const ClockRequestArbiter::Decision decision = arbiter_.decide(clock, now);
    if (decision.khz < state.written_khz)
      lowerings_.push_back(clock);
    else
      write(clock, decision, now);
  }
  for (std::size_t i = 0; i < std::min(lowerings_.size(), kLoweringsAtOnce); ++i) {
    write(lowerings_[i], arbiter_.decide(lowerings_[i], now), now);
    first_ = (lowerings_[i] + 1) % states_.size();
  }
  return looked_at_;
}

void ClockWriter::write(std::size_t clock, const ClockRequestArbiter::Decision& decision,
                        MonotonicNs now) {
  State& state = states_[clock];
  if (decision.khz != state.written_khz) {
    if (envelope_.write_most(clock, decision.khz) != 0) {
      ++counts_.failed_writes;
      state.retry_after_ns =
          std::clamp(2 * state.retry_after_ns, ns_of(paces_.first_retry), ns_of(paces_.last_retry));
      state.retry_ns = now + state.retry_after_ns;
      state.due_ns = 0;
      return;
    }
    ++counts_.writes;
    state.written_khz = decision.khz;
    state.changed_ns = monotonic_now();
    arbiter_.note_written(clock, decision.khz, now);
    state.read_ns = state.changed_ns + ns_of(paces_.settling);
  }
  state.retry_after_ns = 0;
  state.retry_ns = 0;
  state.due_ns = decision.again_ns;
  if (state.read_ns == kNever && arbiter_.has_ranks(clock)) state.read_ns = now;
}

std::optional<std::size_t> ClockWriter::read_due(MonotonicNs now) {
  if (now < may_read_ns_) return std::nullopt;
  const auto earliest =
      std::min_element(states_.begin(), states_.end(),
                       [](const State& a, const State& b) { return a.read_ns < b.read_ns; });
  if (earliest == states_.end() || earliest->read_ns > now) return std::nullopt;
  const auto clock = static_cast<std::size_t>(earliest - states_.begin());
  const MonotonicNs begin = monotonic_now();
  earliest->achieved_khz = envelope_.current_khz(clock);
  const MonotonicNs end = monotonic_now();
  ++counts_.readings;
  may_read_ns_ = end + kReadingShare * (end - begin);
  earliest->read_ns = arbiter_.has_ranks(clock) ? end + ns_of(paces_.between_readings) : kNever;
  return clock;
}

MonotonicNs ClockWriter::next() const {
  MonotonicNs next = kNever;
  MonotonicNs reading = kNever;
  for (const State& state : states_) {
    next = std::min(next, std::max(state.due_ns, state.retry_ns));
    reading = std::min(reading, state.read_ns);
  }
  return std::min(next, reading == kNever ? kNever : std::max(reading, may_read_ns_));
}

ClockAnswer ClockWriter::answer(std::size_t clock, const ClockAsk& ask, MonotonicNs now) const {
  const State& state = states_[clock];
  ClockAnswer answer;
  answer.written_khz = state.written_khz;
  answer.achieved_khz = state.achieved_khz;
  answer.changed_at_ns = state.changed_ns;
  answer.verdict = state.retry_after_ns != 0 ? ClockVerdict::kRefused
                                             : arbiter_.verdict(clock, ask, state.written_khz, now);
  return answer;
}

// All of them are written to, also those that have it as far as is known: somebody else may have
// changed them.
bool ClockWriter::write_tops() {
  std::vector<std::size_t> left(states_.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (int i = 0; i < kTopTries && !left.empty(); ++i) {
    if (i > 0) std::this_thread::sleep_for(kTopPause);
    std::erase_if(left, [&](std::size_t clock) {
      const std::uint32_t top = envelope_.clocks()[clock].limits.most_khz;
      const bool done = envelope_.write_most(clock, top) == 0;
      ++(done ? counts_.writes : counts_.failed_writes);
      if (done) states_[clock].written_khz = top;
      return done;
    });
  }
  return left.empty();
}

}  // namespace huddle::keeper
