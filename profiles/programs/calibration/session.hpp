#pragma once

// Shared parts of the calibration program's measurements: teams of ranks, the time that is left,
// and undisturbed repetitions.

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/programs/calibration/rank_places.hpp"
#include "profiles/programs/calibration/result_lines.hpp"

namespace huddle::calibration {

/// Ranks that measure together; the others wait meanwhile without keeping their cores busy.
class Team {
 public:
  /// Collective over MPI_COMM_WORLD. `members`: different ranks, in the order that they get.
  explicit Team(const std::vector<int>& members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// True if the caller is one of them.
  [[nodiscard]] bool has_me() const { return comm_ != MPI_COMM_NULL; }
  /// The members' communicator; only for them.
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Takes all ranks through the measurements: rank 0 knows what was measured before and when time is
/// up, and writes. All members are collective over MPI_COMM_WORLD.
class Session {
 public:
  /// Throws BadSettings on every rank if the file of results can't be used, or is of another run.
  Session(const Settings& settings, const RankPlaces& places);

  /// Says in the file how many measurements are to come, for programs that watch it.
  void announce(std::size_t measurements);

  /// Measures, unless there is a result already or time is up: members of the team call `measure`,
  /// which gets the number of seconds it may take and returns the result, the same on each.
  void measure(const Team& team, const std::string& key, const std::string& name,
               const std::function<double(double seconds)>& measure);

  /// Says in the file how it ended.
  void finish();

 private:
  /// The seconds for the next measurement; 0 if it is not to be made.
  double share_of_time(const std::string& key);

  double begin_ = 0;
  double seconds_ = 0;
  std::size_t announced_ = 0;
  std::size_t seen_ = 0;
  std::size_t skipped_ = 0;
  /// Only on rank 0.
  std::unique_ptr<ResultLines> results_;
};

/// Returns the seconds of one repetition where nothing from outside disturbs: `turn(n)` makes n of
/// them and returns the mean seconds of one; the least of several turns that make up about
/// `seconds`. Collective over `comm`; the same on all its ranks. Of a turn's times on different
/// ranks, `combine` (MPI_MAX, MPI_SUM) is taken.
double undisturbed_seconds(MPI_Comm comm, double seconds, MPI_Op combine,
                           const std::function<double(int)>& turn);

}  // namespace huddle::calibration
