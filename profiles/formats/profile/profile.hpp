#pragma once

// The profile document: what one run of a program did. Described field by field in
// docs/formats/profile.md.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/openmp_regions.hpp"
#include "profiles/formats/profile/pass_periods.hpp"
#include "profiles/formats/profile/rank_balancing.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/launched_program.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/rank_set.hpp"

namespace huddle {

/// The most ranks of a run: MPI's numbers of ranks are C ints.
inline constexpr std::uint32_t kMostRanks = 1U << 31U;

/// Messages from a rank to one receiver in one size class (see size_class.hpp): a non-zero cell of
/// the rank x rank matrix.
struct SentMessages {
  Rank receiver;
  std::uint8_t size_class = 0;
  std::uint64_t messages = 0;
  Bytes bytes;

  friend bool operator==(const SentMessages&, const SentMessages&) = default;
};

/// A rank's calls of one collective operation on one communicator with one size class of its own
/// contribution.
struct CollectiveCalls {
  /// The MPI function's name without MPI_ and in lower case: "allreduce".
  std::string operation;
  /// "world", or "derived" for any other communicator.
  std::string communicator = "world";
  /// Number of ranks that take part.
  std::uint32_t participants = 0;
  std::uint8_t size_class = 0;
  std::uint64_t calls = 0;
  /// This rank's contribution, summed over the calls.
  Bytes bytes;
  /// Wall time inside the calls, waiting included.
  Seconds time;
  /// The ranks that take part: names a Communicator of the profile's shared tables; 0 for
  /// MPI_COMM_WORLD, or if the writer did not know.
  std::uint64_t communicator_id = 0;
  /// Wall time of the shortest of the calls, at most their mean: the nearest to a call in which
  /// this rank waited for nobody. Absent if the writer did not know it.
  std::optional<Seconds> shortest = std::nullopt;

  friend bool operator==(const CollectiveCalls&, const CollectiveCalls&) = default;
};

/// A rank's calls of one MPI function.
struct CallKind {
  /// The MPI function's name without MPI_ and in lower case: "isend".
  std::string operation;
  std::uint64_t calls = 0;
  /// Number of calls that were timed: all, or a random sample where calls followed one another so
  /// quickly that reading the clock would have shown in the program's run time.
  std::uint64_t timed = 0;
  /// Wall time inside the calls, waiting included; an estimate if timed < calls.
  Seconds time;
  /// Wall time outside MPI between these calls and the calls before them, by the same thread: what
  /// the rank computed until it called. An estimate as `time` is; not known of every profile.
  std::optional<Seconds> before = {};

  friend bool operator==(const CallKind&, const CallKind&) = default;
};

/// A rank's part in a phase group: the stretches of computation between two MPI delimiters
/// (collectives and completions of several requests) that were called from the same two places.
struct PhaseRecord {
  /// Names a PhaseGroup of the profile's shared tables.
  std::uint64_t group = 0;
  /// Number of times that the rank went through it.
  std::uint64_t count = 0;
  /// Wall time of one pass, without what was spent inside MPI: mean, variance (of the population,
  /// in s^2) and extremes over the `count` passes.
  Seconds mean;
  double variance_s2 = 0;
  Seconds shortest;
  Seconds longest;
  /// Wall time inside MPI between the two delimiters (point-to-point calls), over all passes.
  Seconds mpi_time;
  /// Wall time inside the delimiter that ends it, waiting included, over all passes.
  Seconds delimiter_time;
  /// The passes during which the counters were read, and the wall time between their delimiters.
  std::uint64_t counted = 0;
  Seconds counted_time;
  /// Counts of the counters of RankRecord::events in those passes, in that order, corrected for
  /// multiplexing; NaN for an event that was on no counter then. Empty if `counted` is 0.
  std::vector<double> counts;

  friend bool operator==(const PhaseRecord&, const PhaseRecord&) = default;
};

/// Whose energy a reading is, and who says so.
enum class EnergyOrigin : std::uint8_t {
  kMeter,     ///< all that the meter counted, whoever used it: read by the recorder
  kMeasured,  ///< the job's, which had all that the meter counts alone: by huddle-energyd. None of
              ///< these counts what another one does
  kAttributed,  ///< the job's part of what it shared with others, by CPU time: by huddle-energyd
};

/// "meter", "measured" or "attributed".
std::string_view name_of(EnergyOrigin origin);
/// The origin of that name, or nothing.
std::optional<EnergyOrigin> energy_origin_of(std::string_view name);

/// Energy that a meter of a node counted from the end of MPI_Init to the begin of MPI_Finalize.
struct EnergyReading {
  /// "package-0", "dram", "node": as the meter calls itself.
  std::string meter;
  Joules energy;
  EnergyOrigin origin = EnergyOrigin::kMeter;

