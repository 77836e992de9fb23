#pragma once

// Tables of the ranks of MPI_COMM_WORLD behind communicators, groups and windows, and of the sizes
// of datatypes; each is looked up once.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/rank_set.hpp"

namespace huddle::recorder {

/// The sizes of datatypes, one thread's. Predefined types are never freed and so are remembered.
class DatatypeSizes {
 public:
  /// Bytes of data in `count` elements of `type`, which must be valid, or MPI_DATATYPE_NULL:
  /// libraries accept that for what they ignore, and there is nothing in it.
  std::uint64_t bytes(MPI_Count count, MPI_Datatype type) {
    const Entry& entry = entries_[place_of(type)];
    const std::uint64_t size = entry.known && entry.type == type ? entry.size : look_up(type);
    return static_cast<std::uint64_t>(count) * size;
  }

  /// True if `type`, after a call of bytes() with it, is predefined.
  [[nodiscard]] bool is_lasting(MPI_Datatype type) const {
    const Entry& entry = entries_[place_of(type)];
    return entry.known && entry.type == type;
  }

 private:
  static constexpr std::size_t kEntries = 16;

  struct Entry {
    MPI_Datatype type{};
    bool known = false;
    std::uint64_t size = 0;
  };

  // Predefined types are objects of 512 bytes, or numbers that differ in their low bytes.
  static std::size_t place_of(MPI_Datatype type) {
    const std::size_t hash = std::hash<MPI_Datatype>{}(type);
    return (hash ^ (hash >> 9U)) % kEntries;
  }

  std::uint64_t look_up(MPI_Datatype type) {
    if (type == no_datatype()) return 0;  // MPI would end the program
    MPI_Count size = 0;
    HUDDLE_REAL(Type_size_x)(type, &size);
    if (size < 0) size = 0;  // MPI_UNDEFINED
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_UNDEFINED;
    HUDDLE_REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
      entries_[place_of(type)] = {type, true, static_cast<std::uint64_t>(size)};
    return static_cast<std::uint64_t>(size);
  }

  std::array<Entry, kEntries> entries_{};
};

/// The ranks of MPI_COMM_WORLD that the members of a group are. Members are looked up when they are
/// needed, so that memory grows with the partners that a rank has. One thread's.
class GroupRanks {
 public:
  GroupRanks() = default;
  /// Takes `group` and frees it. MPI_GROUP_NULL is not allowed.
  explicit GroupRanks(MPI_Group group);
  GroupRanks(GroupRanks&& other) noexcept;
  GroupRanks& operator=(GroupRanks&& other) noexcept;
  GroupRanks(const GroupRanks&) = delete;
  GroupRanks& operator=(const GroupRanks&) = delete;
  ~GroupRanks();

  [[nodiscard]] int size() const { return size_; }

  /// Nothing for a process of another world (a spawned one), and for what is no member: from MPICH
  /// 5 on a call with a wrong rank succeeds if an error handler of the program has returned.
  std::optional<Rank> world_rank(int member) {
    if (static_cast<std::size_t>(member) < few_.size()) {
      const int known = few_[static_cast<std::size_t>(member)];
      return as_rank(known == kUnknown ? look_up(member) : known);
    }
    if (static_cast<unsigned>(member) >= static_cast<unsigned>(size_)) return std::nullopt;
    return as_rank(look_up_among_many(member));
  }

  /// All members that belong to MPI_COMM_WORLD.
  [[nodiscard]] RankSet world_ranks() const;

 private:
  static constexpr int kUnknown = -2;
  static constexpr int kElsewhere = -1;

  static std::optional<Rank> as_rank(int world) {
    if (world < 0) return std::nullopt;
    return Rank{static_cast<std::uint32_t>(world)};
  }
  int look_up(int member);
  int look_up_among_many(int member);
  [[nodiscard]] int translated(int member) const;

  MPI_Group group_{};
  bool owns_ = false;
  int size_ = 0;
  std::vector<int> few_;               // of small groups, by member
  std::unordered_map<int, int> many_;  // of large ones
};

/// Returns the ranks of MPI_COMM_WORLD that the members of `group` are, by rank in it; UINT32_MAX
/// for a process of another world.
std::vector<std::uint32_t> world_ranks_of(MPI_Group group);

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

/// A communicator that a thread uses, with what was looked up of it.
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

  /// The rank in MPI_COMM_WORLD of what is `peer` here; nothing as in GroupRanks::world_rank().
  std::optional<Rank> world_rank(int peer) {
    if (world) {
      if (static_cast<unsigned>(peer) >= static_cast<unsigned>(peer_count)) return std::nullopt;
      return Rank{static_cast<std::uint32_t>(peer)};
    }
    return peers.world_rank(peer);
  }
};

/// Number of times that handles were freed.
extern constinit std::atomic<std::uint64_t> handle_generation;

/// One thread's communicators. Handles are reused after they were freed: before one is freed,
/// forget_handles() makes all caches start again.
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

/// One thread's windows, with the ranks of MPI_COMM_WORLD behind theirs. As above.
class WindowCache {
 public:
  GroupRanks& find(MPI_Win handle);

 private:
  std::unordered_map<MPI_Win, GroupRanks> known_;
  std::uint64_t generation_ = 0;
};

/// To be called before a communicator or a window is freed. Safe from any thread.
void forget_handles() noexcept;

/// Whom this process sends to in neighbourhood collectives, by rank in the communicator, in the
/// order of the calls' counts (MPI-3.1, section 7.6); MPI_PROC_NULL beyond a grid's border. Empty
/// for a communicator without topology. Valid until the communicator is forgotten.
const std::vector<int>& neighbours_of(UsedCommunicator& communicator);

}  // namespace huddle::recorder
