#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "profiles/recorder/operations.hpp"
#include "profiles/recorder/threads.hpp"

namespace huddle::recorder {

/// The counts that a program passes for many ranks, whatever their type. Does not own them.
class Counts {
 public:
  Counts(const int* counts) : counts_(counts) {}              // NOLINT: stands for the argument
  Counts(const MPI_Count* counts) : large_counts_(counts) {}  // NOLINT: likewise

  MPI_Count operator[](std::size_t i) const {
    return large_counts_ != nullptr ? large_counts_[i] : counts_[i];
  }

 private:
  const int* counts_ = nullptr;
  const MPI_Count* large_counts_ = nullptr;
};

/// Tables that the accounting of all threads shares. Owned by the run, safe from any thread.
struct SharedAccounts {
  PersistentTransfers persistent;
  CommunicatorTable communicators;
};

/// As profiles name it: "allreduce".
const std::string& name_of_operation(std::uint32_t operation);
/// The names in a trace, "MPI_Allreduce", of all operations and LifecycleCalls, by number. Throws
/// std::bad_alloc.
std::vector<std::string> names_of_traced_calls();

/// Counts what one successful MPI call did. The lines of calls.def name its members. Owned by the
/// calling thread. All members throw std::bad_alloc.
///
/// The bytes of a collective are this rank's contribution: the data that it provides for others or
/// for the reduction, its own share included, not what it receives.
class CallAccounting {
 public:
  /// The root of collectives whose result goes to all.
  static constexpr int kAllReceive = 0;

  /// `ticks` were spent inside the call; only collectives use them.
  CallAccounting(ThreadState& thread, SharedAccounts& shared, Operation operation,
                 std::uint64_t ticks)
      : thread_(thread), shared_(shared), operation_(operation), ticks_(ticks) {}

  void nothing() {}

  /// The MPI library may continue it inside later completions, and call MPI there: from now on all
  /// calls of this thread go the way on which nested calls are not counted as the program's.
  void began_file_access() { thread_.clock.pass_over_none(); }

  [[gnu::always_inline]] void sent(MPI_Count count, MPI_Datatype type, int to, MPI_Comm comm) {
    if (thread_.recent_sends.count_again(count, type, to, comm)) [[likely]]
      return;
    sent_first(count, type, to, comm);
  }
  /// Has the transfer that the member called next names counted when `request` is started, each
  /// time.
  CallAccounting& prepares(MPI_Request request) {
    request_ = request;
    prepares_ = true;
    return *this;
  }
  void prepared(MPI_Count count, MPI_Datatype type, int to, MPI_Comm comm, MPI_Request request);
  void started(int count, const MPI_Request requests[]);

  void met(MPI_Comm comm);
  void broadcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
  void gathered(const void* out, MPI_Count out_count, MPI_Datatype out_type, MPI_Count in_count,
                MPI_Datatype in_type, int root, MPI_Comm comm);
  void gathered(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                const Counts& in_counts, MPI_Datatype in_type, int root, MPI_Comm comm);
  void scattered(MPI_Count out_count, MPI_Datatype type, int root, MPI_Comm comm);
  void scattered(const Counts& out_counts, MPI_Datatype type, int root, MPI_Comm comm);
  void exchanged(const void* out, MPI_Count out_count, MPI_Datatype out_type, MPI_Count in_count,
                 MPI_Datatype in_type, MPI_Comm comm);
  void exchanged(const void* out, const Counts& out_counts, MPI_Datatype out_type,
                 const Counts& in_counts, MPI_Datatype in_type, MPI_Comm comm);
  void exchanged(const void* out, const Counts& out_counts, const MPI_Datatype out_types[],
                 const Counts& in_counts, const MPI_Datatype in_types[], MPI_Comm comm);
  void reduced(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
  void reduced_and_scattered(MPI_Count in_count, MPI_Datatype type, MPI_Comm comm);
  void reduced_and_scattered(const Counts& in_counts, MPI_Datatype type, MPI_Comm comm);

  /// The same to each neighbour, or to each its own.
  void sent_to_neighbours(MPI_Count out_count, MPI_Datatype type, MPI_Comm comm);
  void sent_to_neighbours(const Counts& out_counts, MPI_Datatype type, MPI_Comm comm);
  void sent_to_neighbours(const Counts& out_counts, const MPI_Datatype types[], MPI_Comm comm);

  void put(MPI_Count count, MPI_Datatype type, int target, MPI_Win win);
  void fetched(MPI_Count count, MPI_Datatype type, int target, MPI_Win win);
  /// MPI_NO_OP puts nothing.
  void put_and_fetched(MPI_Count count, MPI_Datatype type, MPI_Count fetched_count,
                       MPI_Datatype fetched_type, int target, MPI_Op op, MPI_Win win);
  /// Counted as one value there and one back, as Open MPI's monitoring does.
  void compared_and_swapped(MPI_Datatype type, int target, MPI_Win win);

 private:
  UsedCommunicator& communicator(MPI_Comm comm) { return thread_.communicators.find(comm); }
  std::uint64_t bytes(MPI_Count count, MPI_Datatype type) {
    return thread_.sizes.bytes(count, type);
  }
  // Returns the bytes of counts for `ranks` ranks, in elements of one type.
  std::uint64_t total(const Counts& counts, int ranks, MPI_Datatype type);
  void add_collective(UsedCommunicator& communicator, std::uint64_t bytes,
                      std::vector<PersistentTransfer::Message> messages = {});
  [[gnu::cold]] void sent_first(MPI_Count count, MPI_Datatype type, int to, MPI_Comm comm);
  template <class BytesTo>
  void add_sent_to_neighbours(MPI_Comm comm, BytesTo bytes_to);
  void add_one_sided(Traffic kind, std::uint64_t bytes, int target, MPI_Win win);

  ThreadState& thread_;
  SharedAccounts& shared_;
  Operation operation_;
  std::uint64_t ticks_;
  MPI_Request request_{};
  bool prepares_ = false;
};

}  // namespace huddle::recorder