  friend bool operator==(const EnergyReading&, const EnergyReading&) = default;
};

/// The record of one rank.
struct RankRecord {
  Rank rank;
  /// Host name; empty if the writer did not know it.
  std::string node;
  /// Where the rank was allowed to run when MPI_Finalize began; where its teams are packed, when
  /// MPI_Init ended.
  PuSet pus;
  /// Wall time from the end of MPI_Init to the begin of MPI_Finalize.
  Seconds run_time;
  /// Wall time inside MPI between the two, waiting included.
  Seconds mpi_time;
  /// CPU time of the process between the two (all its threads); absent if the writer did not know
  /// it.
  std::optional<Seconds> cpu_time;
  /// Peak resident size of the process; 0 if the writer did not know it.
  Bytes peak_resident;
  /// Point-to-point messages. Sparse, ordered by receiver and size class, no pair twice; so are the
  /// three below.
  std::vector<SentMessages> sent;
  /// Messages that neighbourhood collectives carried to other ranks.
  std::vector<SentMessages> sent_to_neighbours;
  /// Data that one-sided calls of this rank wrote into the memory of others (`receiver`).
  std::vector<SentMessages> put;
  /// Data that one-sided calls of this rank took from the memory of others: `receiver` is the rank
  /// that it was taken from, so that data went from there to this rank.
  std::vector<SentMessages> fetched;
  std::vector<CollectiveCalls> collectives;
  /// Ordered by operation, none twice. Empty if the writer did not know.
  std::vector<CallKind> calls;
  /// Ordered by group, none twice.
  std::vector<PhaseRecord> phases;
  /// Ordered by group and region, none twice. Empty if the rank went through no parallel region of
  /// OpenMP, or none that could be seen.
  std::vector<OpenMpRegionRecord> openmp_regions = {};
  /// Ordered by region, team, cores and packages, none twice.
  std::vector<PackedRegionRecord> packed_regions = {};
  /// Empty if none was found. Ordered by `first`, none twice.
  std::vector<PassPeriodRecord> periods = {};
  /// Absent where its clock did not follow its load.
  std::optional<RankBalancing> balancing = std::nullopt;
  /// The events that were counted, such as "instructions", on hybrid machines with the PMU's name
  /// in front ("cpu_core/instructions"). Times are in ns.
  std::vector<std::string> events;
  /// Totals of the events in the whole run, in that order, corrected for multiplexing; NaN for an
  /// event that was on no counter. Empty if nothing was counted.
  std::vector<double> event_totals;
  /// Energy of the node; only in the record of the node's lowest rank.
  std::vector<EnergyReading> node_energy;
  /// Periods of regions. As `periods`.
  std::vector<RegionPeriodRecord> region_periods = {};
  /// Times of regions with teams of fewer threads than their program asked for: `cores` is their
  /// number, with a core for each. As `packed_regions`.
  std::vector<PackedRegionRecord> smaller_teams = {};
  RegionPositions region_positions = {};

  /// Wall time outside MPI.
  [[nodiscard]] Seconds computation_time() const { return run_time - mpi_time; }

  friend bool operator==(const RankRecord&, const RankRecord&) = default;
};

/// A communicator other than MPI_COMM_WORLD that collectives were called on.
struct Communicator {
  /// The same for the same members.
  std::uint64_t id = 0;
  /// Members by their ranks in MPI_COMM_WORLD; of an intercommunicator the group with the lowest
  /// rank.
  RankSet members;
  /// The other group of an intercommunicator; empty for other communicators.
  RankSet others;

  friend bool operator==(const Communicator&, const Communicator&) = default;
};

/// The computation between two delimiters, on all ranks. (The papers' phases inside of a group are
/// OpenMP regions: see OpenMpRegionRecord.)
struct PhaseGroup {
  /// The same on all ranks, and in other runs of the same executable.
  std::uint64_t id = 0;
  /// The delimiters at its begin and its end, each with where it was called from, innermost call
  /// first: "allreduce at halo_exchange+0x2f4a < halo_exchange+0x1b02".
  std::string begin;
  std::string end;

  friend bool operator==(const PhaseGroup&, const PhaseGroup&) = default;
};

/// An event that could not be counted.
struct AbsentEvent {
  std::string event;
  std::string reason;
  /// On how many ranks.
  std::uint32_t ranks = 0;

  friend bool operator==(const AbsentEvent&, const AbsentEvent&) = default;
};

/// A program or library that descriptions of phase groups and OpenMP's regions name places in.
struct ProgramModule {
  /// As in descriptions: the file's name without its folder.
  std::string name;
  std::string path;
  /// GNU build id in hexadecimal; empty if it has none.
  std::string build_id;
  /// The virtual address, in the file, from which the descriptions' numbers count: 0 but for
  /// programs that can't be loaded anywhere.
  std::uint64_t first_address = 0;

  friend auto operator<=>(const ProgramModule&, const ProgramModule&) = default;
};

/// Things that several ranks' records refer to; written once, behind all of them.
struct SharedTables {
  /// Ordered by id, none twice; so are the phase groups.
  std::vector<Communicator> communicators;
  std::vector<PhaseGroup> phase_groups;
  /// Ordered by event and reason, none twice.
  std::vector<AbsentEvent> absent_events;
  /// Ordered, none twice.
  std::vector<ProgramModule> modules;
  /// Ordered by id, none twice.
  std::vector<OpenMpRegion> openmp_regions = {};

