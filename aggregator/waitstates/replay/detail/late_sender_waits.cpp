#include "aggregator/waitstates/replay/detail/late_sender_waits.hpp"

#include <algorithm>
#include <utility>

namespace huddle::waitstates {
namespace {

std::uint64_t& until_of(Waiting& waiting, WaitPattern pattern) {
  return waiting.until[static_cast<std::size_t>(pattern)];
}

}  // namespace

bool has_late_sender(const Waiting& waiting) {
  return waiting.until[static_cast<std::size_t>(WaitPattern::kLateSender)] > waiting.enter;
}

Waiting in_wrong_order(const Waiting& waiting) {
  Waiting changed = waiting;
  until_of(changed, WaitPattern::kLateSenderWrongOrder) =
      std::exchange(until_of(changed, WaitPattern::kLateSender), 0);
  return changed;
}

std::optional<LateSenderWait> LateSenderWaits::add(const LateSenderWait& wait) {
  std::optional<LateSenderWait> oldest;
  if (waits_.size() == kMost) oldest = take_oldest();
  waits_.push_back(wait);
  return oldest;
}

void LateSenderWaits::received(std::uint64_t sent) {
  for (auto wait = waits_.rbegin(); wait != waits_.rend() && wait->waiting.enter > sent; ++wait)
    wait->wrong_order = true;
}

void LateSenderWaits::complete(std::uint32_t pending, const Waiting& waiting) {
  const auto found = std::ranges::find(waits_, pending, &LateSenderWait::pending);
  if (found == waits_.end()) return;
  found->waiting = waiting;
  found->pending = kNoIndex;
}

std::optional<LateSenderWait> LateSenderWaits::take_oldest() {
  if (waits_.empty()) return std::nullopt;
  const LateSenderWait oldest = waits_.front();
  waits_.pop_front();
  return oldest;
}

}  // namespace huddle::waitstates
