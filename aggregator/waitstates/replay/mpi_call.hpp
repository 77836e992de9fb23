#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/location_sums.hpp"
#include "aggregator/waitstates/replay/pool.hpp"

namespace huddle {

/// What an MPI call can't end without.
struct Need {
  enum class Kind : std::uint8_t {
    kMessage,   ///< a message of `channel`
    kComplete,  ///< the end of an origin's access epoch, told through `channel`
    kAnswer,    ///< of the collective with `ticket`
  };
  Kind kind = Kind::kMessage;
  WaitPattern pattern = WaitPattern::kLateSender;
  WideKey channel;
  std::uint32_t before = 0;  ///< messages of the channel that belong to others
  std::uint32_t peer = 0;    ///< the rank at the channel's other end
  std::uint32_t ticket = kNoIndex;
  std::uint64_t posted = 0;     ///< receives: when they were posted; 0 if nobody knows
  std::uint64_t posted_by = 0;  ///< activity
  Dependency dependency;        ///< collectives: what to tell of it
};

/// Where an activity is asked for: nobody tells activities of this thread.
inline constexpr std::uint64_t kNoActivity = UINT64_MAX;

/// The outermost MPI call that a location is in.
struct MpiCall {
  static constexpr std::size_t kNoFrame = SIZE_MAX;

  bool open = false;
  std::size_t frame = kNoFrame;  ///< on the stack of regions; none for an event outside of MPI
  std::uint64_t activity = 0;
  Waiting waiting;
  std::uint64_t least_leave = 0;
  std::vector<Need> needs;
  std::size_t met = 0;                   ///< of the needs
  std::vector<std::uint32_t> sends;      ///< tickets of the messages that end here
  std::vector<std::uint32_t> starts;     ///< access epochs that begin here
  std::vector<std::uint32_t> completes;  ///< ... and that end here
  std::vector<Dependency> dependencies;

  void begin(std::uint64_t enter, std::uint32_t path, std::size_t at_frame,
             std::uint64_t with_activity) {
    open = true;
    frame = at_frame;
    activity = with_activity;
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
  }
};

/// A call that is over, but of which not everything is known yet.
struct PendingCall {
  Waiting waiting;
  std::uint64_t activity = 0;
  std::uint32_t unknown = 0;  ///< how many things; 0: it was booked
};

/// What a location told others about one of its operations, and what they answered.
struct Ticket {
  bool answered = false;
  bool known = false;             ///< collectives: the answer tells something
  bool detached = false;          ///< nobody is interested in the answer any more
  std::uint32_t call = kNoIndex;  ///< sends: the pending call that they ended in
  std::uint32_t peer = 0;         ///< rank that answered
  std::uint64_t begun_by = 0;     ///< activity
  std::uint64_t time = 0;         ///< of the answer
  std::uint64_t activity = 0;     ///< of who answered
  std::uint64_t instance = 0;     ///< collectives: as dependencies tell it
};

/// MPI_Win_start to MPI_Win_complete.
struct AccessEpoch {
  std::uint32_t window = 0;
  std::uint32_t group = 0;
  std::uint32_t missing = 0;  ///< posts that are not known
  bool registered = false;    ///< its start is over
  std::uint64_t last_post = 0;
  std::uint64_t last_activity = 0;
  std::uint32_t last_rank = 0;
  std::uint64_t start_leave = 0;
  std::uint32_t start = kNoIndex;  ///< pending calls
  std::uint32_t complete = kNoIndex;
};

}  // namespace huddle
