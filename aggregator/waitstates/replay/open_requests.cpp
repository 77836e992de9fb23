#include "aggregator/waitstates/replay/open_requests.hpp"

namespace huddle {

void OpenRequests::foresee(Event& event, EventNumber number) {
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
  opened.before = last_receive_;
  (last_receive_ == kNoIndex ? first_receive_ : pool_[last_receive_].after) = index;
  last_receive_ = index;
}

void OpenRequests::end(Event& event, EventNumber number) {
  const auto begins = [](EventKind end) {
    if (end == EventKind::kIsendComplete) return EventKind::kIsend;
    return end == EventKind::kIrecv ? EventKind::kIrecvRequest : EventKind::kCollectiveRequest;
  };
  event.group = kNoIndex;
  const std::uint32_t* const known = by_request_.find({0, event.request});
  if (known == nullptr) return;
  OpenRequest& ended = pool_[*known];
  const bool cancelled = event.kind == EventKind::kRequestCancelled;
  if (!cancelled && ended.kind != begins(event.kind)) return;
  ended.ended = number;
  ended.cancelled = cancelled;
  ended.end = event;
  event.group = *known;
  by_request_.erase({0, event.request});
}

void OpenRequests::release(std::uint32_t index) {
  const OpenRequest& gone = pool_[index];
  if (gone.kind == EventKind::kIrecvRequest) {
    (gone.before == kNoIndex ? first_receive_ : pool_[gone.before].after) = gone.after;
    (gone.after == kNoIndex ? last_receive_ : pool_[gone.after].before) = gone.before;
  }
  pool_.release(index);
}

}  // namespace huddle
