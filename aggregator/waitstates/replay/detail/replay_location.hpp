#pragma once

// The replay of one location: its clock, and what each of its calls waited for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/detail/asking_calls.hpp"
#include "aggregator/waitstates/replay/detail/collective_matcher.hpp"
#include "aggregator/waitstates/replay/detail/computation_parts.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/event_queue.hpp"
#include "aggregator/waitstates/replay/detail/late_sender_waits.hpp"
#include "aggregator/waitstates/replay/detail/location_sums.hpp"
#include "aggregator/waitstates/replay/detail/matching.hpp"
#include "aggregator/waitstates/replay/detail/mpi_call.hpp"
#include "aggregator/waitstates/replay/detail/replay_message.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// Delivers messages to the ranks and locations they are for.
class ReplayMessageRoute {
 public:
  virtual ~ReplayMessageRoute() = default;
  virtual void send(const ReplayMessage& message) = 0;
};

/// What the locations of a replay share.
struct ReplayContext {
  const traces::TraceDefinitions& definitions;
  ReadAhead& reading;
  Members& members;
  Mailboxes& mailboxes;
  TeamBarriers& teams;
  ReplayMessageRoute& route;
  const WaitCost& cost;
  const MeasuredPower& power;
  std::vector<Asking> asking;       ///< by region
  std::uint64_t polling_pause = 0;  ///< ticks between two polls of one call, at most
  std::uint64_t begin = 0;          ///< of the report: activities' times are relative to it
  ActivitySink* sink = nullptr;     ///< may be null
  FlatMap<std::uint64_t> numbers;   ///< of the next collective, by rank and subject
  /// As of the last standstill: these will do nothing more.
  std::vector<bool> ended_ranks;
  std::vector<bool> ended_locations;
  TraceAnomalies anomalies;
};

/// A location's clock, set forward where the trace's would break causality (a controlled logical
/// clock, after Rabenseifner). What it was set forward by is given back as the location's own time
/// goes on, at most 1 tick in 128, so that times never fall and intervals hardly shrink.
class CorrectedClock {
 public:
  [[nodiscard]] std::uint64_t at(std::uint64_t raw) const {
    if (shift_ == 0) return raw;
    const std::uint64_t back = (raw - set_at_) / kGiveBack;
    return raw + shift_ - std::min(shift_, back);
  }

  /// From `raw` on it is at least `least`. `raw` is not before any earlier one.
  void set_forward(std::uint64_t raw, std::uint64_t least) {
    if (at(raw) >= least) return;
    shift_ = least - raw;
    set_at_ = raw;
  }

 private:
  static constexpr std::uint64_t kGiveBack = 128;
  std::uint64_t shift_ = 0;
  std::uint64_t set_at_ = 0;
};

/// Replays one location. What it begins (messages, collectives) is reported at once; at the end of
/// an outermost MPI call it stops until it knows all that the call had to wait for. So nothing that
/// was possible in the program can stop the replay for good.
class ReplayLocation {
 public:
  enum class State : std::uint8_t {
    kReady,
    kBlocked,  ///< until a partner gets far enough
    kPaused,   ///< too many of its reports are unanswered
    kEnded,
  };

  /// `context` lives longer than this.
  ReplayLocation(ReplayContext& context, std::uint32_t location,
                 std::unique_ptr<traces::EventStream> stream);

  /// Goes on by at most `events` events.
  State run(std::size_t events);

  [[nodiscard]] State state() const { return state_; }
  /// How far it has come: corrected ticks.
  [[nodiscard]] std::uint64_t time() const { return now_; }
  [[nodiscard]] std::uint32_t location() const { return location_; }

  // Each returns true if the location may go on now, where it could not.
  bool answered(const ReplayMessage& answer);
  bool receiver_posted(const ReplayMessage& posted);
  bool window_posted(const ReplayMessage& posted);
  /// Something it may have waited for is there.
  bool wake();

  // It never stops for this.
  void waited(const ReplayMessage& answer);

  /// Raises the number of unanswered reports at which it pauses.
  bool widen_window();

  /// At a standstill: goes on if what it waits for is there after all, or will never come; returns
  /// whether it does.
  bool go_on_if_hopeless();
  /// Goes on without what it waits for.
  void go_on_without();

  /// The replay is over: counts what is left.
  void close();

