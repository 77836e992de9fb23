#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/trace/node_clocks.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/recorder/trace/thread_trace.hpp"
#include "profiles/recorder/process/tick_clock.hpp"
#include "profiles/recorder/process/trace_request.hpp"

namespace huddle::recorder {

/// One rank's trace of a run, from the end of MPI_Init to MPI_Finalize.
class RunTrace {
 public:
  struct Identity {
    std::uint32_t rank = 0;
    std::uint32_t ranks = 1;
    std::string run;         ///< the same on all ranks, and no other run's
    std::string executable;  ///< of the program
  };

  /// Rank 0's request, on all ranks. Collective. Throws Error where MPI fails; where files can't be
  /// made, this rank's trace is empty and says so.
  RunTrace(const Channel& all, const TraceRequest& request, Identity identity);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// For a thread that begins now; null if it can't be traced. Safe from any thread.
  ThreadTrace* new_thread() noexcept;

  /// The clocks' second measurement, as near to the last events as can be. Collective. Throws
  /// Error.
  void end();
  /// Writes what is still in memory, and what tells its meaning, to "<rank>.definitions". Where MPI
  /// may be called, with the names that it knows. Throws Error.
  RecordedTrace save(bool with_names);
  /// The same while the run goes on, in case it is killed. A file's metadata change only if events
  /// name something new: a parallel file system stays calm. Throws Error.
  void save_for_now();
  /// Why the trace ends before the run does, a phrase; empty if it does not.
  [[nodiscard]] std::string why_ended() const { return shared_.writer.why_ended(); }

  [[nodiscard]] SharedTrace& shared() { return shared_; }

 private:
  RecordedTrace told(bool with_names);
  void write_definitions(const RecordedTrace& trace) const;
  void show_life() const;
  [[nodiscard]] std::filesystem::path definitions_file() const;
  [[nodiscard]] std::vector<std::string> remarks() const;
  void make_folder() noexcept;

  Identity identity_;
  std::filesystem::path folder_;
  std::filesystem::path raw_folder_;
  std::size_t portion_;
  SharedTrace shared_;
  NodeClocks clocks_;
  Moment begin_;
  ClockPoint clock_begin_;
  ClockPoint clock_end_;
  mutable std::mutex mutex_;  // of the threads
  std::vector<std::unique_ptr<ThreadTrace>> threads_;
  std::size_t told_for_now_ = 0;  // of save_for_now(): how many things were named the last time
};

}  // namespace huddle::recorder
