#pragma once

#include <cstdint>
#include <limits>

namespace huddle::traces {

/// The kinds of events in a trace. One call may be several events: MPI_Recv is kEnter, kRecv
/// and kLeave.
enum class EventKind : std::uint8_t {
  kEnter,               ///< a region begins: subject
  kLeave,               ///< it ends: subject
  kSend,                ///< a message was sent: subject, peer, tag, bytes
  kIsend,               ///< the same; its end is a kIsendComplete of the same request
  kIsendComplete,       ///< request
  kIrecvRequest,        ///< a receive was posted: request; from whom is known at its end only
  kRecv,                ///< a message arrived: subject, peer, tag, bytes
  kIrecv,               ///< the receive `request` ended: subject, peer, tag, bytes
  kRequestTested,       ///< request, tested and found incomplete
  kRequestCancelled,    ///< request
  kCollectiveEnd,       ///< a blocking collective: subject, collective, peer is its root, bytes
  kCollectiveRequest,   ///< a nonblocking one was begun: request
  kCollectiveComplete,  ///< it ended: subject, collective, peer is its root, bytes, request
  kWindowCreated,       ///< subject is the window; collective over its communicator
  kWindowFreed,         ///< subject is the window
  kWindowFence,         ///< collective over the window's communicator: subject is the window
  kWindowPost,          ///< MPI_Win_post: subject is the window; group: the origins
  kWindowStart,         ///< MPI_Win_start: subject is the window; group: the targets
  kWindowComplete,      ///< MPI_Win_complete: as the kWindowStart before it
  kWindowWait,      ///< MPI_Win_wait, or a successful MPI_Win_test: as the kWindowPost before it
  kOneSided,        ///< put, get or atomic: subject is the window, peer the target, bytes
  kTeamBegin,       ///< this thread joins a team of OpenMP threads: subject is the team
  kTeamEnd,         ///< it leaves the team
  kFileCollective,  ///< a blocking collective access to a file: subject is the file's communicator
  kWindowLocked,    ///< MPI_Win_lock: subject is the window, peer the target, request 1 if the lock
                    ///< is exclusive, 0 if it is shared; tag tells apart several locks of a target
  kWindowUnlocked,  ///< MPI_Win_unlock: as the kWindowLocked before it
  kLockAcquired,    ///< a thread got a lock of its process: subject is the lock, request counts how
                    ///< often it was acquired before
  kLockReleased,    ///< as the kLockAcquired before it
};

/// MPI's collective operations, as wait states distinguish them.
enum class Collective : std::uint8_t {
  kNone,
  kBarrier,
  kAllToAll,  ///< all wait for all: allreduce, allgather, alltoall, reduce_scatter and the like
  kFromRoot,  ///< bcast, scatter
  kToRoot,    ///< reduce, gather
  kScan,      ///< scan, exscan
  kOther,     ///< creates communicators, windows and the like: who waits is not known
};

inline constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kNoRequest = std::numeric_limits<std::uint64_t>::max();

/// One event of a location. Members that its kind does not list keep their defaults.
struct Event {
  /// Ticks since the trace's begin (TraceDefinitions::ticks_per_second); clock offsets that the
  /// trace itself records are applied. Never falls within a location.
  std::uint64_t time = 0;
  std::uint64_t request = kNoRequest;  ///< unique within a location while the request lives
  std::uint64_t bytes = 0;
  /// Region, communicator, window or team: an index in TraceDefinitions.
  std::uint32_t subject = 0;
  /// A rank in the trace (not in the communicator), or kNobody.
  std::uint32_t peer = kNobody;
  std::uint32_t tag = 0;
  /// kWindowPost and kWindowStart: an index in TraceDefinitions::groups.
  std::uint32_t group = kNobody;
  EventKind kind = EventKind::kEnter;
  Collective collective = Collective::kNone;
};

}  // namespace huddle::traces
