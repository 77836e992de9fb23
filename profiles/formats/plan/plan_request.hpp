#pragma once

// Request of a submission to huddle plan. Described field by field in docs/formats/plan-request.md.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/computation_method.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The part of a predicted time that must be within the bound.
enum class Risk : std::uint8_t {
  kPoint,     ///< the time that is most likely; with a model, with a probability of 60 %
  kInterval,  ///< the whole interval, where there is one
};

inline constexpr std::string_view kRiskNames = "point or interval";

/// The risk of that name, or nothing.
std::optional<Risk> risk_of(std::string_view name);
std::string_view name_of(Risk risk);

/// Criteria for which patterns are acceptable, and for which of them is the best.
struct ChoiceCriteria {
  /// The largest predicted slowdown that is acceptable; 0.05 is 5 %.
  double slowdown = 0.05;
  Risk risk = Risk::kPoint;
  /// Energy without power figures is the paper's order: fewest nodes, then packages, then dies,
  /// then time; the time, where it is the same, is followed by that order, too.
  Objective objective = Objective::kEnergy;
  /// The ways in which ranks may share nodes: as the mapper finds best, or in natural order only.
  Grouping grouping = Grouping::kMapped;
  /// The fewest nodes that may be used: a site may ask for more than a pattern would need.
  std::uint32_t least_nodes = 1;
  /// True if other jobs may be on the same nodes: the job has as many cores as it asks for, which
  /// Slurm chooses, so that only layouts that it makes of itself may be chosen
  /// (predict::layout_by_slurm()).
  bool shares_nodes = false;
  /// The frequencies that the cores may be set to; absent: they are left alone.
  std::optional<FrequencyRange> frequencies = {};
  /// True if clocks will follow the ranks' loads while the job runs (`energy=balance`): where
  /// several cores have one, ranks with like loads are put onto it.
  bool clocks_follow_loads = false;
  /// The memory that each rank must have on its node, whatever it was measured to use.
  Bytes memory_per_rank = {};
  /// The method that predicts computation; absent: as the model says best, or simply without one.
  std::optional<ComputationMethod> computation = {};
};

/// Question to `huddle plan` about a job that is being submitted. Described field by field in
/// docs/formats/plan-request.md.
struct PlanRequest : ChoiceCriteria {
  static constexpr std::string_view kFormat = "plan-request";
  static constexpr unsigned kVersion = 1;

  /// The key that the job's runs are stored by.
  std::string user;
  std::string label;
  std::uint32_t ranks = 0;
  /// The store's root, and whether it may be made if it is missing.
  std::filesystem::path store;
  bool make_store = false;
  /// The nodes that the user asks for: the reference and the upper limit; absent: those of the
  /// measured run.
  std::optional<std::uint32_t> nodes = {};
  /// True if the job keeps its nodes, for what they have or as there is only one, and as many ranks
  /// on each as it had when it was measured, so that only which ranks share a node, or a die of the
  /// one node, may change.
  bool keeps_nodes = false;
  /// True if the user's word is that the job's steps may run on fewer nodes, whatever their records
  /// show.
  bool steps_are_safe = false;
  /// The number of jobs that get the answer: the members of an array, which all get the same nodes,
  /// and of which one is measured.
  std::uint32_t members = 1;
  /// Number of cores of each rank.
  std::uint32_t cores_per_rank = 1;
  /// True if the threads of its teams may be bound to fewer cores (`threads=pack`), so that it is
  /// also to be said on how many.
  bool packs_threads = false;
  /// True if its cores run at `frequencies` whatever is planned (`frequency=RANGE`), runs as
  /// submitted included; else a plan may choose them there, or leave them alone.
  bool sets_frequencies = false;
  /// The longest time that the job may take, from its start to its end; absent: for ever.
  std::optional<Seconds> time_limit = {};
  /// The program that all of the job's ranks run, where the submission knows it; unknown: those of
  /// the newest measured job.
  LaunchedProgram program = {};
  /// Distinguishes jobs of one label, see script_digest() of the plugin. Only runs with the same
  /// digest, or with none, are samples of this job. Empty: any.
  std::string script = {};
  /// The size of the job's problem, above 0; absent: that of the newest run.
  std::optional<double> size = {};
  /// The machine document of the nodes, and the model that was trained on them; empty: none.
  std::filesystem::path machine;
  std::filesystem::path model;
  /// Profiles that the plan is made from instead of the stored ones, the one whose layout is the
  /// job's first; a second run is never asked for then. Empty: the stored ones.
  std::vector<std::filesystem::path> profiles;
  /// The most runs that may be measured before there is a plan, 1 or 2.
  std::uint32_t samples = 2;
  /// The largest slowdown that a second measured run is predicted to have, as a share: its nodes
  /// are filled less where they would be slower.
  double sample_slowdown = 0.3;
  /// Permission for a plan to choose a pattern that no run and no model covers (coverage.hpp).
  Explore explore = Explore::kNo;
  /// True if a plan is not followed any more once its runs were slower than its bound allows; and
  /// the number of packed runs after which one that is close to it is checked; see PromiseRules.
  bool withdraw = true;
  std::uint32_t check_every = 20;
  /// True if the plan lists every pattern, for people; the choice is the same, and quicker,
  /// without.
  bool every_pattern = false;
  /// The longest time that the answer may take; absent: as long as the plan takes.
  std::optional<Seconds> answer_within = {};
  /// Days after which files that nobody used are removed; 0: none are.
  std::uint32_t keep_days = 0;
  /// The most files, and bytes, that all that is stored of the user may be before the oldest goes;
  /// 0: any number.
  std::uint64_t quota_files = 0;
  Bytes quota{};
  /// True if nothing may be written: the answer is the same, and made anew each time.
  bool dry_run = false;

  /// True if the other members would pay too much for a second measured run of one.
  [[nodiscard]] bool is_large_array() const { return members > 16; }
};

/// The clocks that the job asks for, in words that tell it apart: its runs say nothing of jobs that
/// ask for others, packed or not. Empty: nothing; a plan may choose.
std::string compared_clocks(const PlanRequest& request);

/// The most bytes of a text in a request.
inline constexpr std::size_t kLongestRequestText = 4096;
inline constexpr std::uint64_t kMostRequestBytes = std::uint64_t{1} << 20U;

/// Reads a request and checks it: what is returned respects the limits above and those of each
/// field in docs/formats/plan-request.md. Throws FormatError, whose text calls the document
/// `source`.
PlanRequest parse_plan_request(std::string_view text, std::string_view source);
/// One line. Any bytes in its texts survive.
std::string to_json(const PlanRequest& request);

}  // namespace huddle
