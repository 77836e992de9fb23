// What the events inside of MPI calls tell others, and what they make the calls wait for: messages
// and their requests.

#include "aggregator/waitstates/replay/replay_location.hpp"

namespace huddle {

// An event outside of any MPI call is a call of no length: partners must find it, but nobody waits
// in it.
void ReplayLocation::operation(const Event& event) {
  const bool alone = !call_.open;
  if (alone) {
    const std::uint32_t path = frames_.empty() ? CallPath::kRoot : frames_.back().path;
    call_.begin(std::max(clock_.at(event.time), now_), path, MpiCall::kNoFrame, activities_);
  }
  switch (event.kind) {
    case EventKind::kSend:
    case EventKind::kIsend:
      send(event);
      break;
    case EventKind::kIsendComplete:
      send_ends(event);
      break;
    case EventKind::kIrecvRequest:
      queue_.requests()[event.group].begin_time = alone ? 0 : call_.waiting.enter;
      queue_.requests()[event.group].begin_activity = activities_;
      break;
    case EventKind::kRecv:
      receive(event, alone ? 0 : call_.waiting.enter, activities_, queue_.number());
      break;
    case EventKind::kIrecv:
      request_receive_ends(event);
      break;
    case EventKind::kRequestCancelled:
      request_cancelled(event);
      break;
    case EventKind::kCollectiveEnd:
      collective_ends(event);
      break;
    case EventKind::kCollectiveRequest:
      collective_requested(event);
      break;
    case EventKind::kCollectiveComplete:
      collective_request_ends(event);
      break;
    default:
      window_operation(event);
      break;
  }
  if (!alone) return;
  raw_leave_ = event.time;
  frames_left_ = frames_.size();
  finishing_ = true;
  finish();
}

void ReplayLocation::send(const Event& event) {
  if (event.peer >= context_.definitions.ranks.size()) return;
  const std::uint32_t index = tickets_.acquire();
  tickets_[index] = Ticket{};
  tickets_[index].begun_by = activities_;
  ++unanswered_;
  if (event.kind == EventKind::kSend) {
    call_.sends.push_back(index);
  } else {
    queue_.requests()[event.group].ticket = index;
  }
  ReplayMessage message;
  message.kind = ReplayMessageKind::kMessage;
  message.to = event.peer;
  message.from = rank_;
  message.subject = event.subject;
  message.tag = event.tag;
  message.location = location_;
  message.ticket = index;
  message.time = call_.waiting.enter;
  message.activity = activities_;
  context_.route.tell(message);
}

void ReplayLocation::send_ends(const Event& event) {
  if (event.group == kNoIndex) return;
  const std::uint32_t ticket = queue_.requests()[event.group].ticket;
  queue_.requests().release(event.group);
  if (ticket != kNoIndex) call_.sends.push_back(ticket);
}

void ReplayLocation::receive(const Event& event, std::uint64_t posted, std::uint64_t posted_by,
                             EventNumber posted_at) {
  if (event.peer >= context_.definitions.ranks.size()) return;
  Need need;
  need.kind = Need::Kind::kMessage;
  need.pattern = WaitPattern::kLateSender;
  need.channel = Mailboxes::channel(rank_, event.peer, event.subject, event.tag);
  need.before = queue_.receives_before(posted_at);
  need.peer = event.peer;
  need.posted = posted;
  need.posted_by = posted_by;
  call_.needs.push_back(need);
}

// Without its begin, nobody knows when it was posted: the sender then did not wait for that.
void ReplayLocation::request_receive_ends(const Event& event) {
  if (event.group == kNoIndex) {
    receive(event, 0, activities_, queue_.number());
    return;
  }
  const OpenRequest request = queue_.requests()[event.group];
  receive(event, request.begin_time, request.begin_activity, request.begun);
  queue_.requests().release(event.group);
}

void ReplayLocation::request_cancelled(const Event& event) {
  if (event.group == kNoIndex) return;
  const std::uint32_t index = queue_.requests()[event.group].ticket;
  queue_.requests().release(event.group);
  if (index != kNoIndex) forget(index);
}

// What is answered or not: nobody will ask.
void ReplayLocation::forget(std::uint32_t ticket) {
  if (tickets_[ticket].answered) {
    tickets_.release(ticket);
  } else {
    tickets_[ticket].detached = true;
  }
}

}  // namespace huddle
