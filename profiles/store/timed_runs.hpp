#pragma once

// Times of a program's steps, by how they were laid out: what a plan's promise is compared with.
// One small file for each step that ended, written once under a name of its own, beside the
// profiles of its key; so any number of jobs may end at once, and nothing is lost or doubled.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle::store {

/// Steps that may be compared with each other: of one program (launched_program.hpp) of one script,
/// laid out alike.
struct TimedLayout {
  /// The digest of the job's script; empty: unknown.
  std::string script;
  /// The program's path, or its name if that is all that is known; empty: unknown.
  std::string program;
  /// "2:1:2", or what timed_pattern() gives; empty: as submitted.
  std::string pattern;
  std::uint32_t nodes = 0;
  /// The clocks that the job asked for, whatever a plan chose (compared_clocks()); empty: none.
  std::string clocks = {};
  /// GNU build id of the program; empty: unknown.
  std::string build_id = {};
};

/// The pattern of runs at clocks that a plan chose, 0: none.
std::string timed_pattern(const std::string& pattern, Hertz clocks);

/// One step.
struct TimedRun {
  std::uint64_t job = 0;
  /// "17.0" or "17.batch".
  std::string step;
  UtcTime start;
  /// From its start to the end of srun or mpirun.
  Seconds elapsed;
  /// GNU build id of the program; empty: unknown.
  std::string build_id;
  /// The exit status of srun or mpirun.
  int status = 0;
  /// Where the program was, as read; store_timed_run() takes the layout's.
  std::string program = {};
};

/// Starting and ending a job may take so much longer once than another time, however long its step
/// runs.
inline constexpr Seconds kAroundStep{2};

/// The shortest time that the packing of a run explains which takes `as_submitted` otherwise, where
/// its plan predicts no less than the slowdown `least`: with a tenth less for what nobody predicts.
/// What took less time is a run of another workload. No more than 0: any time is explained.
Seconds least_explained(Seconds as_submitted, double least);

/// Writes a step's file into a key's folder. Throws SystemError.
void store_timed_run(const std::filesystem::path& folder, const TimedLayout& layout,
                     const TimedRun& run);

/// Lists, of the newest `most` steps of that layout, those of the same program, oldest first:
/// wherever it was copied to, and also if it was built anew in its place. Files that can't be read
/// are passed over. Throws SystemError if the folder can't be listed.
std::vector<TimedRun> timed_runs(const std::filesystem::path& folder, const TimedLayout& layout,
                                 std::size_t most);

}  // namespace huddle::store
