#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace huddle {

/// Why a location waits. The names are those that Scalasca made known; where theirs and ours differ
/// in what is counted, docs/waitstates.md says so.
enum class WaitPattern : std::uint8_t {
  kLateSender,          ///< a receive, or the completion of one, began before the message was sent
  kLateReceiver,        ///< a send, or its completion, could not end before the receive was posted
  kWaitAtBarrier,       ///< until the last one comes to a barrier
  kWaitAtNxN,           ///< the same at a collective where all need something of all
  kLateBroadcast,       ///< until the root comes to an operation that hands out its data
  kEarlyReduce,         ///< the root, until the last one comes to an operation that collects data
  kEarlyScan,           ///< until the last of the lower ranks comes to a scan
  kLatePost,            ///< one-sided: an access epoch, until the last target has posted its window
  kLateComplete,        ///< one-sided: an exposure epoch, until the last origin has completed
  kWaitAtFence,         ///< one-sided: until the last one comes to the fence
  kWaitAtOpenmpBarrier  ///< a thread, until the last one of its team comes to the barrier
};
inline constexpr std::size_t kWaitPatterns = 11;

/// For people: "Late Sender".
std::string_view title_of(WaitPattern pattern);
/// For programs: "late_sender".
std::string_view name_of(WaitPattern pattern);

}  // namespace huddle
