#pragma once

#include <cstdint>

#include "profiles/recorder/call_accounting.hpp"
#include "profiles/recorder/tracing/thread_trace.hpp"

namespace huddle::recorder {

/// Records the events of one call of MPI by a traced thread. It is made before the real call. Each
/// line of calls.def names one of its members: that is called before the real call, too, and
/// returns a function that records what the call did, for leave(). Where the program wants no
/// status, the member puts one of its own in that place. Members that are called before the real
/// call don't throw; those after it throw std::bad_alloc.
class TracedCall {
 public:
  TracedCall(ThreadState& thread, Operation operation, std::uint64_t begin,
             const void* return_address, const void* frame) noexcept
      : thread_(thread), trace_(*thread.trace), begin_(begin) {
    thread.contributed = 0;
    trace_.enter(static_cast<std::uint32_t>(operation), return_address, frame, begin);
  }
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;

  /// After the real call, which ended at `end` with this error code. The wall for what `record`
  /// throws.
  template <class Record>
  void leave(std::uint64_t end, int outcome, const Record& record) noexcept {
    end_ = end;
    outcome_ = outcome;
    try {
      if (outcome == MPI_SUCCESS || completes_) record();
    } catch (...) {
      trace_.shared().gave_up.store(true);
    }
    if (found_nothing_)
      trace_.leave_poll(end);
    else
      trace_.leave(end);
  }

  [[nodiscard]] static auto nothing() {
    return [] {};
  }

  // Messages

  [[nodiscard]] auto sends(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return [=, this] { sent(count, type, to, tag, comm); };
  }
  [[nodiscard]] auto receives(MPI_Comm comm, MPI_Status*& status) {
    use_own(status);
    completes_ = true;
    return [=, this] {
      if (took_message(outcome_)) received(trace_.communicator(comm), *status);
    };
  }
  [[nodiscard]] auto exchanges(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                               MPI_Status*& status) {
    use_own(status);
    completes_ = true;
    return [=, this] {
      if (!took_message(outcome_)) return;
      sent(count, type, to, tag, comm);
      received(trace_.communicator(comm), *status);
    };
  }
  [[nodiscard]] auto matches(MPI_Comm comm, const MPI_Message* message) {
    return [=, this] { matched(comm, *message); };
  }
  [[nodiscard]] auto matches(MPI_Comm comm, const int* flag, const MPI_Message* message) {
    return [=, this] { *flag != 0 ? matched(comm, *message) : found_nothing(); };
  }
  [[nodiscard]] auto looks(const int* flag) {
    return [=, this] {
      if (*flag == 0) found_nothing();
    };
  }
  [[nodiscard]] auto receives_matched(const MPI_Message* message, MPI_Status*& status) {
    use_own(status);
    completes_ = true;
    return [=, this, taken = take_message(message)] { received_matched(taken, *status); };
  }

  // Requests; `flag` is kNoFlag for calls that wait.

  static constexpr const int* kNoFlag = nullptr;

