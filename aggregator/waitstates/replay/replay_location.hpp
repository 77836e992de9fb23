#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/access_epochs.hpp"
#include "aggregator/waitstates/replay/corrected_clock.hpp"
#include "aggregator/waitstates/replay/event_queue.hpp"
#include "aggregator/waitstates/replay/location_sums.hpp"
#include "aggregator/waitstates/replay/mpi_call.hpp"
#include "aggregator/waitstates/replay/replay_context.hpp"

namespace huddle {

/// Replays one location. What it begins (messages, collectives) is told at once; at the end of an
/// outermost MPI call it stops until it knows all that the call had to wait for. So nothing that
/// was possible in the program can stop the replay for good.
class ReplayLocation {
 public:
  enum class State : std::uint8_t {
    kReady,
    kBlocked,  ///< until a partner gets to where this one can go on
    kPaused,   ///< too much of what it told is unanswered
    kEnded,
  };

  /// `context` lives longer than this.
  ReplayLocation(ReplayContext& context, std::uint32_t location,
                 std::unique_ptr<EventStream> stream);

  /// Goes on by at most `events` events.
  State run(std::size_t events);

  [[nodiscard]] State state() const { return state_; }
  /// How far it is: corrected ticks.
  [[nodiscard]] std::uint64_t time() const { return now_; }
  [[nodiscard]] std::uint32_t location() const { return location_; }

  // Each returns true if the location may go on now, where it could not.
  bool answered(const ReplayMessage& answer);
  bool receiver_posted(const ReplayMessage& posted);
  bool window_posted(const ReplayMessage& posted);
  /// Something it might have been blocked by is there.
  bool wake();

  /// It may tell more than before until it is paused.
  bool widen_window();

  /// Nothing in the trace moves any more. Goes on if what it waits for is there after all, or if
  /// nothing will come of whom it waits for; then it returns true.
  bool go_on_if_hopeless();
  /// Goes on without what it waits for.
  void go_on_without();

  /// The replay is over: books what is left.
  void close();

  LocationSums& sums() { return sums_; }
  /// The raw time of the first event; null if there is none.
  const Event* first_event() { return queue_.front(); }
  /// What the reader says of its events.
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  struct Frame {
    std::uint32_t region = 0;
    std::uint32_t path = 0;
    std::uint64_t enter = 0;
    std::uint64_t below = 0;  // ticks in regions called from it
  };
  struct Barrier {
    std::size_t frame = 0;
    std::uint32_t team = 0;
    std::uint64_t number = 0;
    std::uint64_t raw_enter = 0;
    bool given_up = false;
  };

  // Regions.
  void consume(const Event& event);
  void enter(const Event& event);
  void leave(const Event& event);
  std::uint32_t path_below(std::uint32_t region);
  void spend_until(std::uint64_t time);
  bool finish();
  bool finish_barrier();
  void end();

  // Operations of MPI.
  void operation(const Event& event);
  void send(const Event& event);
  void send_ends(const Event& event);
  void receive(const Event& event, std::uint64_t posted, std::uint64_t posted_by,
               EventNumber posted_at);
  void request_receive_ends(const Event& event);
  void request_cancelled(const Event& event);
  void collective_requested(const Event& event);
  void collective_request_ends(const Event& event);
  std::uint32_t begin_collective(std::uint32_t subject, const Event& event, std::uint64_t time);
  void end_collective(std::uint32_t ticket, std::uint32_t subject, const Event& event,
                      WaitPattern pattern, std::uint64_t begun_by);
  void collective_ends(const Event& event);
  void forget(std::uint32_t ticket);
  void fence(const Event& event);
  void window_operation(const Event& event);
  void window_post(const Event& event);
  void window_complete(const Event& event);
  void window_wait(const Event& event);
  const std::vector<std::uint32_t>* group(std::uint32_t index) const;
  void settle_epoch(std::uint32_t epoch);

  // The end of a call.
  bool finish_call();
  bool meet(Need& need);
  bool meet_message(Need& need);
  bool meet_answer(Need& need);
  void cause(std::uint64_t time);
  void close_call(std::uint64_t leave);
  void keep_pending();
  void settle_send(std::uint32_t call, const Ticket& ticket);
  void one_thing_known(std::uint32_t call);
  void tell_activity(std::uint64_t leave);
  void depend(const Dependency& dependency);
  void go_on();

  ReplayContext& context_;
  const std::uint32_t location_;
  const std::uint32_t rank_;
  const bool tells_activities_;
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
  std::uint64_t activities_;  // how many were told; kNoActivity unless it is a rank's first thread
  Pool<Ticket> tickets_;
  Pool<PendingCall> pending_;
  std::size_t unanswered_ = 0;
  std::size_t window_;
  AccessEpochs epochs_;
  std::map<std::uint32_t, std::uint32_t> exposed_;  // window: group of its last post

  // What the time since the last activity was spent in: by path, valid if of this activity.
  struct Since {
    std::uint64_t activity = 0;
    std::uint64_t ticks = 0;
  };
  std::vector<Since> since_;
  std::uint64_t longest_since_ = 0;
  std::uint32_t before_ = CallPath::kRoot;
};

}  // namespace huddle
