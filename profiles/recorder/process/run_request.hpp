#pragma once

// The environment's request to the recorder: whether and where to record and trace.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/launched_program.hpp"

namespace huddle::recorder {

// Reads of the environment when a run begins: its launcher, its job, where its profile goes, and
// whether it is traced.

/// Facts that the launcher has set in this process's environment, before MPI can be asked.
struct Launch {
  /// In MPI_COMM_WORLD. Nothing if no launcher started this process.
  std::optional<std::uint32_t> rank;
  /// Number of ranks of MPI_COMM_WORLD; 0 if the launcher sets none.
  std::uint32_t ranks = 0;
  /// Among the ranks of this node, as the launcher numbers them. Nothing if it sets none.
  std::optional<std::uint32_t> local_rank;
  /// The same text in all ranks of a run, and in no other run; empty if the launcher names no run.
  std::string run;

  /// Reads the variables of mpirun, PMIx, PMI and Slurm.
  static Launch from(const Environment& environment);
};

/// The Slurm job that this process belongs to.
struct Job {
  /// 0 outside Slurm.
  std::uint64_t id = 0;
  std::uint32_t step = 0;

  /// Reads SLURM_JOB_ID and SLURM_STEP_ID. A process of the batch script itself (mpirun starts
  /// some) has no step in its environment; it gets Slurm's own number for that step.
  static Job from(const Environment& environment);
};

/// The identity that all ranks of a run agree on when it starts, so that any of them can name the
/// run's file without asking the others.
struct RunIdentity {
  Job job;
  /// Process id of rank 0.
  std::int32_t process = 0;
  /// The end of rank 0's MPI_Init.
  std::chrono::system_clock::time_point started;
  /// Place among the programs of one `huddle record`, from 1, in the order in which they began.
  std::uint32_t number = 1;

  /// "<job>.<step>-pid<process>", outside Slurm "pid<process>".
  [[nodiscard]] std::string name() const;
};

/// Where the user wants the profile, and what he says about the run.
class Destination {
 public:
  /// HUDDLE_PROFILE names the file; else HUDDLE_STORE names a store, and HUDDLE_LABEL the label in
  /// it (`program`, a path, gives its base name where there is none). HUDDLE_SPOOL is used with a
  /// store, but not for traced runs, whose traces are too large. packed_run in HUDDLE_STEP keeps
  /// the profile apart from those that plans are made from. Nothing if neither is set: then nothing
  /// is recorded. Relative paths are made absolute now, since the program may change its directory.
  /// HUDDLE_SIZE is the size of the problem.
  static std::optional<Destination> from(const Environment& environment, std::string_view program);

  /// Clocks follow the loads of this run: in a store, its profile is kept apart from those that
  /// plans are made from, and from those of packed runs, too. On all ranks or none.
  void keep_as_balanced();

  [[nodiscard]] const std::string& label() const { return label_; }
  /// See Profile::problem_size.
  [[nodiscard]] std::optional<double> problem_size() const { return problem_size_; }
  /// Why there is none although HUDDLE_SIZE is set, for people; else empty.
  [[nodiscard]] const std::string& why_no_size() const { return why_no_size_; }
  /// See Profile::launched.
  [[nodiscard]] const LaunchedProgram& launched() const { return launched_; }
  /// See Profile::script.
  [[nodiscard]] const std::string& script() const { return script_; }
  [[nodiscard]] Encoding encoding(std::uint32_t ranks) const;

  /// True if a run with so many ranks leaves its files in a spool: a folder of its node that has
  /// the same folders as the store. Another process brings them there, and removes them here
  /// (recorder/delivery/). Not where the profile would fill the node's memory.
  [[nodiscard]] bool spooled(std::uint32_t ranks) const;

  /// The number of a run that begins now, for its identity. Only rank 0 may ask, and once.
  [[nodiscard]] std::uint32_t claim_number(std::uint32_t ranks, const std::string& program) const;

  /// Where the profile of a run whose user is `user` is written; makes the folder in a store.
  /// `when` is the time in the file's name, if it has one. Throws Error.
  [[nodiscard]] std::filesystem::path path(const std::string& user, std::uint32_t ranks,
                                           const RunIdentity& run,
                                           std::chrono::system_clock::time_point when) const;

  /// Leaves lines for the record of the run's step, in a store, by the same way as the profile.
  /// Nothing without a job, or where there is no folder for it. Throws Error.
  void leave_for_record(const std::string& user, std::uint32_t ranks, const RunIdentity& run,
                        const std::vector<std::string>& lines) const;

  /// Rank 0's marker (root_marker.hpp) is put beside this. All ranks of a run agree on it, also if
  /// they run different programs: in a store it is the user's folder, above the labels.
  [[nodiscard]] std::filesystem::path landmark(const std::string& user) const;
  /// Makes the landmark's folder in a store. Throws Error.
  void make_landmark(const std::string& user, std::uint32_t ranks) const;

 private:
  std::filesystem::path file_;  // empty: use the store
  std::filesystem::path store_;
  std::filesystem::path spool_;  // empty: none
  std::string_view prefix_ = store::Store::kProfilePrefix;
  std::string label_;
  std::optional<double> problem_size_;
  std::string why_no_size_;
  LaunchedProgram launched_;
  std::string script_;
};

/// The environment's request for a trace; only rank 0's is used.
struct TraceRequest {
  static constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

  /// HUDDLE_TRACE: the trace's folder; empty: no trace. A relative path is made
  /// absolute now, since the program may change its directory.
  std::filesystem::path folder;
  /// HUDDLE_TRACE=1: the folder has the profile's name with ".trace" in place of its extension.
  bool beside_profile = false;
  /// HUDDLE_TRACE_LIMIT, in MiB: how much of a rank's events is written, then its trace ends.
  std::uint64_t limit_bytes = 4096 * kMiB;

  [[nodiscard]] bool wanted() const { return beside_profile || !folder.empty(); }

  static TraceRequest from(const Environment& environment);
};

}  // namespace huddle::recorder
