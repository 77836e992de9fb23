#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/detail/asking_calls.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/location_sums.hpp"
#include "aggregator/waitstates/replay/detail/replay_message.hpp"

namespace huddle::waitstates {

/// What an MPI call can't end without.
struct Need {
  enum class Kind : std::uint8_t {
    kMessage,   ///< a message of `channel`
    kComplete,  ///< the end of an origin's access epoch, reported through `channel`
    kAnswer,    ///< of the collective with `ticket`
  };
  Kind kind = Kind::kMessage;
  WaitPattern pattern = WaitPattern::kLateSender;
  WideKey channel;
  std::uint32_t before = 0;  ///< messages of the channel that belong to others
  std::uint32_t peer = 0;    ///< the rank at the channel's other end
  std::uint32_t ticket = kNoIndex;
  std::uint64_t posted = 0;     ///< receives: when they were posted; 0 if unknown
  std::uint64_t posted_by = 0;  ///< activity
  ReceivePost post;             ///< receives: for the probe that found the message
  Dependency dependency;        ///< collectives: what to report of it
};

/// `activity` ends a message that `sent_by` of rank `sender` began.
inline Dependency on_message(std::uint64_t activity, std::uint64_t begun_by, std::uint32_t sender,
                             std::uint64_t sent_by) {
  Dependency from;
  from.kind = DependencyKind::kMessage;
  from.activity = activity;
  from.begun_by = begun_by;
  from.on = sent_by;
  from.rank = sender;
  return from;
}

/// A message that a call has received.
struct FoundMessage {
  std::uint64_t sent = 0;               ///< when; 0: none
  std::uint64_t sent_by = kNoActivity;  ///< activity of the sender
  std::uint32_t sender = 0;             ///< rank
  ReceivePost post;
};

/// The outermost MPI call that a location is in.
struct MpiCall {
  static constexpr std::size_t kNoFrame = SIZE_MAX;

  bool open = false;
  std::size_t frame = kNoFrame;  ///< on the stack of regions; none for an event outside of MPI
  std::uint64_t activity = 0;
  Asking asking = Asking::kNothing;
  bool found = false;             ///< something began or ended in it
  std::uint64_t probe = 0;        ///< as PastAsk has it
  std::uint64_t taken_from = 0;   ///< as PastAsk has it: the probe whose message it takes next
  std::uint64_t interrupted = 0;  ///< polls: ticks in long pauses between them
  FoundMessage last_found;        ///< the one that was sent last
  Waiting waiting;
  std::uint64_t least_leave = 0;
  std::vector<Need> needs;
  std::size_t met = 0;                   ///< how many of the needs are met
  std::vector<std::uint32_t> sends;      ///< tickets of the messages that end here
  std::vector<std::uint32_t> starts;     ///< access epochs that begin here
  std::vector<std::uint32_t> completes;  ///< ... and that end here
  std::vector<Dependency> dependencies;
  std::vector<ReplayMessage> locks;  ///< of windows that it locks or unlocks: kWindowLock

  void begin(std::uint64_t enter, std::uint32_t path, std::size_t at_frame,
             std::uint64_t with_activity) {
    open = true;
    frame = at_frame;
    activity = with_activity;
    asking = Asking::kNothing;
    found = false;
    interrupted = 0;
    probe = taken_from = 0;
    last_found = FoundMessage{};
    waiting = Waiting{};
    waiting.enter = enter;
    waiting.path = path;
    least_leave = 0;
    met = 0;
    needs.clear();
    sends.clear();
    starts.clear();
    completes.clear();
    dependencies.clear();
    locks.clear();
  }
};

/// A call that is over, but of which not everything is known yet.
struct PendingCall {
  Waiting waiting;
  std::uint64_t activity = 0;
  std::uint32_t unknown = 0;  ///< how many facts are missing; 0: it was counted
  enum class Order : std::uint8_t {
    kAny,    ///< there is no late sender, or it is not in wrong order
    kOpen,   ///< LateSenderWaits keeps it
    kWrong,  ///< Late Sender in Wrong Order
  };
  Order order = Order::kAny;
};

/// An operation that a location reported to others, and their answer.
struct Ticket {
  bool answered = false;
  bool known = false;             ///< collectives: the answer holds a time
  bool detached = false;          ///< the answer is of no interest any more
  std::uint32_t call = kNoIndex;  ///< sends: the pending call that they ended in
  std::uint32_t peer = 0;         ///< rank that answered
  std::uint64_t begun_by = 0;     ///< activity
  std::uint64_t time = 0;         ///< of the answer
  std::uint64_t activity = 0;     ///< of who answered
  std::uint64_t instance = 0;     ///< collectives: as dependencies name it
};

}  // namespace huddle::waitstates
