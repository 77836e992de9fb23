#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/mpi_call.hpp"

namespace huddle {

/// Brings together the access epochs of a rank and the posts of their targets, whichever comes
/// first: the n-th post of a target to this rank belongs to the n-th epoch with that target.
class AccessEpochs {
 public:
  struct Post {
    std::uint64_t time = 0;
    std::uint64_t activity = 0;
    std::uint32_t rank = 0;
  };

  AccessEpoch& operator[](std::uint32_t epoch) { return epochs_[epoch]; }

  /// MPI_Win_start of `window` with a group; becomes what `current` tells.
  std::uint32_t open(std::uint32_t window, std::uint32_t group);
  /// Of a window; kNoIndex if there is none.
  [[nodiscard]] std::uint32_t current(std::uint32_t window) const;
  /// MPI_Win_complete: `current` tells none until the next start.
  void close(std::uint32_t window) { current_.erase(window); }

  /// It waits for the posts of `targets`. True if all are known.
  bool await(std::uint32_t epoch, const std::vector<std::uint32_t>& targets);

  /// A target posted. Returns the epoch that now knows all its posts, or kNoIndex.
  std::uint32_t post(std::uint32_t window, const Post& post);

  void release(std::uint32_t epoch) { epochs_.release(epoch); }

 private:
  struct Meeting {
    std::deque<Post> posts;
    std::deque<std::uint32_t> epochs;
  };
  void note(AccessEpoch& epoch, const Post& post);

  Pool<AccessEpoch> epochs_;
  std::map<std::uint32_t, std::uint32_t> current_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Meeting> meetings_;  // window, target
};

}  // namespace huddle
