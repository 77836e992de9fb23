#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/vocabulary/recorder_environment.hpp"

namespace huddle::recorder {

/// The Slurm job that this process belongs to.
struct Job {
  /// 0 outside Slurm.
  std::uint64_t id = 0;
  std::uint32_t step = 0;

  /// Reads SLURM_JOB_ID and SLURM_STEP_ID. A process of the batch script itself (mpirun starts
  /// some) has no step in its environment; it gets Slurm's own number for that step.
  static Job from(const Environment& environment);
};

/// What all ranks of a run agree on when it starts, so that any of them can name the run's file
/// without asking the others.
struct RunIdentity {
  Job job;
  /// Of rank 0.
  std::int32_t process = 0;
  /// The end of rank 0's MPI_Init.
  std::chrono::system_clock::time_point started;

  /// "<job>.<step>-pid<process>", outside Slurm "pid<process>".
  [[nodiscard]] std::string name() const;
};

/// Where the user wants the profile, and what he says that the run is.
class Destination {
 public:
  /// HUDDLE_PROFILE names the file; else HUDDLE_STORE names a store, and HUDDLE_LABEL the label in
  /// it (`program`, a path, gives its base name where there is none). HUDDLE_STORE_CREATE=1 allows
  /// to make the store's root. Nothing if neither is set: then nothing is recorded. Relative paths
  /// are made absolute now, since the program may change its directory. HUDDLE_SIZE is the size of
  /// the problem.
  static std::optional<Destination> from(const Environment& environment, std::string_view program);

  [[nodiscard]] const std::string& label() const { return label_; }
  /// See Profile::problem_size.
  [[nodiscard]] std::optional<double> problem_size() const { return problem_size_; }
  /// Why there is none although HUDDLE_SIZE is set, for people; else empty.
  [[nodiscard]] const std::string& why_no_size() const { return why_no_size_; }
  [[nodiscard]] Encoding encoding(std::uint32_t ranks) const;

  /// The path of the profile of a run whose user is `user`; makes the folder in a store. `when` is
  /// the time in the file's name, if it has one. Throws Error.
  [[nodiscard]] std::filesystem::path path(const std::string& user, std::uint32_t ranks,
                                           const RunIdentity& run,
                                           std::chrono::system_clock::time_point when) const;

  /// What rank 0's sign (root_marker.hpp) stands beside. All ranks of a run name the same folder by
  /// it, also where they run different programs: in a store that is the user's, above the labels.
  [[nodiscard]] std::filesystem::path landmark(const std::string& user) const;
  /// Makes the landmark's folder in a store. Throws Error.
  void make_landmark(const std::string& user, std::uint32_t ranks) const;

 private:
  std::filesystem::path file_;  // empty: use the store
  std::filesystem::path store_;
  bool make_store_ = false;
  std::string label_;
  std::optional<double> problem_size_;
  std::string why_no_size_;
};

}  // namespace huddle::recorder
