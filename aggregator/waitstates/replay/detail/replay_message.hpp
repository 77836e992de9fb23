#pragma once

#include <cstdint>

#include "profiles/traces/event.hpp"

namespace huddle::waitstates {

/// What locations of a replay report to each other, and to what matches them.
enum class ReplayMessageKind : std::uint32_t {
  kMessage,         ///< to a rank: a message was sent to it, or an access epoch ended
  kReceiverPosted,  ///< to a location: the receive of its message `ticket` was posted
  kArrival,         ///< a member began its part of a collective
  kAnswer,          ///< to a location: how far its collective `ticket` had to wait
  kWindowPosted,    ///< to a rank: a window was posted for it
  kWindowLock,      ///< to a rank: a call that locked or unlocked its part of a window is over
  kThreadLock,      ///< to a rank: one of its threads got a lock, or released it
  kWaited,          ///< to a location: until when a call that is over waited
};

struct ReplayMessage {
  ReplayMessageKind kind{};
  traces::Collective collective = traces::Collective::kNone;
  bool known = true;          ///< kAnswer: false if it never will be
  std::uint32_t to = 0;       ///< rank or location; kArrival: nobody
  std::uint32_t from = 0;     ///< rank
  std::uint32_t subject = 0;  ///< communicator, or window with kWindowSubject
  std::uint32_t tag = 0;
  std::uint32_t location = 0;  ///< of the sender
  std::uint32_t ticket = 0;    ///< of the sender; kReceiverPosted and kAnswer: of `to`
  std::uint32_t place = 0;     ///< kArrival: in the communicator
  std::uint32_t root = 0;      ///< kArrival: place of the root, or kNobody
  std::uint64_t time = 0;      ///< corrected
  std::uint64_t activity = 0;
  std::uint64_t number = 0;  ///< kArrival: counts the subject's instances
  /// What is over: when it was entered, and its call path, as its location numbers it.
  std::uint64_t enter = 0;
  std::uint32_t path = 0;
};

/// Marks a subject as a window, beside communicators of the same number.
inline constexpr std::uint32_t kWindowSubject = 1U << 31U;
/// Marks a communicator as that of files: accesses to these are counted apart.
inline constexpr std::uint32_t kFileSubject = 1U << 30U;

}  // namespace huddle::waitstates
