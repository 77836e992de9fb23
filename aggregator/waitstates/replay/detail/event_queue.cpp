#include "aggregator/waitstates/replay/detail/event_queue.hpp"

#include <utility>

namespace huddle::waitstates {

void OpenRequests::observe(const traces::Event& event, EventNumber number) {
  switch (event.kind) {
    case traces::EventKind::kIsend:
    case traces::EventKind::kIrecvRequest:
    case traces::EventKind::kCollectiveRequest:
      begin(event, number);
      break;
    case traces::EventKind::kIsendComplete:
    case traces::EventKind::kIrecv:
    case traces::EventKind::kCollectiveComplete:
    case traces::EventKind::kRequestCancelled:
      end(event, number);
      break;
    default:
      break;
  }
}

void OpenRequests::begin(const traces::Event& event, EventNumber number) {
  const std::uint32_t index = event.group;
  if (index >= open_.size()) open_.resize(index + 1);
  ++living_;
  OpenRequest& opened = open_[index];
  opened = OpenRequest{};
  opened.begun = number;
  opened.kind = event.kind;
  if (event.kind != traces::EventKind::kIrecvRequest) return;
  // MPI_Imrecv: the number that its probe began ends, and at once another one goes on. Its place is
  // that of the probe, where MPI chose the message.
  const bool goes_on = cancelled_ != kNoIndex && number == open_[cancelled_].ended + 1 &&
                       event.time == open_[cancelled_].end.time &&
                       open_[cancelled_].kind == traces::EventKind::kIrecvRequest;
  if (goes_on) opened.begun = open_[cancelled_].begun;
  opened.before = goes_on ? cancelled_ : last_receive_;
  opened.after = goes_on ? open_[cancelled_].after : kNoIndex;
  (opened.before == kNoIndex ? first_receive_ : open_[opened.before].after) = index;
  (opened.after == kNoIndex ? last_receive_ : open_[opened.after].before) = index;
}

void OpenRequests::end(const traces::Event& event, EventNumber number) {
  if (event.group == kNoIndex) return;
  OpenRequest& ended = open_[event.group];
  ended.ended = number;
  ended.cancelled = event.kind == traces::EventKind::kRequestCancelled;
  ended.end = event;
  cancelled_ = ended.cancelled ? event.group : kNoIndex;
}

void OpenRequests::release(std::uint32_t index) {
  const OpenRequest& gone = open_[index];
  if (cancelled_ == index) cancelled_ = kNoIndex;
  if (gone.kind == traces::EventKind::kIrecvRequest) {
    (gone.before == kNoIndex ? first_receive_ : open_[gone.before].after) = gone.after;
    (gone.after == kNoIndex ? last_receive_ : open_[gone.after].before) = gone.before;
  }
  --living_;
  released_.push_back(index);
}

namespace {

bool same_envelope(const traces::Event& one, const traces::Event& other) {
  return one.peer == other.peer && one.tag == other.tag && one.subject == other.subject;
}

}  // namespace

EventQueue::EventQueue(ReadAhead& reading, std::unique_ptr<traces::EventStream> stream)
    : reading_(reading), location_(reading.add(std::move(stream))) {}

const traces::Event* EventQueue::front() {
  if (at_ == events_.size() && !read_more()) return nullptr;
  return &events_[at_];
}

const traces::Event* EventQueue::behind_front() {
  // To read on moves what is before.
  if (at_ + 1 == events_.size() && !read_more()) return nullptr;
  return &events_[at_ + 1];
}

// Mostly nothing is left: then the batches only change places. Otherwise, what the replay is done
// with goes when it is half of what is there: each event moves at most once on average.
bool EventQueue::read_more() {
  if (ended_) return false;
  const bool nothing_left = at_ == events_.size();
  if (at_ * 2 >= events_.size()) {
    if (!nothing_left)
      events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(at_));
    first_ += at_;
    at_ = 0;
  }
  if (nothing_left) std::swap(events_, batch_.events);
  std::swap(batch_.released, requests_.released());
  reading_.next(location_, batch_);
  if (!batch_.damage.empty()) damage_ = batch_.damage;
  ended_ = batch_.events.empty();
  std::size_t before = 0;
  if (nothing_left) {
    std::swap(events_, batch_.events);
  } else {
    before = events_.size();
    events_.insert(events_.end(), batch_.events.begin(), batch_.events.end());
  }
  for (std::size_t index = before; index < events_.size(); ++index)
    requests_.observe(events_[index], first_ + index);
  return !ended_;
}

bool EventQueue::find_end(std::uint32_t index, EventNumber reach) {
  const EventNumber limit = number() + reach;
  while (requests_[index].ended == kNotSeen && first_ + events_.size() <= limit)
    if (!read_more()) break;
  // What is behind a cancelled one's end may go on with it.
  if (requests_[index].cancelled && requests_[index].ended + 1 == first_ + events_.size())
    read_more();
  return requests_[index].ended <= limit;
}

bool EventQueue::find_end(std::uint32_t index) {
  return find_end(index, kCollectiveReach);
}

std::uint32_t EventQueue::receives_before(EventNumber posted) {
  const traces::Event own = events_[at_];
  std::uint32_t count = 0;
  for (std::uint32_t index = requests_.first_receive(); index != kNoIndex;
       index = requests_[index].after) {
    if (requests_[index].begun >= posted) break;
    if (!find_end(index, kReceiveReach)) continue;
    const OpenRequest& earlier = requests_[index];
    if (!earlier.cancelled && same_envelope(earlier.end, own)) ++count;
  }
  return count;
}

}  // namespace huddle::waitstates
