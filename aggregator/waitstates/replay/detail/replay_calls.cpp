// MPI calls of a location: what the events in them report to others and make them wait for, and
// what the end of a call has waited for.

#include <algorithm>
#include <utility>

#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle::waitstates {
// An event outside of any MPI call is a call of no length: partners must find it, but nobody waits
// in it.
void ReplayLocation::operation(const traces::Event& event) {
  const bool alone = !call_.open;
  if (alone) {
    const std::uint32_t path = frames_.empty() ? CallPath::kRoot : frames_.back().path;
    call_.begin(std::max(clock_.at(event.time), now_), path, MpiCall::kNoFrame, activities_);
  }
  if (event.kind != traces::EventKind::kRequestTested) call_.found = true;
  switch (event.kind) {
    case traces::EventKind::kSend:
    case traces::EventKind::kIsend:
      send(event);
      break;
    case traces::EventKind::kIsendComplete:
      send_ends(event);
      break;
    case traces::EventKind::kIrecvRequest:
      queue_.requests()[event.group].begin_time = alone ? 0 : call_.waiting.enter;
      queue_.requests()[event.group].begin_activity = activities_;
      queue_.requests()[event.group].post = next_post();
      break;
    case traces::EventKind::kRecv:
      receive(event, alone ? 0 : call_.waiting.enter, activities_, queue_.number(), next_post());
      break;
    case traces::EventKind::kIrecv:
      request_receive_ends(event);
      break;
    case traces::EventKind::kRequestCancelled:
      request_cancelled(event);
      break;
    case traces::EventKind::kCollectiveEnd:
      collective_ends(event);
      break;
    case traces::EventKind::kCollectiveRequest:
      collective_requested(event);
      break;
    case traces::EventKind::kCollectiveComplete:
      collective_request_ends(event);
      break;
    case traces::EventKind::kFileCollective:
      file_access(event);
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

void ReplayLocation::send(const traces::Event& event) {
  if (event.peer >= context_.definitions.ranks.size()) return;
  const std::uint32_t index = tickets_.acquire();
  tickets_[index] = Ticket{};
  tickets_[index].begun_by = activities_;
  ++unanswered_;
  if (event.kind == traces::EventKind::kSend) {
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
  context_.route.send(message);
}

void ReplayLocation::send_ends(const traces::Event& event) {
  if (event.group == kNoIndex) return;
  const std::uint32_t ticket = queue_.requests()[event.group].ticket;
  queue_.requests().release(event.group);
  if (ticket != kNoIndex) call_.sends.push_back(ticket);
}

ReceivePost ReplayLocation::next_post() {
  // What a matched probe has found is posted when it is received.
  if (call_.asking == Asking::kMatchedProbe || call_.asking == Asking::kPollingMatchedProbe) {
    call_.probe = ++matched_probes_;
    return {receives_, true, call_.probe, false};
  }
  const std::uint64_t found_by = std::exchange(call_.taken_from, 0);
  return {receives_++, call_.asking == Asking::kMatchedReceive, found_by, true};
}

void ReplayLocation::receive(const traces::Event& event, std::uint64_t posted,
                             std::uint64_t posted_by, EventNumber posted_at,
                             const ReceivePost& post) {
  if (event.peer >= context_.definitions.ranks.size()) return;
  Need need;
  need.kind = Need::Kind::kMessage;
  need.pattern =
      is_poll(call_.asking) ? WaitPattern::kLateSenderWhilePolling : WaitPattern::kLateSender;
  need.channel = Mailboxes::channel(rank_, event.peer, event.subject, event.tag);
  need.before = queue_.receives_before(posted_at);
  need.peer = event.peer;
  need.posted = posted;
  need.posted_by = posted_by;
  need.post = post;
  call_.needs.push_back(need);
}

// Without its begin, nobody knows when it was posted: the sender then did not wait for that.
void ReplayLocation::request_receive_ends(const traces::Event& event) {
  if (event.group == kNoIndex) {
    receive(event, 0, activities_, queue_.number(), next_post());
    return;
  }
  const OpenRequest request = queue_.requests()[event.group];
  if (!request.post.posted) {
    const std::uint64_t posted = call_.frame == MpiCall::kNoFrame ? 0 : call_.waiting.enter;
    receive(event, posted, activities_, request.begun, request.post);
    ++receives_;
  } else {
    receive(event, request.begin_time, request.begin_activity, request.begun, request.post);
  }
  queue_.requests().release(event.group);
}

void ReplayLocation::request_cancelled(const traces::Event& event) {
  if (event.group == kNoIndex) return;
  const std::uint32_t index = queue_.requests()[event.group].ticket;
  // MPI_Imrecv goes on with what a probe has found under a number of its own.
  if (call_.asking == Asking::kMatchedReceive)
    call_.taken_from = queue_.requests()[event.group].post.probe;
  static_cast<void>(queue_.behind_front());  // what goes on with the request must see it
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

// The end of an MPI call: what it waited for, and for how long.

bool ReplayLocation::finish_call() {
  for (; call_.met < call_.needs.size(); ++call_.met)
    if (!meet(call_.needs[call_.met])) return false;
  clock_.set_forward(raw_leave_, call_.least_leave);
  close_call(std::max(clock_.at(raw_leave_), call_.waiting.enter));
  return true;
}

bool ReplayLocation::meet(Need& need) {
  if (need.kind == Need::Kind::kAnswer) return meet_answer(need);
  // Known to be lost since nothing moved: no need to wait for that again.
  if (meet_message(need)) return true;
  if (!context_.ended_ranks.empty() && context_.ended_ranks[need.peer]) {
    context_.mailboxes.leave(need.channel);
    ++context_.anomalies.receives_without_send;
    return true;
  }
  context_.mailboxes.wait(need.channel, location_);
  return false;
}

bool ReplayLocation::meet_message(Need& need) {
  MessageInFlight message;
  if (!context_.mailboxes.take(need.channel, need.before, message)) return false;
  call_.waiting.extend(need.pattern, message.time);
  cause(message.time);
  if (need.kind == Need::Kind::kMessage) {
    late_senders_.received(message.time);
    ReplayMessage posted;
    posted.kind = ReplayMessageKind::kReceiverPosted;
    posted.to = message.location;
    posted.from = rank_;
    posted.ticket = message.ticket;
    posted.time = need.posted;
    posted.activity = need.posted_by;
    context_.route.send(posted);
    probed(need, message);
    if (message.time > call_.last_found.sent)
      call_.last_found = {message.time, message.activity, need.peer, need.post};
  }
  if (reports_activities_ && message.activity != kNoActivity)
    call_.dependencies.push_back(
        on_message(call_.activity, need.posted_by, need.peer, message.activity));
  return true;
}

bool ReplayLocation::meet_answer(Need& need) {
  const Ticket& ticket = tickets_[need.ticket];
  if (!ticket.answered) return false;
  const bool alone = need.pattern == WaitPattern::kWaitAtFileAccess &&
                     ticket.time > std::max(clock_.at(raw_leave_), call_.waiting.enter);
  if (alone) need.dependency.kind = DependencyKind::kCollectivePart;
  if (ticket.known) {
    if (!alone) call_.waiting.extend(need.pattern, ticket.time);
    // Only a barrier is never left before all have come: of the others some need nothing of some,
    // as where counts are 0, or a fence opens a window's first epoch.
    if (need.pattern == WaitPattern::kWaitAtBarrier) cause(ticket.time);
    if (reports_activities_) depend_on_collective(need.dependency);
  }
  tickets_.release(need.ticket);
  return true;
}

// The call can't have ended before `time`.
void ReplayLocation::cause(std::uint64_t time) {
  call_.least_leave = std::max(call_.least_leave, time);
  const std::uint64_t leave = clock_.at(raw_leave_);
  if (time <= leave) return;
  ++context_.anomalies.clock_violations;
  std::uint64_t& largest = context_.anomalies.largest_clock_violation;
  largest = std::max(largest, time - leave);
}

void ReplayLocation::close_call(std::uint64_t leave) {
  const bool inside = call_.frame != MpiCall::kNoFrame;
  call_.waiting.leave = inside ? leave : call_.waiting.enter;
  sums_.add_mpi(call_.waiting.enter, call_.waiting.leave);
  if (inside && reports_activities_) report_activity(leave);
  if (inside) note_asking();
  if (inside) report_locks();
  if (!call_.sends.empty() || !call_.starts.empty() || !call_.completes.empty()) {
    keep_pending();
  } else if (has_late_sender(call_.waiting)) {
    keep_late_sender(call_.waiting, kNoIndex);
  } else {
    sums_.add(call_.waiting);
  }
  spend_until(std::max(leave, now_));
  call_.open = false;
}

void ReplayLocation::report_activity(std::uint64_t leave) {
  Activity activity;
  activity.enter = call_.waiting.enter - context_.begin;
  activity.leave = leave - context_.begin;
  activity.call_path = call_.waiting.path;
  activity.before = since_.parts().empty() ? CallPath::kRoot : since_.parts().back().path;
  context_.sink->add(rank_, activity);
  ++activities_;
  since_.clear();
  for (const Dependency& dependency : call_.dependencies) depend(dependency);
}

void ReplayLocation::depend(const Dependency& dependency) {
  if (reports_activities_) context_.sink->add(rank_, dependency);
}

// The receivers' answers may have come already, or come later.
void ReplayLocation::keep_pending() {
  const std::uint32_t index = pending_.acquire();
  const bool late = has_late_sender(call_.waiting);
  pending_[index] = {call_.waiting, call_.activity, 1,
                     late ? PendingCall::Order::kOpen : PendingCall::Order::kAny};
  if (late) keep_late_sender(call_.waiting, index);
  for (const std::uint32_t send : call_.sends) {
    Ticket& ticket = tickets_[send];
    if (ticket.answered) {
      settle_send(index, ticket);
      tickets_.release(send);
    } else {
      ticket.call = index;
      ++pending_[index].unknown;
    }
  }
  for (const std::uint32_t start : call_.starts) {
    AccessEpoch& epoch = epochs_[start];
    epoch.start = index;
    epoch.start_leave = call_.waiting.leave;
    ++pending_[index].unknown;
    if (epochs_.await(start, context_.definitions.groups[epoch.group])) {
      settle_epoch(start);
    } else {
      ++unanswered_;
    }
  }
  for (const std::uint32_t complete : call_.completes) {
    AccessEpoch& epoch = epochs_[complete];
    epoch.complete = index;
    ++pending_[index].unknown;
    if (epoch.registered && epoch.missing == 0) settle_epoch(complete);
  }
  one_thing_known(index);
}

void ReplayLocation::settle_send(std::uint32_t call, const Ticket& ticket) {
  PendingCall& pending = pending_[call];
  if (ticket.time <= pending.waiting.enter || ticket.time >= pending.waiting.leave) return;
  pending.waiting.extend(WaitPattern::kLateReceiver, ticket.time);
  Dependency receiver;
  receiver.kind = DependencyKind::kReceiver;
  receiver.activity = pending.activity;
  receiver.begun_by = ticket.begun_by;
  receiver.on = ticket.activity;
  receiver.rank = ticket.peer;
  if (ticket.activity != kNoActivity) depend(receiver);
}

void ReplayLocation::one_thing_known(std::uint32_t call) {
  if (--pending_[call].unknown > 0) return;
  count(call);
  pending_.release(call);
}

bool ReplayLocation::receiver_posted(const ReplayMessage& posted) {
  Ticket& ticket = tickets_[posted.ticket];
  --unanswered_;
  ticket.answered = true;
  ticket.time = posted.time;
  ticket.activity = posted.activity;
  ticket.peer = posted.from;
  if (ticket.call != kNoIndex) {
    const std::uint32_t call = ticket.call;
    settle_send(call, ticket);
    one_thing_known(call);
    tickets_.release(posted.ticket);
  } else if (ticket.detached) {
    tickets_.release(posted.ticket);
  }
  if (state_ != State::kPaused || unanswered_ > window_ / 2) return false;
  state_ = State::kReady;
  return true;
}

bool ReplayLocation::answered(const ReplayMessage& answer) {
  Ticket& ticket = tickets_[answer.ticket];
  --unanswered_;
  ticket.answered = true;
  ticket.known = answer.known;
  ticket.time = answer.time;
  if (ticket.detached) tickets_.release(answer.ticket);
  if (state_ == State::kBlocked) return wake();
  if (state_ != State::kPaused || unanswered_ > window_ / 2) return false;
  state_ = State::kReady;
  return true;
}

// What is not known by now never will be.
void ReplayLocation::close() {
  context_.anomalies.requests_without_end += queue_.requests().living();
  while (const auto oldest = late_senders_.take_oldest()) count(*oldest);
  std::uint32_t call = 0;
  pending_.for_each([&](PendingCall& pending) {
    if (pending.unknown > 0) count(call);
    pending.unknown = 0;
    ++call;
  });
}

}  // namespace huddle::waitstates
