#include "aggregator/waitstates/replay/event_queue.hpp"

#include <span>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Small, because a trace may have thousands of locations.
constexpr std::size_t kBatch = 512;

bool same_envelope(const Event& one, const Event& other) {
  return one.peer == other.peer && one.tag == other.tag && one.subject == other.subject;
}

}  // namespace

EventQueue::EventQueue(std::unique_ptr<EventStream> stream) : stream_(std::move(stream)) {}

const Event* EventQueue::front() {
  if (at_ == events_.size() && !read_more()) return nullptr;
  return &events_[at_];
}

// What the replay is done with goes when it is half of what is there: each event moves at most
// once on average.
bool EventQueue::read_more() {
  if (ended_) return false;
  if (at_ * 2 >= events_.size()) {
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(at_));
    first_ += at_;
    at_ = 0;
  }
  const std::size_t before = events_.size();
  events_.resize(before + kBatch);
  std::size_t count = 0;
  try {
    count = stream_->read(std::span(events_).subspan(before));
  } catch (const FormatError& error) {
    damage_ = error.what();
  }
  events_.resize(before + count);
  ended_ = count == 0;
  for (std::size_t index = before; index < events_.size(); ++index)
    requests_.foresee(events_[index], first_ + index);
  return !ended_;
}

bool EventQueue::foresee_end(std::uint32_t index, EventNumber reach) {
  const EventNumber limit = number() + reach;
  while (requests_[index].ended == kNotSeen && first_ + events_.size() <= limit)
    if (!read_more()) break;
  return requests_[index].ended <= limit;
}

bool EventQueue::foresee_end(std::uint32_t index) {
  return foresee_end(index, kCollectiveReach);
}

std::uint32_t EventQueue::receives_before(EventNumber posted) {
  const Event own = events_[at_];
  std::uint32_t count = 0;
  for (std::uint32_t index = requests_.first_receive(); index != kNoIndex;
       index = requests_[index].after) {
    if (requests_[index].begun >= posted) break;
    if (!foresee_end(index, kReceiveReach)) continue;
    const OpenRequest& earlier = requests_[index];
    if (!earlier.cancelled && same_envelope(earlier.end, own)) ++count;
  }
  return count;
}

}  // namespace huddle
