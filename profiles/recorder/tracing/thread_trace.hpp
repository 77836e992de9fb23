#pragma once

// The events of a thread: what the wrappers of MPI record in them.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "profiles/recorder/mpi/communicators.hpp"
#include "profiles/recorder/profile/call_sites.hpp"
#include "profiles/recorder/trace/call_paths.hpp"
#include "profiles/recorder/trace/event_buffer.hpp"
#include "profiles/recorder/tracing/openmp_tables.hpp"
#include "profiles/recorder/tracing/trace_tables.hpp"

namespace huddle::recorder {

/// State that the traced threads of a rank share. Safe from any thread.
struct SharedTrace {
  SharedTrace(std::uint64_t limit_bytes, std::string executable)
      : writer(limit_bytes), paths(std::move(executable)) {}
  EventWriter writer;
  CallPathTable paths;
  TraceTables tables;
  TracedRequests requests;
  OpenMpTables openmp;
  /// Number of functions of MPI: regions are numbered behind them.
  std::uint32_t operations = 0;
  std::atomic<std::uint64_t> next_request{0};
  /// In ticks: polls that find nothing and follow each other within this time are recorded as one
  /// call.
  std::uint64_t longest_pause_of_polls = 0;
  /// Something could not be kept, and so the trace is not whole.
  std::atomic<bool> gave_up{false};
  /// Some teams have more threads than are recorded.
  std::atomic<bool> large_teams{false};
};

/// The events of one thread, or of several that followed each other. That thread calls all members
/// but events(), which is safe from any thread.
class ThreadTrace {
 public:
  /// Throws SystemError and std::bad_alloc.
  ThreadTrace(SharedTrace& shared, std::filesystem::path file, std::size_t portion,
              std::uint32_t number)
      : shared_(shared), events_(std::move(file), portion, shared.writer), number_(number) {}

  /// The thread's number in the rank: an index in RecordedTrace::threads.
  [[nodiscard]] std::uint32_t number() const { return number_; }

  /// The calling thread begins here.
  void begin_thread() {
    sites_.emplace();
    path_numbers_.clear();
  }

  [[nodiscard]] SharedTrace& shared() const { return shared_; }
  EventBuffer& events() { return events_; }
  void append(const traces::Event& event) noexcept { events_.append(event); }

  /// A call of `operation` from there began at `time`, and ended.
  void enter(std::uint32_t operation, const void* return_address, const void* frame,
             std::uint64_t time) noexcept;
  void leave(std::uint64_t time) noexcept;
  /// The call was a poll that found nothing: the same call within a moment continues it.
  void leave_poll(std::uint64_t time) noexcept { poll_left_ = time; }
  /// A region of OpenMP, by its number, that the thread begins outside of all calls of MPI.
  void enter_region(std::uint32_t region, const void* return_address, const void* frame,
                    std::uint64_t time) noexcept;
  /// Appends an event inside the region.
  void append_of_region(const traces::Event& event) noexcept {
    end_poll();
    append(event);
  }
  /// Nothing more comes of this thread.
  void finish() noexcept { end_poll(); }

  const TracedCommunicator& communicator(MPI_Comm handle) {
    const std::uint64_t generation = handle_generation.load(std::memory_order_acquire);
    if (communicator_ != nullptr && handle_ == handle && generation_ == generation) [[likely]]
      return *communicator_;
    communicator_ = &shared_.tables.find(handle);
    handle_ = handle;
    generation_ = generation;
    return *communicator_;
  }
  std::uint64_t new_request() {
    return shared_.next_request.fetch_add(1, std::memory_order_relaxed);
  }

  /// For calls that complete several requests: what the handles were before, and the results where
  /// the program wants none. They grow as the program needs it.
  std::vector<MPI_Request> requests;
  std::vector<MPI_Status> statuses;

 private:
  std::uint32_t path_of(const void* return_address, const void* frame);
  std::uint32_t path_or_none(const void* return_address, const void* frame) noexcept;
  void end_poll() noexcept;

  SharedTrace& shared_;
  EventBuffer events_;
  std::uint32_t number_;
  std::optional<CallSites> sites_;
  std::vector<std::uint32_t> path_numbers_;  // by CallSite::number
  // The call that is under way, or the last one.
  std::uint32_t operation_ = 0;
  std::uint32_t path_ = 0;
  std::uint64_t poll_left_ = 0;  // when it ended, if it may go on; else 0
  MPI_Comm handle_{};
  const TracedCommunicator* communicator_ = nullptr;
  std::uint64_t generation_ = 0;
};

}  // namespace huddle::recorder
