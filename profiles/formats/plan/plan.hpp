#pragma once

// The plan document: where the ranks of a job go, and what was predicted for it. Described field by
// field in docs/formats/plan.md.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/plan_parts.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "profiles/vocabulary/coverage.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/launched_program.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Where a rank goes.
struct RankPlace {
  NodeIndex node;
  /// Operating-system PU numbers, never empty.
  PuSet pus;
};

/// A pattern's prediction, kept in the plan to explain the choice.
struct PatternForecast {
  /// "2:1:2".
  std::string pattern;
  std::uint32_t ranks_per_node = 0;
  std::uint32_t nodes = 0;
  Seconds time;
  Seconds computation;
  Seconds communication;
  /// Against the reference; 0.05 is 5 % slower.
  double slowdown = 0;
  /// That of the job's own nodes. Absent without a power model.
  std::optional<Joules> energy;
  bool feasible = true;
  /// Why not feasible, or what there is to know; may be empty.
  std::string reason;
  /// `time` lies between them with 90 % probability; absent (both) if nobody knows how wrong it may
  /// be. At most and at least `time`.
  std::optional<Seconds> time_low = {};
  std::optional<Seconds> time_high = {};
  /// The most time that communication takes, without overlap or waiting; `communication` is this
  /// scaled by what samples show. Absent if nobody computed it.
  std::optional<Seconds> communication_bound = {};
  /// Frequency of the cores; absent if it is left alone.
  std::optional<Hertz> frequency = {};
  /// The ground for saying how its ranks slow each other down; absent if nobody looked, as in older
  /// plans.
  std::optional<Coverage> coverage = {};
  /// The same for people: "the prediction rests on" that; may be empty.
  std::string rests_on = {};
  /// `energy` and that of the nodes which the reference uses and this leaves unused. Absent where
  /// other jobs get those (UnusedNodes), and without `energy`.
  std::optional<Joules> machine_energy = {};
};

/// The rule by which the ranks of the plan share nodes.
enum class Grouping : std::uint8_t {
  kMapped,     ///< ranks that talk most share a node; needs Slurm's arbitrary distribution
  kRankOrder,  ///< consecutive ranks share a node, as in Slurm's block distribution
};

inline constexpr std::string_view kGroupingNames = "mapped or rank-order";

/// The grouping of that name, or nothing.
std::optional<Grouping> grouping_of(std::string_view name);
std::string_view name_of(Grouping grouping);

/// A plan for a job's launch. Described field by field in docs/formats/plan.md.
struct Plan {
  static constexpr std::string_view kFormat = "plan";
  static constexpr unsigned kVersion = 1;

  std::string label;
  std::string user;
  std::uint32_t ranks = 0;
  Grouping grouping = Grouping::kMapped;
  /// The layout of the user's own submission, the upper limit of `chosen.nodes`.
  PatternForecast reference;
  PatternForecast chosen;
  std::vector<PatternForecast> runners_up;
  /// Place of each rank, `ranks` entries; node indices below `chosen.nodes`.
  std::vector<RankPlace> placement;
  /// Frequency that the cores should be set to while the job runs; absent: it is left alone.
  std::optional<Hertz> frequency;
  /// The same by rank, `ranks` entries, none above `frequency`, where ranks that wait for others
  /// may be slower; empty: `frequency` for all.
  std::vector<Hertz> rank_frequencies = {};
  /// Number of cores that each rank asks for; the plan is for ranks with as many only.
  std::uint32_t cores_per_rank = 1;
  /// The PUs that a node must have for this plan.
  std::uint32_t node_pus = 0;
  /// The node that the plan was made for; absent: not known.
  std::optional<NodeShape> node_shape = {};
  /// Bytes between nodes that the profile's traffic causes under this placement.
  Bytes between_nodes;
  /// The number of ranks on each node in the job as submitted, consecutive ones on one node after
  /// the other; their sum is `ranks`. Empty: unknown, or in another order.
  std::vector<std::uint32_t> submitted_ranks = {};
  /// Why ranks stay in order though others could have shared nodes, a phrase for people; empty:
  /// they need not, or nothing else was asked for.
  std::string order_reason = {};
  /// True if the job keeps its nodes and as many ranks on each as it had when it was measured: only
  /// which ranks share a node is the plan's, or on one node which of its dies. On several nodes
  /// each rank's PUs are then all of its node, and the launcher binds it.
  bool keeps_nodes = false;
  /// One sentence: why this pattern.
  std::string reason;
  /// Files that the plan was made from.
  std::vector<std::string> made_from;
  /// The program that it was made for; unknown: any.
  LaunchedProgram program = {};
  /// A plan for another program that the same job runs, on as many nodes.
  struct Companion {
    LaunchedProgram program;
    /// The name of the plan's file, in this plan's folder.
    std::string file;
  };
  std::vector<Companion> companions = {};
  /// True if it is there to try a pattern of which nothing shows how its ranks slow each other
  /// down.
  bool trial = false;
  /// On how many cores the threads of OpenMP regions run, by rank; ranks below `ranks`. Empty: as
  /// the program starts them. Carried out only where a job lets threads be packed.
  std::vector<throttling::TeamsOfRanks> teams = {};
  /// Why `teams` are as they are, a phrase for people; empty: nobody has looked at a run for that.
  std::string teams_reason = {};
  /// The largest slowdown that was accepted when it was made; absent: unknown, as in older plans.
  std::optional<double> slowdown_bound = {};
  /// Whose regions `teams` was chosen for, or was to be.
  TeamPrograms teams_programs = {};

  /// Returns the number of ranks on each node, `chosen.nodes` entries.
  [[nodiscard]] std::vector<std::uint32_t> ranks_by_node() const;
  /// True if it says only which of its one node's cores each rank has.
  [[nodiscard]] bool arranges_node() const { return keeps_nodes && chosen.nodes == 1; }
  /// True if a time is predicted for it.
  [[nodiscard]] bool predicts_time() const { return chosen.time > Seconds{0}; }
  /// Returns the frequency that each rank's cores should be set to; empty if frequencies are left
  /// alone.
  [[nodiscard]] std::vector<Hertz> frequencies_by_rank() const;
  /// The cores of teams, as a line for ranks (HUDDLE_TEAMS); empty if nothing was chosen.
  [[nodiscard]] std::string teams_text() const;
  /// The file of the plan that a step of `program` follows, `own` being this plan's: this one, or a
  /// companion; nothing: there is none for that program. An unknown program follows this one.
  [[nodiscard]] std::optional<std::filesystem::path> file_for(
      const LaunchedProgram& program, const std::filesystem::path& own) const;
  /// True if the plan does anything: false if the reference was the best.
  [[nodiscard]] bool packs() const { return chosen.nodes < reference.nodes; }
};

/// The most bytes of a plan file: one is read inside every task that starts, from a file that a
/// user may have written.
inline constexpr std::uint64_t kMostPlanBytes = std::uint64_t{256} << 20U;

/// Throws SystemError or FormatError: a plan that is returned has a place for each rank, on a node
/// that it has.
Plan load_plan(const std::filesystem::path& path);
Plan parse_plan(std::string_view bytes, std::string_view file);

/// Writes atomically. Throws SystemError.
void save_plan(const Plan& plan, const std::filesystem::path& path);
std::string to_json(const Plan& plan);

}  // namespace huddle
