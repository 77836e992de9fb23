#pragma once

// The events of one location with a bounded look-ahead, and the nonblocking operations that are
// open in it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/detail/asking_calls.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/read_ahead.hpp"
#include "profiles/traces/event.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// Number of an event within its location.
using EventNumber = std::uint64_t;
inline constexpr EventNumber kNotSeen = std::numeric_limits<EventNumber>::max();

/// A nonblocking operation of a location from its begin to its end. Its end (who sent, which
/// communicator) is known as soon as that event was read, which may be before the replay gets to
/// it.
struct OpenRequest {
  EventNumber begun = 0;         ///< the event that began it
  EventNumber ended = kNotSeen;  ///< the event that ends it
  traces::EventKind kind{};      ///< of the event that began it
  bool cancelled = false;
  traces::Event end{};  ///< the event that ends it, once it was read
  // Set by the replay:
  std::uint64_t begin_time = 0;  ///< its call's enter, corrected
  std::uint64_t begin_activity = 0;
  ReceivePost post;
  std::uint32_t ticket = kNoIndex;  ///< what was reported of it
  bool counted = false;             ///< collectives: among its communicator's when it began
  // Receives are in a list, in the order they were posted.
  std::uint32_t before = kNoIndex;
  std::uint32_t after = kNoIndex;
};

/// The open requests of one location, by the slot that events have in their `group` (EventBatch).
/// observe() sees the events ahead of the replay.
class OpenRequests {
 public:
  /// `event` was read, the location's event of this number.
  void observe(const traces::Event& event, EventNumber number);

  OpenRequest& operator[](std::uint32_t index) { return open_[index]; }

  /// The replay is done with it.
  void release(std::uint32_t index);

  /// The first posted receive that was not released, or kNoIndex; the next is its `after`.
  [[nodiscard]] std::uint32_t first_receive() const { return first_receive_; }

  /// How many were not released.
  [[nodiscard]] std::size_t living() const { return living_; }

  /// The slots that were released, for RequestPairing: whoever takes them clears the list.
  std::vector<std::uint32_t>& released() { return released_; }

 private:
  void begin(const traces::Event& event, EventNumber number);
  void end(const traces::Event& event, EventNumber number);

  std::vector<OpenRequest> open_;  // by slot
  std::vector<std::uint32_t> released_;
  std::size_t living_ = 0;
  std::uint32_t first_receive_ = kNoIndex;
  std::uint32_t last_receive_ = kNoIndex;
  std::uint32_t cancelled_ = kNoIndex;  ///< the last that ended so, unless it was released
};

/// The events of one location, one after the other, with a bounded look-ahead for how open requests
/// end.
class EventQueue {
 public:
  /// `reading` lives longer than this.
  EventQueue(ReadAhead& reading, std::unique_ptr<traces::EventStream> stream);

  /// The event that the replay is at; null at the end. Valid until the next call.
  [[nodiscard]] const traces::Event* front();
  /// The event behind the front, which there must be; null at the end. Valid until the next call.
  [[nodiscard]] const traces::Event* behind_front();
  void pop() { ++at_; }
  /// Its number.
  [[nodiscard]] EventNumber number() const { return first_ + at_; }

  [[nodiscard]] OpenRequests& requests() { return requests_; }

  /// Where the receive that ends at the front, posted at event `posted`, stands in the queue of
  /// messages of its kind: how many receives that were posted before it, and are still open, will
  /// get such a message, too. MPI matches receives in the order of their posting, whatever the
  /// order they end in. Looks kReceiveReach events ahead; a receive that ends later than that is
  /// taken to be of another kind.
  [[nodiscard]] std::uint32_t receives_before(EventNumber posted);

  /// Reads on until the end of request `index` is known, at most kCollectiveReach events. True if
  /// it is.
  bool find_end(std::uint32_t index);

  /// Why reading stopped before the end, or empty.
  [[nodiscard]] const std::string& damage() const { return damage_; }
  [[nodiscard]] std::vector<std::string> remarks() const { return reading_.remarks(location_); }

  static constexpr EventNumber kReceiveReach = 2048;
  static constexpr EventNumber kCollectiveReach = 65536;

 private:
  bool read_more();
  bool find_end(std::uint32_t index, EventNumber reach);

  ReadAhead& reading_;
  std::size_t location_;  // as `reading_` knows it
  OpenRequests requests_;
  EventBatch batch_;  // what carries events here, and what is released back
  std::vector<traces::Event> events_;
  std::size_t at_ = 0;
  EventNumber first_ = 0;  ///< number of events_[0]
  bool ended_ = false;
  std::string damage_;
};

}  // namespace huddle::waitstates
