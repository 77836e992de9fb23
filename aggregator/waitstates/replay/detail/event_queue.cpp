#include "aggregator/waitstates/replay/detail/event_queue.hpp"

#include <span>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

void OpenRequests::observe(Event& event, EventNumber number) {
  switch (event.kind) {
    case EventKind::kIsend:
    case EventKind::kIrecvRequest:
    case EventKind::kCollectiveRequest:
      begin(event, number);
      break;
    case EventKind::kIsendComplete:
    case EventKind::kIrecv:
    case EventKind::kCollectiveComplete:
    case EventKind::kRequestCancelled:
      end(event, number);
      break;
    default:
      break;
  }
}

void OpenRequests::begin(Event& event, EventNumber number) {
  const std::uint32_t index = pool_.acquire();
  OpenRequest& opened = pool_[index];
  opened = OpenRequest{};
  opened.request = event.request;
  opened.begun = number;
  opened.kind = event.kind;
  event.group = index;
  // A request of the same number that never ended stays open: it is counted at the end.
  by_request_[{0, event.request}] = index;
  if (event.kind != EventKind::kIrecvRequest) return;
  // MPI_Imrecv: the number that its probe began ends, and at once another one goes on. Its place is
  // that of the probe, where MPI chose the message.
  const bool goes_on = cancelled_ != kNoIndex && number == pool_[cancelled_].ended + 1 &&
                       event.time == pool_[cancelled_].end.time &&
                       pool_[cancelled_].kind == EventKind::kIrecvRequest;
  if (goes_on) opened.begun = pool_[cancelled_].begun;
  opened.before = goes_on ? cancelled_ : last_receive_;
  opened.after = goes_on ? pool_[cancelled_].after : kNoIndex;
  (opened.before == kNoIndex ? first_receive_ : pool_[opened.before].after) = index;
  (opened.after == kNoIndex ? last_receive_ : pool_[opened.after].before) = index;
}

void OpenRequests::end(Event& event, EventNumber number) {
  const auto begins = [](EventKind end) {
    if (end == EventKind::kIsendComplete) return EventKind::kIsend;
    return end == EventKind::kIrecv ? EventKind::kIrecvRequest : EventKind::kCollectiveRequest;
  };
  event.group = kNoIndex;
  const std::uint32_t* const known = find_in(by_request_, {0, event.request});
  if (known == nullptr) return;
  OpenRequest& ended = pool_[*known];
  const bool cancelled = event.kind == EventKind::kRequestCancelled;
  if (!cancelled && ended.kind != begins(event.kind)) return;
  ended.ended = number;
  ended.cancelled = cancelled;
  ended.end = event;
  event.group = *known;
  cancelled_ = cancelled ? *known : kNoIndex;
  by_request_.erase({0, event.request});
}

void OpenRequests::release(std::uint32_t index) {
  const OpenRequest& gone = pool_[index];
  if (cancelled_ == index) cancelled_ = kNoIndex;
  if (gone.kind == EventKind::kIrecvRequest) {
    (gone.before == kNoIndex ? first_receive_ : pool_[gone.before].after) = gone.after;
    (gone.after == kNoIndex ? last_receive_ : pool_[gone.after].before) = gone.before;
  }
  pool_.release(index);
}

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

const Event* EventQueue::behind_front() {
  // To read on moves what is before.
  if (at_ + 1 == events_.size() && !read_more()) return nullptr;
  return &events_[at_ + 1];
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
  const Event own = events_[at_];
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

}  // namespace huddle
