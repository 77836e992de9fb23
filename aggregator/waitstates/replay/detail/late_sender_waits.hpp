#pragma once

// The last waits for late senders of one location, until it is known whether they were necessary in
// the order of the location's receives.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/location_sums.hpp"

namespace huddle::waitstates {

/// A call that waited for a late sender.
struct LateSenderWait {
  Waiting waiting;
  std::uint32_t pending = kNoIndex;  ///< the pending call that completes `waiting`; none: complete
  bool wrong_order = false;
};

/// Whether some of it is Late Sender.
bool has_late_sender(const Waiting& waiting);
/// The same with its Late Sender as Late Sender in Wrong Order.
Waiting in_wrong_order(const Waiting& waiting);

/// Finds calls that waited for a late sender although a message was on its way that the location
/// received in a later call. Which these are depends on the location's own events only.
class LateSenderWaits {
 public:
  /// As many are looked back at; the older ones are taken to be in order.
  static constexpr std::size_t kMost = 64;

  /// A call is over. Returns the oldest one, if it need not be kept any more.
  std::optional<LateSenderWait> add(const LateSenderWait& wait);

  /// A message arrived that was sent at `sent`: earlier calls that began to wait behind that were
  /// in wrong order.
  void received(std::uint64_t sent);

  /// All of the waiting in a pending call is known. It is one of those kept.
  void complete(std::uint32_t pending, const Waiting& waiting);

  /// The oldest one, taken away; none if nothing is kept.
  std::optional<LateSenderWait> take_oldest();

 private:
  std::deque<LateSenderWait> waits_;  // by the time of their begin
};

}  // namespace huddle::waitstates
