#pragma once

#include <cstdint>

#include "aggregator/waitstates/replay/flat_map.hpp"
#include "aggregator/waitstates/replay/pool.hpp"
#include "profiles/traces/event.hpp"

namespace huddle {

/// Number of an event within its location.
using EventNumber = std::uint64_t;
inline constexpr EventNumber kNotSeen = std::numeric_limits<EventNumber>::max();

/// A nonblocking operation of a location from its begin to its end. What the end tells (who sent,
/// which communicator) is known as soon as the end was read, which may be before the replay gets to
/// it.
struct OpenRequest {
  std::uint64_t request = kNoRequest;
  EventNumber begun = 0;         ///< the event that began it
  EventNumber ended = kNotSeen;  ///< the event that ends it
  EventKind kind{};              ///< of the event that began it
  bool cancelled = false;
  Event end{};  ///< the event that ends it, once it was read
  // Set by the replay:
  std::uint64_t begin_time = 0;  ///< its call's enter, corrected
  std::uint64_t begin_activity = 0;
  std::uint32_t ticket = kNoIndex;  ///< what was told others about it
  bool counted = false;             ///< collectives: among its communicator's when it began
  // Receives are in a list, in the order they were posted.
  std::uint32_t before = kNoIndex;
  std::uint32_t after = kNoIndex;
};

/// The requests of one location. It is told of events as they are read from the trace, ahead of the
/// replay, and writes the numbers of requests into their `group`, so that the replay looks up
/// nothing.
class OpenRequests {
 public:
  /// `event` was read; it has this number.
  void foresee(Event& event, EventNumber number);

  OpenRequest& operator[](std::uint32_t index) { return pool_[index]; }

  /// The replay is done with it.
  void release(std::uint32_t index);

  /// The first posted receive that was not released, or kNoIndex; the next is its `after`.
  [[nodiscard]] std::uint32_t first_receive() const { return first_receive_; }

  /// How many there are that were not released.
  [[nodiscard]] std::size_t living() const { return pool_.living(); }

 private:
  void begin(Event& event, EventNumber number);
  void end(Event& event, EventNumber number);

  Pool<OpenRequest> pool_;
  FlatMap<std::uint32_t> by_request_;
  std::uint32_t first_receive_ = kNoIndex;
  std::uint32_t last_receive_ = kNoIndex;
};

}  // namespace huddle
