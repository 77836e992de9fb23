// Calls of a location that asked whether a message had come: what they waited for is known when it
// is received.

#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle::waitstates {

// The probe that found the message, if there was one, could not end before it was sent.
void ReplayLocation::probed(const Need& need, const MessageInFlight& message) {
  for (const PastAsk& probe : asks_.take_probes(message.time, need.post))
    asked_in_vain(probe, {message.time, message.activity, need.peer, need.post});
}

// `ask` waited, too, for what a later call found.
void ReplayLocation::asked_in_vain(const PastAsk& ask, const FoundMessage& found) {
  Waiting waiting;
  waiting.enter = ask.enter;
  waiting.leave = ask.leave;
  waiting.path = ask.path;
  waiting.extend(
      is_poll(ask.asking) ? WaitPattern::kLateSenderWhilePolling : WaitPattern::kLateSender,
      found.sent);
  sums_.add(waiting);
  // Polls that ended before the message was sent did not depend on it.
  if (found.sent <= ask.leave && found.sent_by != kNoActivity)
    depend(on_message(ask.activity, ask.activity, found.sender, found.sent_by));
}

// Tests that found something end their loop.
void ReplayLocation::note_asking() {
  const bool in_vain = call_.asking == Asking::kTest && !call_.found;
  if (is_probe(call_.asking) || call_.asking == Asking::kStatus || in_vain)
    asks_.add({call_.waiting.enter, call_.waiting.leave, call_.activity, receives_,
               call_.waiting.path, call_.asking, call_.probe});
  if (call_.asking != Asking::kTest || call_.last_found.sent == 0) return;
  const FoundMessage& found = call_.last_found;
  for (const PastAsk& test : asks_.take_tests(call_.waiting.path, found.sent, found.post))
    asked_in_vain(test, found);
}

}  // namespace huddle::waitstates
