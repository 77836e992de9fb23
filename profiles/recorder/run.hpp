#pragma once

// One recorded run: what the wrappers of MPI count into, from MPI_Init to MPI_Finalize.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/call_accounting.hpp"
#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/openmp/region_records.hpp"
#include "profiles/recorder/process/run_request.hpp"
#include "profiles/recorder/process/this_process.hpp"
#include "profiles/recorder/profile/measures.hpp"
#include "profiles/recorder/profile/parts.hpp"
#include "profiles/recorder/profile/phases.hpp"
#include "profiles/recorder/threads.hpp"
#include "profiles/recorder/tracing/run_trace.hpp"

namespace huddle::recorder {

/// One rank's part of one recorded run, from the end of MPI_Init on. Whatever needs MPI is done by
/// the constructor and write_complete(); the rest works where MPI can't be called any more.
class Run {
 public:
  /// Collective over MPI_COMM_WORLD. Throws Error.
  Run(Program program, Destination destination, Job job, Measures::Options measures,
      TraceRequest trace);

  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  Threads& threads() { return threads_; }
  SharedAccounts& accounts() { return accounts_; }
  RegionRecords& regions() { return regions_; }
  /// Null if nothing is counted.
  [[nodiscard]] const counters::CounterSet* counter_set() const { return measures_.counter_set(); }
  /// The state of the thread that called MPI_Init: its time inside MPI and its phases are the
  /// rank's.
  [[nodiscard]] ThreadState& first_thread() const { return first_thread_; }

  /// Null if the run is not traced.
  [[nodiscard]] RunTrace* trace() const { return trace_.get(); }
  /// For the state of a thread that begins to call MPI, by that thread: traces it if the run is
  /// traced.
  void begin_thread(ThreadState& state) noexcept;
  /// Collective, if the run is traced: no more events are recorded. Throws Error.
  void end_trace();
  /// Collective, if the run is traced. Throws Error.
  void write_trace();

  /// Collective: for the profile's notes, and for the trace. Before both are written. Throws Error.
  void note_other_tools();

  /// Collective: rank 0 writes the profile of all ranks, holding one other rank's record at a time.
  /// `kept`: whether this rank has kept all counts. Throws Error; on rank 0 only if the file
  /// was not written.
  void write_complete(bool kept);

  /// Leaves what this rank knows now, from which, and from what the others have left in files, a
  /// profile is made that is marked as cut short for `reason`: by this rank where there is no spool
  /// and there are few ranks. Waits for nobody: the launcher watches how this process ends, and
  /// when. Throws Error.
  void write_cut_short(const std::string& reason);

  /// MPI_Init returns to the program.
  void begin_program() { has_program_ = true; }
  /// The program's own time begins, when all is set up that recording takes: by the first thread.
  void begin_window() noexcept;
  /// MPI_Finalize begins on this rank, whose time is over, however long the others take to come.
  /// Once.
  void end_window() noexcept;

  /// Begins to keep what is recorded in files, every few seconds, in case the run is killed.
  void keep_snapshots();

  /// True if this process is the rank, and not a copy made by fork().
  [[nodiscard]] bool is_this_process() const;

  /// True for the first caller only, which may write the profile.
  bool end() { return !ended_.exchange(true); }

 private:
  // These three are safe from any thread, while others record.
  [[nodiscard]] RankRecord record() const;
  [[nodiscard]] SharedTables tables() const;
  [[nodiscard]] Piece piece() const;
  // Returns what this rank alone has measured so far, as a complete profile of one rank: others,
  // and what the rank sends to them, are no part of it.
  [[nodiscard]] std::string profile_of_rank() const;
  [[nodiscard]] Profile description() const;
  // Takes over from rank 0 which run this is.
  void agree_on_run(Job job);
  void begin_trace(TraceRequest request);
  [[nodiscard]] Encoding encoding() const { return destination_.encoding(ranks_); }
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] bool is_spooled() const { return destination_.spooled(ranks_); }
  Parts& parts();  // under parts_mutex_; throws Error
  void take_snapshot() noexcept;
  void write_all(const Piece& own) const;

  Program program_;
  Destination destination_;
  Channel channel_;
  int process_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  RunIdentity identity_;
  std::string library_;
  Threads threads_;
  ThreadState& first_thread_;
  SharedAccounts accounts_;
  RegionRecords regions_;
  mutable Measures measures_;
  bool has_program_ = false;  // a tool may keep a rank for itself in MPI_Init
  bool tools_follow_;
  bool keeps_ranks_ = false;  // on any rank
  std::atomic<bool> ended_{false};
  Seconds cpu_begin_;
  Moment begin_;
  // Set once, before the flag is.
  Seconds cpu_end_;
  Moment end_;
  std::atomic<bool> window_has_ended_{false};
  std::unique_ptr<PhaseTracker> phases_;
  std::unique_ptr<RunTrace> trace_;
  std::vector<std::string> remarks_;
  std::mutex parts_mutex_;  // of parts_: the snapshots' thread may run while another one aborts
  std::optional<Parts> parts_;
  std::uint32_t snapshots_due_ = 0;  // of the snapshots' thread
  std::unique_ptr<Snapshots> snapshots_;
};

}  // namespace huddle::recorder
