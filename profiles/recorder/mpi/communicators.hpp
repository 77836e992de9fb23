#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/mpi/groups.hpp"
#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// The communicators that collectives were called on, as the profile's shared tables list them.
/// Safe from any thread.
class CommunicatorTable {
 public:
  void add(Communicator communicator);
  /// Ordered by id.
  [[nodiscard]] std::vector<Communicator> all() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Communicator> known_;
};

/// What a thread knows of a communicator that it uses.
struct UsedCommunicator {
  MPI_Comm handle{};
  bool world = false;
  bool inter = false;
  /// This process in its own group.
  int rank = 0;
  /// Processes in both groups of an intercommunicator, else in the one group.
  int participants = 0;
  /// The same, but at most as many as MPI_COMM_WORLD has: a profile knows no processes of spawned
  /// worlds.
  int recorded_participants = 0;
  /// Those that a message can be sent to: the remote group, or the one group. Empty for
  /// MPI_COMM_WORLD, whose ranks need no translation.
  GroupRanks peers;
  int peer_count = 0;
  /// Communicator::id; 0 until a collective asked for it, and for MPI_COMM_WORLD.
  std::uint64_t id = 0;
  /// Where neighbourhood collectives send to, in the order of their counts; -1 for MPI_PROC_NULL.
  /// Filled at the first of them.
  std::vector<int> neighbours;
  bool neighbours_known = false;

  /// The rank in MPI_COMM_WORLD of what is `peer` here; nothing for a process of another world (a
  /// spawned one).
  std::optional<Rank> world_rank(int peer) {
    if (world) return Rank{static_cast<std::uint32_t>(peer)};
    return peers.world_rank(peer);
  }
};

/// How often handles were freed.
extern constinit std::atomic<std::uint64_t> handle_generation;

/// One thread's communicators. Handles are reused after they were freed: whoever frees one calls
/// forget_handles(), and all caches start again.
class CommunicatorCache {
 public:
  /// `handle` must be valid: use it after MPI accepted it in a call. Valid until the next call.
  UsedCommunicator& find(MPI_Comm handle) {
    if (last_ != nullptr && last_->handle == handle &&
        generation_ == handle_generation.load(std::memory_order_acquire)) [[likely]]
      return *last_;
    return look_up(handle);
  }

  /// Gives the communicator its id, and `table` its members.
  static void identify(UsedCommunicator& communicator, CommunicatorTable& table);

 private:
  UsedCommunicator& look_up(MPI_Comm handle);

  std::unordered_map<MPI_Comm, UsedCommunicator> known_;
  UsedCommunicator* last_ = nullptr;
  std::uint64_t generation_ = 0;
};

/// One thread's windows, and who is behind their ranks. As above.
class WindowCache {
 public:
  GroupRanks& find(MPI_Win handle);

 private:
  std::unordered_map<MPI_Win, GroupRanks> known_;
  std::uint64_t generation_ = 0;
};

/// To be called before a communicator or a window is freed. Safe from any thread.
void forget_handles() noexcept;

}  // namespace huddle::recorder
