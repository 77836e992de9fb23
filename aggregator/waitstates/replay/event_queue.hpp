#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/open_requests.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// The events of one location, one after the other, with a look ahead of bounded length at how open
/// requests end.
class EventQueue {
 public:
  explicit EventQueue(std::unique_ptr<EventStream> stream);

  /// The event that the replay is at; null at the end. Holds until the next call of anything here.
  [[nodiscard]] const Event* front();
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
  bool foresee_end(std::uint32_t index);

  /// Why reading stopped before the end, or empty.
  [[nodiscard]] const std::string& damage() const { return damage_; }
  [[nodiscard]] std::vector<std::string> remarks() const { return stream_->remarks(); }

  static constexpr EventNumber kReceiveReach = 2048;
  static constexpr EventNumber kCollectiveReach = 65536;

 private:
  bool read_more();
  bool foresee_end(std::uint32_t index, EventNumber reach);

  std::unique_ptr<EventStream> stream_;
  OpenRequests requests_;
  std::vector<Event> events_;
  std::size_t at_ = 0;
  EventNumber first_ = 0;  ///< number of events_[0]
  bool ended_ = false;
  std::string damage_;
};

}  // namespace huddle
