#pragma once

// Report on a user's jobs: the records in the store, with energies from accounting or profiles, and
// packed runs compared with the runs they are measured against.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/operations/accounting/accounting.hpp"
#include "aggregator/predict/energy/plausible_energy.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/profile/rank_balancing.hpp"
#include "profiles/store/step_energies.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::operations {

/// Who counted a run's energy.
enum class EnergySource : std::uint8_t {
  kNobody,
  kDaemon,      ///< huddle-energyd on each node, for the step, from its begin to its end
  kAccounting,  ///< Slurm, for the whole of each node, from the step's begin to its end
  kProfile,     ///< the recorder, by the node's own meters, between MPI_Init and MPI_Finalize
};

/// The saving of a packed or grouped run against the run it is compared with; negative: it took
/// more. Measured on both.
struct Saving {
  double node_hours = 0;
  Seconds time;
  /// Absent unless one source knows a plausible energy of both.
  std::optional<Joules> energy;
  /// The same less what the nodes drew that the run left unused, where these sleep or idle; absent
  /// where other jobs get them, or their power is not known.
  std::optional<Joules> machine_energy = {};
  /// In billing hours; absent unless both charges are known.
  std::optional<double> charge = {};
};

/// The use that a run made of its ranks' time, by the profile that it left.
struct UsedTime {
  /// The name of the program's file.
  std::string program;
  /// MPI's alone where the program has OpenMP, and the work of its threads is not known.
  efficiency::Efficiency efficiency;
};

/// The word that files use: "daemon", "accounting" or "profile"; empty for kNobody.
std::string_view name_of(EnergySource source);

/// A step that was measured, packed, grouped or left, and what is known of it.
struct ReportedRun {
  Outcome outcome;
  /// The step's energy as the nodes' daemons left it.
  std::optional<store::StepEnergy> by_daemons;
  /// The step's energy in Slurm's accounting, where it is plausible.
  std::optional<Joules> by_accounting;
  EnergySource energy_source = EnergySource::kNobody;
  std::optional<Joules> energy;
  /// As Slurm's accounting has it; empty if it does not know it.
  std::string partition;
  /// Why the figure that there is was not believed; else empty.
  std::string energy_doubt;
  /// Slurm's charge for the job's nodes while the step ran, in billing hours (Accounting::billing
  /// times hours); absent where accounting does not know it, or the step's end is unknown.
  std::optional<double> charge;
  /// For a packed or grouped run that succeeded, and for one that was measured on nodes filled by a
  /// plan: which other run it is compared with, by its place in JobReport::runs; absent if there is
  /// none.
  std::optional<std::size_t> compared_with;
  /// Absent but for packed and grouped runs.
  std::optional<Saving> saved;
  /// True if it took less time than packing explains, beside the runs as submitted before and after
  /// it: then it is of another workload, it seems, and is compared with none.
  bool is_unexplained = false;
  /// True if it took no longer than the run it is compared with and the bound that its plan was
  /// made for allow, and 2 s more (kAroundStep); absent if one of them is unknown.
  std::optional<bool> kept_bound;
  /// The balancing of its lowest rank, whose clocks followed its loads; absent if they did not, or
  /// nobody looked.
  std::optional<RankBalancing> balancing;
  /// Absent if it left no profile with times, or nobody looked.
  std::optional<UsedTime> used;
  /// True if it is asked about; others are there to be compared with.
  bool wanted = true;

  /// Nodes times elapsed time; 0 if its end is not known, or is no number that can be.
  [[nodiscard]] double node_hours() const;
  [[nodiscard]] bool succeeded() const { return outcome.end && outcome.end->status == 0; }
  /// Returns the slowdown of the elapsed time against the run it is compared with; 0.05 is 5 %
  /// slower.
  [[nodiscard]] std::optional<double> slowdown(const ReportedRun& reference) const;
};

/// Sums over runs. Only what was measured is added up, predictions never.
struct JobSums {
  std::uint32_t measured = 0;
  std::uint32_t packed = 0;
  std::uint32_t grouped = 0;
  std::uint32_t left = 0;
  /// Those of all these that ended with another status than 0, and those without a record of their
  /// end.
  std::uint32_t failed = 0;
  std::uint32_t unknown_end = 0;
  /// Packed and grouped runs that could be compared with another run, and those whose energy and
  /// whose charge could.
  std::uint32_t compared = 0;
  std::uint32_t compared_energy = 0;
  std::uint32_t compared_charge = 0;
  std::uint32_t compared_machine_energy = 0;
  /// Those of the compared ones that kept the slowdown bound of their plan, and those that did not.
  /// The rest is of plans that do not say it.
  std::uint32_t kept = 0;
  std::uint32_t broken = 0;
  /// Packed and grouped runs that took less time than packing explains.
  std::uint32_t unexplained = 0;
  /// Runs whose energy figure was not believed.
  std::uint32_t doubted = 0;
  Saving saved{0, Seconds{0}, Joules{0}, Joules{0}, 0};
  /// The charges of the runs whose charge could be compared, in billing hours.
  double charge = 0;

  void add(const ReportedRun& run);
};

/// Sums by label, and in all.
struct LabelSums {
  std::map<std::string, JobSums> by_label;
  JobSums total;

  void add(const ReportedRun& run);
};

/// The sums are of the wanted runs.
struct JobReport : LabelSums {
  /// Oldest first.
  std::vector<ReportedRun> runs;
  std::map<std::string, LabelSums> by_user;
};

/// The jobs of runs, by cluster, as ask_accounting() takes them.
std::map<std::string, std::vector<std::uint64_t>> jobs_of(const std::vector<ReportedRun>& runs);

/// Puts what is known together. `accounted` may be empty. A run's energy is what the nodes' daemons
/// counted, else what accounting knows; that of a measured run of which both know nothing is asked
/// of `energy_in_profile(file)`.
///
/// A packed run is compared with a run of the same user, label, ranks, cluster and launcher (srun
/// or mpirun) and the same step of its job (of those of mpirun, the first one, the second one...)
/// that succeeded, that no plan laid out, on as many nodes as the plan's reference has: the newest
/// one before it, else the oldest one after it, or that one if it explains the run's time and the
/// one before it does not (least_explained(), and the plan's bound). A run that took less time than
/// they explain is compared with none, unless that comes again between runs as submitted that are
/// alike.
///
/// `machine`: the nodes, with what becomes of those that no job uses; null: not known.
JobReport report_on(
    std::vector<ReportedRun> runs, const Accounting& accounted, const predict::PowerBound& bound,
    const std::function<std::optional<Joules>(const std::string& file)>& energy_in_profile,
    const Machine* machine = nullptr);

}  // namespace huddle::operations