  [[nodiscard]] auto posts_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                const MPI_Request* request) {
    return [=, this] { posted_send(count, type, to, tag, comm, *request); };
  }
  /// MPI_Isendrecv: one request for both.
  [[nodiscard]] auto posts_exchange(MPI_Count count, MPI_Datatype type, int to, int tag,
                                    MPI_Count in_count, MPI_Datatype in_type, int from, int in_tag,
                                    MPI_Comm comm, const MPI_Request* request) {
    return [=, this] {
      sent(count, type, to, tag, comm);
      posted_receive_of_exchange(in_count, in_type, from, in_tag, comm, *request);
    };
  }
  [[nodiscard]] auto posts_receive(int from, MPI_Comm comm, const MPI_Request* request) {
    return [=, this] { posted_receive(from, trace_.communicator(comm), *request); };
  }
  [[nodiscard]] auto posts_matched(const MPI_Message* message, const MPI_Request* request) {
    return [=, this, taken = take_message(message)] { posted_matched(taken, *request); };
  }
  [[nodiscard]] auto prepares_send(MPI_Count count, MPI_Datatype type, int to, int tag,
                                   MPI_Comm comm, const MPI_Request* request) {
    return [=, this] { prepared_send(count, type, to, tag, comm, *request); };
  }
  [[nodiscard]] auto prepares_receive(int from, MPI_Comm comm, const MPI_Request* request) {
    return [=, this] { prepared_receive(from, comm, *request); };
  }
  [[nodiscard]] auto starts(int count, const MPI_Request* requests) {
    return [=, this] {
      for (int i = 0; i < count; ++i) started(requests[i]);
    };
  }
  [[nodiscard]] auto completes(const MPI_Request* request, const int* flag, MPI_Status*& status) {
    use_own(status);
    completes_ = true;
    return [=, this, kept = keep(1, request)] {
      if (nothing_completed(flag)) return found_nothing();
      if (kept) completed_only(0, request, *status);
    };
  }
  [[nodiscard]] auto completes_all(int count, const MPI_Request* requests, const int* flag,
                                   MPI_Status*& statuses) {
    completes_ = true;
    const bool kept = keep(count, requests, statuses);
    return [=, this] {
      if (nothing_completed(flag)) return found_nothing();
      if (kept) completed_all(count, requests, statuses);
    };
  }
  [[nodiscard]] auto completes_any(int count, const MPI_Request* requests, const int* index,
                                   const int* flag, MPI_Status*& status) {
    use_own(status);
    completes_ = true;
    const bool kept = keep(count, requests);
    return [=, this] {
      if (nothing_completed(flag)) return found_nothing();
      if (kept) completed_any(count, requests, index, *status);
    };
  }
  /// MPI_Waitsome and MPI_Testsome, which may find nothing.
  [[nodiscard]] auto completes_some(int count, const MPI_Request* requests, const int* done,
                                    const int* indices, MPI_Status*& statuses) {
    completes_ = true;
    const bool kept = keep(count, requests, statuses);
    return [=, this] {
      if (nothing_completed(done)) return found_nothing();
      if (kept) completed_some(done, indices, statuses);
    };
  }

  // Collectives

  static constexpr int kNoRoot = MPI_ANY_SOURCE;

  [[nodiscard]] auto joins(traces::Collective kind, int root, MPI_Comm comm) {
    return [=, this] { joined(kind, root, comm); };
  }
  [[nodiscard]] auto joins(traces::Collective kind, MPI_Comm comm) {
    return joins(kind, kNoRoot, comm);
  }
  [[nodiscard]] auto begins(traces::Collective kind, int root, MPI_Comm comm,
                            const MPI_Request* request) {
    return [=, this] { begun(kind, root, comm, *request); };
  }
  [[nodiscard]] auto begins(traces::Collective kind, MPI_Comm comm, const MPI_Request* request) {
    return begins(kind, kNoRoot, comm, request);
  }
  [[nodiscard]] auto prepares(traces::Collective kind, int root, MPI_Comm comm,
                              const MPI_Request* request) {
    return [=, this] { prepared_collective(kind, root, comm, *request); };
  }
  [[nodiscard]] auto prepares(traces::Collective kind, MPI_Comm comm, const MPI_Request* request) {
    return prepares(kind, kNoRoot, comm, request);
  }

  // Communicators

  [[nodiscard]] auto makes(MPI_Comm comm, const MPI_Comm* made) {
    return [=, this] {
      this->made(*made);
      joined(traces::Collective::kOther, kNoRoot, comm);
    };
  }
  /// For calls in which only the new communicator's ranks take part.
  [[nodiscard]] auto makes_alone(const MPI_Comm* made) {
    return [=, this] {
      this->made(*made);
      if (*made != no_communicator()) joined(traces::Collective::kOther, kNoRoot, *made);
    };
  }
  [[nodiscard]] auto begins_copy(MPI_Comm comm, const MPI_Comm* made, const MPI_Request* request) {
    return [=, this] { begun_copy(comm, *made, *request); };
  }
  [[nodiscard]] auto frees(const MPI_Comm* comm) noexcept {
    return [=, this, known = known_communicator(comm)] {
      if (known != nullptr) joined_known(traces::Collective::kOther, kNoRoot, *known);
    };
  }

