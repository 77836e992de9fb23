#pragma once

// Matches what ranks and threads wait for: messages with receives, access epochs with posts, and
// barriers of teams.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// A message in flight, as its sender reported it.
struct MessageInFlight {
  std::uint64_t time = 0;      ///< enter of the sending call
  std::uint64_t activity = 0;  ///< of the sender
  std::uint32_t location = 0;  ///< of the sender
  std::uint32_t ticket = 0;    ///< of the sender
  std::uint32_t next = kNoIndex;
};

/// Matches messages with their receives: for each channel, in the order they were sent in. Memory
/// grows with the messages in flight.
class Mailboxes {
 public:
  /// Messages of one channel never overtake each other.
  static WideKey channel(std::uint32_t receiver, std::uint32_t sender, std::uint32_t subject,
                         std::uint32_t tag) {
    return {std::uint64_t{receiver} << 32U | sender, std::uint64_t{subject} << 32U | tag};
  }

  /// Returns the location that waits for it, or kNoIndex.
  std::uint32_t put(const WideKey& channel, const MessageInFlight& message);

  /// Takes the message behind `before` others. False if it has not come.
  bool take(const WideKey& channel, std::uint32_t before, MessageInFlight& message);

  /// The next put() into the channel returns `location`, once.
  void wait(const WideKey& channel, std::uint32_t location) {
    channels_[channel].waiting = location;
  }
  /// Undoes wait().
  void leave(const WideKey& channel);

  /// Messages that were never received; ends of access epochs do not count.
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  struct Channel {
    std::uint32_t first = kNoIndex;
    std::uint32_t last = kNoIndex;
    std::uint32_t waiting = kNoIndex;
  };
  FlatMap<Channel> channels_;
  Pool<MessageInFlight> messages_;
  std::size_t left_ = 0;
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

/// Matches the access epochs of a rank with the posts of their targets, whichever comes
/// first: the n-th post of a target to this rank belongs to the n-th epoch with that target.
class AccessEpochs {
 public:
  struct Post {
    std::uint64_t time = 0;
    std::uint64_t activity = 0;
    std::uint32_t rank = 0;
  };

  AccessEpoch& operator[](std::uint32_t epoch) { return epochs_[epoch]; }

  /// MPI_Win_start of `window` with a group; becomes the window's current epoch.
  std::uint32_t open(std::uint32_t window, std::uint32_t group);
  /// Of a window; kNoIndex if there is none.
  [[nodiscard]] std::uint32_t current(std::uint32_t window) const;
  /// MPI_Win_complete: the window has no current epoch until the next start.
  void close(std::uint32_t window) { current_.erase(window); }

  /// Registers the epoch for the posts of its targets. True if all are known.
  bool await(std::uint32_t epoch, const std::vector<std::uint32_t>& targets);

  /// A target posted. Returns the epoch that now knows all its posts, or kNoIndex.
  std::uint32_t post(std::uint32_t window, const Post& post);

  void release(std::uint32_t epoch) { epochs_.release(epoch); }

 private:
  struct Unmatched {
    std::deque<Post> posts;
    std::deque<std::uint32_t> epochs;
  };
  void note(AccessEpoch& epoch, const Post& post);

  Pool<AccessEpoch> epochs_;
  std::map<std::uint32_t, std::uint32_t> current_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Unmatched> unmatched_;  // window, target
};

/// Barriers of OpenMP teams: the n-th that a thread comes to in a team is the same for all its
/// threads. Times are the trace's own: threads of a process share a clock.
class TeamBarriers {
 public:
  using Wake = std::function<void(std::uint32_t location)>;

  /// `definitions` lives longer than this. `wake` is called for each location that may go on.
  TeamBarriers(const traces::TraceDefinitions& definitions, Wake wake)
      : definitions_(definitions), teams_(definitions.teams), wake_(std::move(wake)) {}

  /// Whether the trace defines the team, as one of threads of one rank, `location` among them.
  [[nodiscard]] bool has(std::uint32_t team, std::uint32_t location) const;

  /// `location` arrives at its next barrier of `team`; returns the barrier's number.
  std::uint64_t arrive(std::uint32_t team, std::uint32_t location, std::uint64_t time);

  /// When the last one came; null if not all have.
  [[nodiscard]] const std::uint64_t* complete(std::uint32_t team, std::uint64_t number);

  /// `location` is done with it.
  void leave(std::uint32_t team, std::uint64_t number);

  /// Whether one of those that have not come is among the ended locations.
  [[nodiscard]] bool hopeless(std::uint32_t team, std::uint64_t number,
                              const std::vector<bool>& ended_locations);

 private:
  struct Barrier {
    std::uint32_t came = 0;
    std::uint32_t left = 0;
    std::uint64_t latest = 0;
  };
  const traces::TraceDefinitions& definitions_;
  const std::vector<std::vector<std::uint32_t>>& teams_;
  Wake wake_;
  FlatMap<std::uint64_t> next_;  // by team, location
  FlatMap<Barrier> barriers_;    // by team, number
};

}  // namespace huddle::waitstates
