#pragma once

// The trace of one rank while the program runs: its clocks, threads and files.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/process/run_request.hpp"
#include "profiles/recorder/profile/power_sampler.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/recorder/tracing/team_trace.hpp"
#include "profiles/recorder/tracing/thread_trace.hpp"

namespace huddle::recorder {

/// Holds the clocks of the nodes against that of rank 0's node. The ranks of a node share a clock,
/// so one of them measures for all. One thread's; lives until MPI_Finalize.
class NodeClocks {
 public:
  /// Collective over all ranks. Throws Error.
  explicit NodeClocks(const Channel& all);

  /// A moment by this rank's clock and by rank 0's: of some messages there and back the one that
  /// took the shortest (Cristian, 1989), so that the uncertainty is half its time. Collective over
  /// all ranks; rank 0 asks one node after the other. Throws Error.
  [[nodiscard]] ClockPoint measure() const;
  /// True if this rank is the first of its node.
  [[nodiscard]] bool is_first_of_node() const { return node_.rank() == 0; }

 private:
  Channel node_;
  std::optional<Channel> leaders_;
};

/// One rank's trace of a run, from the end of MPI_Init to MPI_Finalize.
class RunTrace {
 public:
  struct Identity {
    std::uint32_t rank = 0;
    std::uint32_t ranks = 1;
    std::string run;                      ///< the same on all ranks, and no other run's
    std::string executable;               ///< of the program
    std::string build_id;                 ///< of that; empty if it has none
    std::vector<std::string> operations;  ///< names of the MPI functions, by number
    Job job = {};
  };

  /// Rank 0's request, on all ranks. Collective. Throws Error where MPI fails; where files can't be
  /// made, this rank's trace is empty and says so.
  RunTrace(const Channel& all, const TraceRequest& request, Identity identity);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// For a thread that begins now; null if it can't be traced. Safe from any thread.
  ThreadTrace* new_thread() noexcept { return new_thread(kPortion); }

  /// Returns the teams of OpenMP that this thread begins: the same for each call; null if there is
  /// no memory. Safe from any thread. Lives as long as this.
  TeamTrace* teams_of(ThreadTrace& beginner) noexcept;

  /// The clocks' second measurement, as near to the last events as can be. Collective. Throws
  /// Error.
  void end();
  /// Writes what is still in memory, and what it refers to, to "<rank>.definitions". Where MPI
  /// may be called, with the names that it knows. Throws Error.
  RecordedTrace save(bool with_names);
  /// The same while the run goes on, in case it is killed. A file's metadata change only if events
  /// name something new: a parallel file system stays calm. Throws Error.
  void save_for_now();
  /// Why the trace ends before the run does, a phrase; empty if it does not.
  [[nodiscard]] std::string why_ended() const { return shared_.writer.why_ended(); }

  [[nodiscard]] SharedTrace& shared() { return shared_; }

 private:
  ThreadTrace* new_thread(std::size_t portion) noexcept;
  RecordedTrace recorded(bool with_names);
  void write_definitions(const RecordedTrace& trace) const;
  void show_that_run_goes_on() const;
  [[nodiscard]] std::vector<std::string> remarks() const;

  /// Bytes of each of a thread's two buffers.
  static constexpr std::size_t kPortion = std::size_t{1} << 20U;

  Identity identity_;
  std::filesystem::path folder_;
  std::filesystem::path raw_folder_;
  std::filesystem::path definitions_;
  SharedTrace shared_;
  NodeClocks clocks_;
  Moment begin_;
  ClockPoint clock_begin_;
  ClockPoint clock_end_;
  std::unique_ptr<PowerSampler> power_;  // of the node, on one of its ranks
  mutable std::mutex mutex_;             // of what follows
  std::vector<std::unique_ptr<ThreadTrace>> threads_;
  std::vector<std::unique_ptr<TeamTrace>> teams_;  // by the beginner's number
  std::size_t saved_for_now_ = 0;  // by save_for_now(): how many things events could refer to
};

}  // namespace huddle::recorder