  // One-sided

  [[nodiscard]] auto accesses(MPI_Count count, MPI_Datatype type, int target, MPI_Win win) {
    return [=, this] { accessed(thread_.sizes.bytes(count, type), target, win); };
  }
  [[nodiscard]] auto accesses(MPI_Count count, MPI_Datatype type, MPI_Count fetched,
                              MPI_Datatype type_fetched, int target, MPI_Win win) {
    return [=, this] {
      accessed(thread_.sizes.bytes(count, type) + thread_.sizes.bytes(fetched, type_fetched),
               target, win);
    };
  }
  /// MPI_NO_OP puts nothing: MPI ignores `count` and `type`, which need not be valid then.
  [[nodiscard]] auto accesses(MPI_Count count, MPI_Datatype type, MPI_Count fetched,
                              MPI_Datatype type_fetched, int target, MPI_Op op, MPI_Win win) {
    return [=, this] {
      const std::uint64_t put = op == no_op() ? 0 : thread_.sizes.bytes(count, type);
      accessed(put + thread_.sizes.bytes(fetched, type_fetched), target, win);
    };
  }
  [[nodiscard]] auto makes_window(MPI_Comm comm, const MPI_Win* win) {
    return [=, this] {
      trace_.shared().tables.add_window(*win, comm);
      synchronised(traces::EventKind::kWindowCreated, *win);
    };
  }
  [[nodiscard]] auto frees_window(const MPI_Win* win) noexcept {
    return [=, this, known = known_window(win)] {
      if (known != nullptr) synchronised(traces::EventKind::kWindowFreed, *known);
    };
  }
  [[nodiscard]] auto synchronises(traces::EventKind kind, MPI_Win win) {
    return [=, this] { synchronised(kind, win); };
  }
  [[nodiscard]] auto synchronises(traces::EventKind kind, MPI_Win win, const int* flag) {
    return [=, this] { *flag != 0 ? synchronised(kind, win) : found_nothing(); };
  }
  [[nodiscard]] auto synchronises(traces::EventKind kind, MPI_Group group, MPI_Win win) {
    return [=, this] { synchronised(kind, group, win); };
  }
  [[nodiscard]] auto locks(int type, int target, MPI_Win win) {
    return [=, this] {
      if (target >= 0)
        locked(traces::EventKind::kWindowLocked, type == MPI_LOCK_EXCLUSIVE, target, win);
    };
  }
  [[nodiscard]] auto unlocks(int target, MPI_Win win) {
    return [=, this] {
      if (target >= 0) locked(traces::EventKind::kWindowUnlocked, false, target, win);
    };
  }
  [[nodiscard]] auto locks_all(MPI_Win win) {
    return [=, this] { locked(traces::EventKind::kWindowLocked, false, kAllTargets, win); };
  }
  [[nodiscard]] auto unlocks_all(MPI_Win win) {
    return [=, this] { locked(traces::EventKind::kWindowUnlocked, false, kAllTargets, win); };
  }

  // Files

  [[nodiscard]] auto opens_file(MPI_Comm comm, const MPI_File* file) {
    return [=, this] { trace_.shared().tables.add_file(*file, comm); };
  }
  /// All members of the file's communicator do.
  [[nodiscard]] auto accesses_file(MPI_Count count, MPI_Datatype type, MPI_File file) {
    return [=, this] { accessed_file(thread_.sizes.bytes(count, type), file); };
  }