  /// Adds what `other` has: the ids that are not there yet, and the numbers of ranks.
  void merge(const SharedTables& other);

  friend bool operator==(const SharedTables&, const SharedTables&) = default;
};

/// A rank's time in a run that was traced.
struct RankWaitSummary {
  /// Time of its first thread, from its first event to its last.
  Seconds run_time;
  /// The part of that outside MPI.
  Seconds computation;
  /// The proportion by which all of its computation may take longer, while that of the other ranks
  /// takes longer by theirs.
  Seconds slack;

  friend bool operator==(const RankWaitSummary&, const RankWaitSummary&) = default;
};

/// Time that the ranks waited by one pattern.
struct PatternWaitSummary {
  /// "late_sender": as `huddle waitstates --json` names it.
  std::string pattern;
  /// Time that all threads of each rank waited.
  std::vector<Seconds> waited;

  friend bool operator==(const PatternWaitSummary&, const PatternWaitSummary&) = default;
};

/// Result of an analysis of a program's wait states.
struct WaitSummary {
  /// The source that it was found out from: "trace".
  std::string origin;
  Seconds run_time;
  /// Time of the run if every rank's computation takes longer by its slack, by a replay.
  Seconds stretched_run_time;
  /// Summaries by rank; as many as the profile has ranks.
  std::vector<RankWaitSummary> ranks;
  /// Ordered by pattern, none twice. Those that nobody waited by may be missing.
  std::vector<PatternWaitSummary> patterns;

  friend bool operator==(const WaitSummary&, const WaitSummary&) = default;
};

/// A profile of one run of a program. Described field by field in docs/formats/profile.md.
struct Profile {
  static constexpr std::string_view kFormat = "profile";
  static constexpr unsigned kVersion = 1;

  std::string label;
  std::string user;
  std::uint32_t ranks = 0;
  /// False if the run ended before every rank reached MPI_Finalize. Such a profile holds what was
  /// known by then, of the ranks that could still write, and is never used for a plan.
  bool complete = true;
  /// Why a profile is not complete; empty otherwise.
  std::string cut_short_reason;

  std::string executable;
  /// GNU build id in hexadecimal; empty if the program has none.
  std::string build_id;
  std::vector<std::string> arguments;
  /// The program that the launcher was told to start, which may be a script that started
  /// `executable`; unknown where no launcher said it.
  LaunchedProgram launched = {};
  /// The digest of the batch script that started it, see script_digest() of the plugin; empty if
  /// nobody said it.
  std::string script = {};
  /// True if a rank computes the same however many ranks there are ("weak scaling"), so that runs
  /// of different numbers of ranks are samples of the same computation. False: unknown.
  bool scales_weakly = false;
  /// The size of the problem that it solved, in whatever the program counts; above 0. Absent if
  /// nobody said it.
  std::optional<double> problem_size;
  /// The library's name and version as it says itself, one line.
  std::string mpi_library;
  /// 0 outside Slurm.
  std::uint64_t slurm_job_id = 0;
  std::uint32_t slurm_step_id = 0;
  /// UTC, ISO 8601; empty if unknown.
  std::string started_at;
  /// Why there are no hardware counters; empty if there are.
  std::string counters_absent_reason;
  /// Why other things are missing that a profile may have, such as times in an imported matrix: one
  /// sentence each, for people.
  std::vector<std::string> notes;
  /// The waiting that a trace of the same program showed, if there was one.
  std::optional<WaitSummary> wait_states;

  /// Ascending by rank. All ranks if complete.
  std::vector<RankRecord> rank_records;
  SharedTables shared;

  /// The program that the run is known by: what was launched, or else the executable.
  [[nodiscard]] LaunchedProgram program() const;
  /// Wall time of the program: of the slowest rank.
  [[nodiscard]] Seconds run_time() const;
  /// Wall time outside MPI, averaged over the ranks that reported; 0 if none did.
  [[nodiscard]] Seconds mean_computation_time() const;
  /// The different nodes, in order of their lowest rank.
  [[nodiscard]] std::vector<std::string> nodes() const;
  /// The largest number of ranks on one node; 0 if no rank reported.
  [[nodiscard]] std::uint32_t ranks_per_node() const;

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// Reads a profile, JSON or CBOR. Throws SystemError or FormatError (see document.hpp): nothing of
/// a broken file is returned. Ranks out of range, twice or missing from a complete profile are
/// errors too.
Profile load_profile(const std::filesystem::path& path);

/// The same from memory; `file` is what errors call it.
Profile parse_profile(std::string_view bytes, std::string_view file);

/// Writes `profile` atomically; JSON, or CBOR if the path ends in .cbor. Throws SystemError.
void save_profile(const Profile& profile, const std::filesystem::path& path);

}  // namespace huddle
