#pragma once

// The communicators, windows, groups and requests that a rank's events refer to.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// A communicator as events name it. Lives as long as its table, also when MPI has freed it.
struct TracedCommunicator {
  std::uint32_t number = 0;
  int rank = 0;  ///< this process's in it
  bool inter = false;
  /// The ranks in the trace by rank in it; of an intercommunicator those of the other side. Null:
  /// they are equal.
  const std::vector<std::uint32_t>* peers = nullptr;
  std::uint32_t size = 0;     ///< how many peers
  bool usable = true;         ///< the table's own: MPI knows the handle
  std::uint64_t windows = 0;  ///< the table's own: how many were made of it

  /// kNobody for MPI_PROC_NULL and the like, and for processes of other worlds.
  [[nodiscard]] std::uint32_t rank_of(int peer) const {
    if (peer < 0 || static_cast<std::uint32_t>(peer) >= size) return traces::kNobody;
    return peers == nullptr ? static_cast<std::uint32_t>(peer)
                            : (*peers)[static_cast<std::size_t>(peer)];
  }
};

struct TracedWindow {
  std::uint32_t number = 0;
  const TracedCommunicator* communicator = nullptr;
};

/// A message that a matched probe has found.
struct TracedMessage {
  const TracedCommunicator* communicator = nullptr;
  std::uint64_t request = 0;  ///< the number under which the trace has it
};

/// The communicators, windows and groups of a traced rank. A communicator's key is computed from
/// its members and the number of communicators with the same members before it: so all members
/// compute the same key without communication, since MPI demands that they make communicators in
/// the same order. Handles are those of the program, after MPI accepted them. Safe from any thread;
/// members throw std::bad_alloc.
class TraceTables {
 public:
  TraceTables();

  /// The rank of this process in MPI_COMM_WORLD.
  [[nodiscard]] std::uint32_t own_rank() const { return own_rank_; }

  /// One that was not seen when it was made gets its key now.
  const TracedCommunicator& find(MPI_Comm handle);
  /// One that was made now.
  const TracedCommunicator& add(MPI_Comm handle);
  /// One that was made now and has the members of `original`, though it may not be used yet.
  void add_copy(MPI_Comm handle, const TracedCommunicator& original);
  /// Before MPI frees it.
  void forget(MPI_Comm handle) noexcept;

  const TracedWindow& find_window(MPI_Win handle);
  const TracedWindow& add_window(MPI_Win handle, MPI_Comm communicator);
  void forget_window(MPI_Win handle) noexcept;

  /// A file that was opened now by the members of `communicator`.
  void add_file(MPI_File handle, MPI_Comm communicator);
  /// Who opened it; null if that was not seen.
  const TracedCommunicator* find_file(MPI_File handle);

  /// The number of the list of its ranks.
  std::uint32_t group(MPI_Group group);

  void bind_message(MPI_Message handle, const TracedMessage& message);
  /// Without a communicator if it is not known.
  TracedMessage take_message(MPI_Message handle) noexcept;

  /// Fills in communicators, windows and groups; `with_names`, for which MPI is called, their
  /// names.
  void describe(RecordedTrace& trace, bool with_names);

 private:
  const TracedCommunicator& add_new(MPI_Comm handle);  // these under mutex_
  const TracedCommunicator& add_described(RecordedCommunicator recorded, TracedCommunicator known);
  const TracedWindow& add_window_of(MPI_Win handle, TracedCommunicator& communicator);
  TracedCommunicator& find_locked(MPI_Comm handle);
  std::uint32_t number_of(std::vector<std::uint32_t> ranks);
  std::uint32_t number_or_everybody(std::vector<std::uint32_t> ranks);
  [[nodiscard]] std::uint32_t size_of(std::uint32_t group) const;
  [[nodiscard]] std::uint64_t hash_of_group(std::uint32_t number) const;
  void name(std::uint32_t number, MPI_Comm handle) noexcept;

  std::uint32_t ranks_ = 0;  // of MPI_COMM_WORLD
  std::uint32_t own_rank_ = 0;
  std::mutex mutex_;  // of what follows
  std::deque<TracedCommunicator> communicators_;
  std::vector<RecordedCommunicator> recorded_;
  std::unordered_map<std::uint64_t, std::uint64_t> made_;  // how many, by their members' hash
  std::unordered_map<MPI_Comm, TracedCommunicator*> by_handle_;
  std::deque<TracedWindow> windows_;
  std::vector<RecordedWindow> recorded_windows_;
  std::unordered_map<MPI_Win, const TracedWindow*> window_by_handle_;
  // Also of files that were closed: a handle of the same value is of a file that was opened later.
  std::unordered_map<MPI_File, const TracedCommunicator*> file_by_handle_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
  std::vector<const std::vector<std::uint32_t>*> group_by_number_;
  std::unordered_map<MPI_Message, TracedMessage> messages_;
};

/// A request of a traced rank, and what it is for.
struct TracedRequest {
  /// An exchange is the receive of MPI_Isendrecv.
  enum class Kind : std::uint8_t { kSend, kReceive, kExchange, kCollective };
  std::uint64_t number = traces::kNoRequest;  ///< of a persistent one: since its last start
  const TracedCommunicator* communicator = nullptr;
  std::uint64_t bytes = 0;  ///< not of receives
  std::uint32_t peer =
      traces::kNobody;    ///< not of receives; a collective's root: rank in the trace
  std::uint32_t tag = 0;  ///< of sends and exchanges
  Kind kind = Kind::kSend;
  traces::Collective collective = traces::Collective::kNone;
  bool persistent = false;
  bool active = true;  ///< of a persistent one: it was started
};

/// The requests of a rank that are on their way, by MPI's handle. MPI libraries use one handle for
/// several sends that ended at once: they come out in the order they went in. Safe from any thread.
class TracedRequests {
 public:
  void add(MPI_Request handle, const TracedRequest& request);
  /// The request has ended: it is forgotten, or inactive if it is persistent. Nothing if it is not
  /// known or not active.
  std::optional<TracedRequest> end(MPI_Request handle) noexcept;
  /// A persistent one begins again, under a new number. Nothing if it is not known.
  std::optional<TracedRequest> start(MPI_Request handle, std::uint64_t number) noexcept;
  void forget(MPI_Request handle) noexcept;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Slot {
    MPI_Request handle{};
    std::uint32_t first = kNone;  // kNone: the slot is free
    std::uint32_t last = kNone;
  };
  struct Entry {
    TracedRequest request;
    std::uint32_t next = kNone;
  };

  [[nodiscard]] std::size_t home_of(MPI_Request handle) const;
  [[nodiscard]] std::size_t slot_of(MPI_Request handle) const;  // its own, or the free one for it
  void remove_first(std::size_t slot);
  void free_slot(std::size_t slot);
  void grow();

  std::mutex mutex_;
  // Open addressing with linear probing; a power of two, never more than half full.
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::uint32_t free_entry_ = kNone;
};

}  // namespace huddle::recorder
