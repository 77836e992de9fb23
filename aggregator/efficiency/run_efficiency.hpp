#pragma once

// The efficiency of a run, in the metrics of POP, the European centre of excellence for Performance
// Optimisation and Productivity: load balance and communication efficiency (M. Wagner, S. Mohr,
// J. Giménez, J. Labarta, A Structured Approach to Performance Analysis, Tools for High Performance
// Computing 2017, Springer 2019). For programs of MPI and OpenMP it is POP's multiplicative hybrid
// model; what OpenMP's threads lose is told apart as TALP of BSC's DLB does it (User Guide of DLB
// 3.6, "TALP Performance metrics", and perf_metrics.c). Figures of the program's own window, from
// the end of MPI_Init to the begin of MPI_Finalize.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// Shares of 0 to 1. A rank with several threads counts as often as it has threads.
struct MpiEfficiency {
  /// Mean over the longest of the ranks' times outside MPI.
  double load_balance = 1;
  /// The longest of these over the run's time: the rest is waiting in chains, and transfer.
  double communication = 1;

  /// Mean time outside MPI over the run's time.
  [[nodiscard]] double parallel() const { return load_balance * communication; }
};

/// Shares of 0 to 1, all of the threads' time while their rank is outside MPI.
struct OpenMpEfficiency {
  /// The share that is left if regions lose only what teams wait for their busiest thread.
  double load_balance = 1;
  /// ... what passes take beyond the busiest thread's work: to make teams, hand out work and meet.
  double scheduling = 1;
  /// ... what threads have to do only while regions run, and while their team is that large.
  double serialisation = 1;

  [[nodiscard]] double parallel() const { return load_balance * scheduling * serialisation; }
};

struct Efficiency {
  MpiEfficiency mpi;
  /// Absent where there are no regions, or the work of their threads is not known.
  std::optional<OpenMpEfficiency> openmp = std::nullopt;

  [[nodiscard]] double parallel() const {
    return mpi.parallel() * (openmp ? openmp->parallel() : 1);
  }
};

/// Standard errors of MpiEfficiency where part of the calls was timed: 0 where all were.
struct EfficiencyErrors {
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;
};

struct RankEfficiency {
  Rank rank;
  /// Number of threads: the largest team of its regions.
  std::uint32_t threads = 1;
  /// Its time outside MPI, and that over the run's time.
  Seconds outside_mpi;
  double mpi = 0;
  /// OpenMP's share of its threads' time outside MPI that is useful; absent as in Efficiency.
  std::optional<OpenMpEfficiency> openmp = std::nullopt;
};

struct NodeEfficiency {
  std::string node;
  std::uint32_t ranks = 0;
  std::uint32_t threads = 0;
  /// That of its ranks alone, over the run's time: communication is its busiest rank's.
  Efficiency efficiency;
};

/// MPI's load balance as a product: between the means of nodes, and of ranks within the node with
/// the highest mean.
struct NodeBalance {
  double across = 1;
  double within = 1;
};

/// The passes between two delimiters, of the ranks that came by.
struct PhaseEfficiency {
  PhaseGroup group;
  std::uint32_t ranks = 0;
  /// The longest time of a rank in all its passes, MPI within and in the call at their end
  /// included: the run's time in `efficiency`.
  Seconds elapsed;
  Efficiency efficiency;
  /// Time of threads in MPI, and of those that OpenMP leaves idle as far as that is known; and its
  /// share of the time of all threads in the run.
  Seconds lost;
  double lost_share = 0;
  /// The rank that computes longest, and that over the mean.
  Rank slowest;
  double slowest_ratio = 1;
};

struct RunEfficiency {
  /// The run time of the slowest rank.
  Seconds elapsed;
  std::uint32_t ranks = 0;
  std::uint32_t threads = 0;
  /// True if ranks have threads of OpenMP: then `whole` is of MPI alone where its `openmp` is
  /// absent, and `openmp_unknown` says why, for people.
  bool hybrid = false;
  std::string openmp_unknown = {};
  Efficiency whole;
  EfficiencyErrors errors;
  /// The part of the time inside MPI that calls took which were not timed, but estimated.
  double estimated_share = 0;
  /// Thread time that was useful; absent in a hybrid program whose threads' work is not known.
  std::optional<Seconds> useful;
  /// Absent with less than two nodes, or where nodes are not known.
  std::optional<NodeBalance> balance = std::nullopt;
  /// Ascending by rank.
  std::vector<RankEfficiency> by_rank = {};
  /// In the order of their lowest ranks; empty where nodes are not known.
  std::vector<NodeEfficiency> by_node = {};
  /// Those that lose most first, then by id.
  std::vector<PhaseEfficiency> by_phase = {};
};

/// The efficiency of the ranks that reported; nothing where the profile has no times.
std::optional<RunEfficiency> efficiency_of(const Profile& profile);

}  // namespace huddle::efficiency