 private:
  void use_own(MPI_Status*& status) {
    if (status == MPI_STATUS_IGNORE) status = &own_status_;
  }
  bool keep(int count, const MPI_Request* requests) noexcept;
  bool keep(int count, const MPI_Request* requests, MPI_Status*& statuses) noexcept;
  // The program's pointer may be null: MPI will complain.
  // What `action` returns; if memory is short, a remark says that events are missing.
  template <class Action>
  auto attempt(const Action& action) noexcept -> decltype(action()) {
    try {
      return action();
    } catch (...) {
      trace_.shared().gave_up.store(true);
      return {};
    }
  }
  const TracedCommunicator* known_communicator(const MPI_Comm* handle) noexcept;
  const TracedWindow* known_window(const MPI_Win* handle) noexcept;
  TracedMessage take_message(const MPI_Message* message) noexcept;

  /// True if a receive that ended so has taken a message: also if that was cut.
  static bool took_message(int error);
  void found_nothing() { found_nothing_ = true; }
  /// `found`: a flag, or how many.
  [[nodiscard]] bool nothing_completed(const int* found) const {
    return outcome_ == MPI_SUCCESS && found != nullptr && *found == 0;
  }
  void sent(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
  void received(const TracedCommunicator& comm, const MPI_Status& status,
                std::uint64_t request = traces::kNoRequest);
  void matched(MPI_Comm comm, MPI_Message message);
  void received_matched(const TracedMessage& message, const MPI_Status& status);
  void posted_matched(const TracedMessage& message, MPI_Request request);
  void posted_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request request);
  void posted_receive_of_exchange(MPI_Count count, MPI_Datatype type, int from, int tag,
                                  MPI_Comm comm, MPI_Request request);
  void received_in_exchange(const TracedRequest& request, const MPI_Status& status);
  void posted_receive(int from, const TracedCommunicator& comm, MPI_Request request);
  void prepared_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request request);
  void prepared_receive(int from, MPI_Comm comm, MPI_Request request);
  void started(MPI_Request request);
  // For requests that were kept, by their place in the array.
  void completed(std::size_t place, const MPI_Status& status);
  void completed_only(std::size_t place, const MPI_Request* request, const MPI_Status& status);
  void completed_all(int count, const MPI_Request* requests, const MPI_Status* statuses);
  void completed_any(int count, const MPI_Request* requests, const int* index,
                     const MPI_Status& status);
  void completed_some(const int* done, const int* indices, const MPI_Status* statuses);
  void failed(std::size_t place, int error, const MPI_Status& status);
  void joined(traces::Collective kind, int root, MPI_Comm comm);
  void joined_known(traces::Collective kind, int root, const TracedCommunicator& comm);
  TracedRequest collective_request(traces::Collective kind, int root, MPI_Comm comm);
  void prepared_collective(traces::Collective kind, int root, MPI_Comm comm, MPI_Request request);
  void begun(traces::Collective kind, int root, MPI_Comm comm, MPI_Request request);
  void made(MPI_Comm comm);
  void begun_copy(MPI_Comm comm, MPI_Comm copy, MPI_Request request);
  void accessed(std::uint64_t bytes, int target, MPI_Win win);
  void synchronised(traces::EventKind kind, MPI_Win win);
  void synchronised(traces::EventKind kind, const TracedWindow& window);
  void synchronised(traces::EventKind kind, MPI_Group group, MPI_Win win);
  static constexpr int kAllTargets = -1;
  void accessed_file(std::uint64_t bytes, MPI_File file);
  void locked(traces::EventKind kind, bool exclusive, int target, MPI_Win win);

  void record_send(const TracedRequest& request);
  ThreadState& thread_;
  ThreadTrace& trace_;
  std::uint64_t begin_;
  std::uint64_t end_ = 0;
  int outcome_ = MPI_SUCCESS;
  bool completes_ = false;  // something may have ended even if the call failed
  bool found_nothing_ = false;
  MPI_Status own_status_;  // not initialised: MPI fills it in
};

}  // namespace huddle::recorder