  LocationSums& sums() { return sums_; }
  /// The raw time of the first event; null if there is none.
  const traces::Event* first_event() { return queue_.front(); }
  /// The trace reader's remarks on its events.
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  struct Frame {
    std::uint32_t region = 0;
    std::uint32_t path = 0;
    std::uint64_t enter = 0;
    std::uint64_t below = 0;  // ticks in regions called from it
    std::uint64_t raw_enter = 0;
    bool locked = false;  // a lock was got in it
  };
  struct Barrier {
    std::size_t frame = 0;
    std::uint32_t team = 0;
    std::uint64_t number = 0;
    std::uint64_t raw_enter = 0;
    bool given_up = false;
  };

  // Regions.
  void consume(const traces::Event& event);
  void enter(const traces::Event& event);
  void leave(const traces::Event& event);
  std::uint32_t path_below(std::uint32_t region);
  void spend_until(std::uint64_t time);
  bool polls_again(const traces::Event& leave);
  [[nodiscard]] bool is_same_loop(const traces::Event& enter, const traces::Event& leave) const;
  bool finish();
  bool finish_barrier();
  void end();

  // Operations of MPI.
  void operation(const traces::Event& event);
  void send(const traces::Event& event);
  void send_ends(const traces::Event& event);
  void receive(const traces::Event& event, std::uint64_t posted, std::uint64_t posted_by,
               EventNumber posted_at, const ReceivePost& post);
  ReceivePost next_post();
  void request_receive_ends(const traces::Event& event);
  void request_cancelled(const traces::Event& event);
  void collective_requested(const traces::Event& event);
  void collective_request_ends(const traces::Event& event);
  std::uint32_t begin_collective(std::uint32_t subject, const traces::Event& event,
                                 std::uint64_t time);
  void end_collective(std::uint32_t ticket, std::uint32_t subject, const traces::Event& event,
                      WaitPattern pattern, std::uint64_t begun_by);
  void depend_on_collective(const Dependency& dependency);
  void collective_ends(const traces::Event& event);
  void forget(std::uint32_t ticket);
  void fence(const traces::Event& event);
  void window_operation(const traces::Event& event);
  void window_post(const traces::Event& event);
  void window_complete(const traces::Event& event);
  void window_wait(const traces::Event& event);
  const std::vector<std::uint32_t>* group(std::uint32_t index) const;
  void settle_epoch(std::uint32_t epoch);
  void file_access(const traces::Event& event);
  void window_lock(const traces::Event& event);
  void thread_lock(const traces::Event& event);

  // The end of a call.
  bool finish_call();
  bool meet(Need& need);
  bool meet_message(Need& need);
  bool meet_answer(Need& need);
  void cause(std::uint64_t time);
  void probed(const Need& need, const MessageInFlight& message);
  void asked_in_vain(const PastAsk& ask, const FoundMessage& found);
  void note_asking();
  void close_call(std::uint64_t leave);
  void report_locks();
  void keep_pending();
  void keep_late_sender(const Waiting& waiting, std::uint32_t pending);
  void count(const LateSenderWait& wait);
  void count(std::uint32_t call);
  void settle_send(std::uint32_t call, const Ticket& ticket);
  void one_thing_known(std::uint32_t call);
  void report_computation(std::uint64_t until, std::size_t parts);
  void report_activity(std::uint64_t leave);
  void depend(const Dependency& dependency);
  void go_on();

  ReplayContext& context_;
  const std::uint32_t location_;
  const std::uint32_t rank_;
  const bool reports_activities_;
  EventQueue queue_;
  LocationSums sums_;
  CorrectedClock clock_;
  State state_ = State::kReady;
  std::uint64_t now_ = 0;

  std::vector<Frame> frames_;
  std::vector<Barrier> barriers_;
  std::vector<std::uint32_t> teams_;
  bool finishing_ = false;       // a region whose end has to wait
  std::uint64_t raw_leave_ = 0;  // of it
  std::size_t frames_left_ = 0;  // how many there are when it is over

  MpiCall call_;
  PastAsks asks_;
  std::uint64_t matched_probes_ = 0;
  std::uint64_t receives_ = 0;  // how many were posted
  std::uint64_t activities_;  // how many there were; kNoActivity unless it is a rank's first thread
  Pool<Ticket> tickets_;
  Pool<PendingCall> pending_;
  LateSenderWaits late_senders_;
  std::size_t unanswered_ = 0;
  std::size_t window_;
  AccessEpochs epochs_;
  std::map<std::uint32_t, std::uint32_t> exposed_;  // window: group of its last post

  ComputationParts since_;  // the last activity, as far as it is not reported
};

}  // namespace huddle::waitstates
