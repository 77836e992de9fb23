#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "profiles/recorder/mpi_library.hpp"
#include "profiles/vocabulary/ids.hpp"

namespace huddle::recorder {

/// What one thread knows of the communicators it uses. Handles are reused after they were freed:
/// whoever frees one calls forget_communicators(), and all caches start again.
class CommunicatorCache {
 public:
  struct Communicator {
    MPI_Comm handle{};
    bool world = false;
    /// This process in its own group.
    int rank = 0;
    /// Processes in both groups of an intercommunicator, else in the one group.
    int participants = 0;
    /// The same, but at most as many as MPI_COMM_WORLD has: a profile knows no processes of spawned
    /// worlds.
    int recorded_participants = 0;
    /// Processes that a message can be sent to: the remote group, or the one group.
    int peers = 0;
    bool inter = false;
    /// Ranks of MPI_COMM_WORLD by rank in the group of peers, as far as they were asked for; -1 for
    /// processes of other worlds. Not used for MPI_COMM_WORLD.
    std::unordered_map<int, int> world_ranks;
  };

  /// `handle` must be valid: use it after MPI accepted it in a call. Valid until the next call.
  Communicator& find(MPI_Comm handle);

  /// The rank in MPI_COMM_WORLD of what is `peer` in a communicator; nothing for a process of
  /// another world (a spawned one).
  static std::optional<Rank> world_rank(Communicator& communicator, int peer);

 private:
  std::unordered_map<MPI_Comm, Communicator> known_;
  Communicator* last_ = nullptr;
  std::uint64_t generation_ = 0;
};

/// To be called before a communicator is freed. Safe from any thread.
void forget_communicators() noexcept;

}  // namespace huddle::recorder
