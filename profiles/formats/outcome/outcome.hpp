#pragma once

// The record of what became of a job's step. Described field by field in docs/formats/outcome.md.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/outcome/control_draw.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/vocabulary/launched_program.hpp"
#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle {

/// Treatment of the ranks of a job.
enum class Treatment : std::uint8_t {
  kMeasured,  ///< they ran under the recorder
  kPacked,    ///< they ran as a plan says
  kLeft,      ///< they ran as submitted
  kGrouped,   ///< they ran on all of the job's nodes, and a plan says which of them share one
};

/// True if ranks so treated follow a plan, unless their step places them itself.
constexpr bool follows_plan(Treatment treatment) {
  return treatment == Treatment::kPacked || treatment == Treatment::kGrouped;
}

/// "measured", "packed", "left" or "grouped".
std::string_view name_of(Treatment treatment);

/// The step that ran, its job, and the time at which it began.
struct OutcomeRun {
  /// Slurm's name of the cluster; empty if it is not known.
  std::string cluster;
  /// 1 or more.
  std::uint64_t job = 0;
  /// Absent: mpirun started the ranks, inside the batch script, or srun-aggregate did, which does
  /// not know the number.
  std::optional<std::uint32_t> step;
  struct ArrayTask {
    std::uint64_t job = 0;
    std::uint32_t task = 0;
    friend bool operator==(const ArrayTask&, const ArrayTask&) = default;
  };
  /// Absent: the job is not one of an array.
  std::optional<ArrayTask> array;
  /// 1 or more.
  std::uint32_t nodes = 0;
  UtcTime start;
  /// Number of tasks that were started, where those are not the job's ranks; 0: unknown. Absent:
  /// they are.
  std::optional<std::uint32_t> tasks = {};
  /// The option by which the user placed the tasks, such as "--nodes"; empty: none.
  std::string placed_by = {};
  /// The name of the program; empty if unknown.
  std::string program = {};
  /// The program that the launcher was told to start; unknown where nobody said it.
  LaunchedProgram launched = {};
};

/// The end of a step.
struct OutcomeEnd {
  /// From its start to the end of what started it: the launch is in it.
  Seconds elapsed;
  /// The exit status of srun or mpirun.
  int status = 0;
  /// From the beginning of the batch script to the end of this step; absent: unknown.
  std::optional<Seconds> job_elapsed = {};
};

/// The promise of the plan.
struct OutcomePrediction {
  std::string pattern;
  Seconds time;
  /// Against the reference; 0.05 is 5 % slower.
  double slowdown = 0;
  /// Absent without a power model.
  std::optional<Joules> energy = {};
  /// Frequency of the cores; absent if it is left alone.
  std::optional<Hertz> frequency = {};
  /// The job as its user submitted it.
  std::uint32_t reference_nodes = 0;
  Seconds reference_time;
  std::optional<Joules> reference_energy = {};
  /// `time` lies between them with 90 % probability; both absent: unknown.
  std::optional<Seconds> time_low = {};
  std::optional<Seconds> time_high = {};
  /// The ground for saying how the ranks slow each other down, and the same for people; absent and
  /// empty: the plan does not say.
  std::optional<Coverage> coverage = {};
  std::string rests_on = {};
  /// The largest slowdown that was accepted for the job; absent: the plan does not say.
  std::optional<double> slowdown_bound = {};

  /// The least slowdown that the pattern explains, an end of the predicted interval. Where there is
  /// none, what is not known of the ranks makes them slower, not faster.
  [[nodiscard]] double least_slowdown() const;
};

/// Record of one start of a job's ranks, or of another step of its job. A submission hands it on
/// without `run` and `end`; the step's start writes it into the store with `run`; its end replaces
/// it, with `end`. Described field by field in docs/formats/outcome.md.
struct Outcome {
  static constexpr std::string_view kFormat = "outcome";
  static constexpr unsigned kVersion = 1;

  std::string user;
  std::string label;
  std::uint32_t ranks = 0;
  /// The digest of the job's script, see script_digest() of the plugin; empty: unknown.
  std::string script = {};
  Treatment treatment = Treatment::kLeft;
  /// One sentence, as it was printed for the user.
  std::string reason;
  /// The messages about the step that were not printed in it, a line each.
  std::vector<std::string> messages = {};
  /// True if its cores were to run at other frequencies than the node's own: then it is no run that
  /// others are compared with.
  bool frequencies_set = false;
  /// The submission's request to huddle plan, or the one it would have made in mode auto; absent:
  /// it was not to be asked, or nobody says.
  std::optional<PlanRequest> request = {};
  /// The draw for the control group; absent: there was none, or no plan would pack the job.
  std::optional<ControlDraw> control = {};
  /// The plan that the ranks were laid out by; empty if by none.
  std::string plan_file;
  /// The profile that the run left; empty if none is known.
  std::string profile_file;
  /// Absent: it has not begun.
  std::optional<OutcomeRun> run;
  /// Absent: nothing is known of its end. Only with `run`.
  std::optional<OutcomeEnd> end;
  /// Absent without a plan, or if it could not be read.
  std::optional<OutcomePrediction> prediction;

  /// True if this is the record of a step that ran something else than the job's ranks.
  [[nodiscard]] bool is_other_step() const { return run && run->tasks; }
};

/// The most bytes of the file.
inline constexpr std::uint64_t kMostOutcomeBytes = std::uint64_t{1} << 20U;

/// Throws SystemError or FormatError.
Outcome load_outcome(const std::filesystem::path& path);
/// Throws FormatError; `source` is what errors call the text.
Outcome parse_outcome(std::string_view text, std::string_view source);
/// On one line.
std::string to_json(const Outcome& outcome);

/// Returns the promise of `plan`.
OutcomePrediction prediction_of(const Plan& plan);

}  // namespace huddle
