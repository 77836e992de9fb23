#include "spank_plugin/plugin/submission.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "profiles/formats/decision.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/job_environment.hpp"
#include "spank_plugin/plugin/decided_variables.hpp"
#include "spank_plugin/plugin/job_request.hpp"
#include "spank_plugin/plugin/promised_record.hpp"
#include "spank_plugin/plugin/say.hpp"
#include "spank_plugin/plugin/slurm_options.hpp"

namespace huddle {
namespace {

constexpr std::chrono::seconds kPlanTimeLimit{2};

struct Job {
  JobRequest request;
  Mode mode;
  /// By the user's option, not by the policy alone.
  bool asked_for;
  Policy policy;
  Submission::By by;
  Store store;
  bool make_store;
};

void set_variable(const char* name, const std::string& value) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  if (::setenv(name, value.c_str(), 1) != 0) throw SystemError("set", name, errno);
}

// A store in the user's home is made when it is first needed; a site's is the administrator's to
// make.
bool in_home(const Policy& policy) {
  return policy.profiles_directory.starts_with("~/");
}

// What the policy leaves alone without anybody's asking is no news, and may be most of a site's
// jobs.
void promise(const Job& job, Treatment treatment, const std::string& reason) {
  if (treatment != Treatment::kLeft || job.asked_for)
    promise_record(job.request, job.policy, job.store, treatment, reason);
}

// The job's records and its user are told the same.
void tell(const Job& job, Treatment treatment, const std::string& reason) {
  promise(job, treatment, reason);
  if (treatment == Treatment::kLeft)
    say("left as submitted: {}", reason);
  else
    say("{}", reason);
}

// Whether it is measured; if not, a line has said why.
bool prepare_measuring(const Job& job) {
  if (!job.request.why_not_measured.empty()) {
    tell(job, Treatment::kLeft, job.request.why_not_measured);
    return false;
  }
  if (::access(job.policy.recorder.c_str(), R_OK) != 0)
    throw Error(
        fmt::format("the recorder {} can't be read: install it, or set programs.recorder "
                    "in huddle.toml",
                    job.policy.recorder));
  const StoreKey key{current_user(), job.request.label, job.request.ranks};
  job.store.make_folder(key, job.make_store);
  set_variable(kRecorderVariable, job.policy.recorder);
  set_variable(kStoreVariable, job.store.root().string());
  set_variable(kLabelVariable, job.request.label);
  set_variable(kStoreCreateVariable, job.make_store ? "1" : "0");
  const bool moves = job.policy.move_ranks && !job.request.placed_by_user;
  set_variable(kMoveRanksVariable, moves ? "1" : "0");
  return true;
}

void measure(const Job& job, const std::string& reason) {
  if (prepare_measuring(job)) tell(job, Treatment::kMeasured, reason);
}

ChildResult run_plan(const Job& job, bool for_people) {
  std::vector<std::string> command = {
      job.policy.huddle,
      "plan",
      fmt::format("--store={}", job.store.root().string()),
      fmt::format("--label={}", job.request.label),
      fmt::format("--ranks={}", job.request.ranks),
      fmt::format("--slowdown={}", job.policy.slowdown),
      fmt::format("--grouping={}",
                  job.by == Submission::By::kDirectSrun ? "rank-order" : "mapped")};
  if (job.request.nodes != 0) command.push_back(fmt::format("--nodes={}", job.request.nodes));
  if (!job.policy.machine_file.empty())
    command.push_back(fmt::format("--machine={}", job.policy.machine_file));
  if (!job.policy.model_file.empty())
    command.push_back(fmt::format("--model={}", job.policy.model_file));
  if (job.policy.whole_interval) command.emplace_back("--risk=interval");
  command.push_back(fmt::format("--samples={}", job.policy.samples));
  if (!for_people) command.emplace_back("--json");
  ChildResult result = run_child(command, kPlanTimeLimit);
  if (result.timed_out)
    throw Error(
        fmt::format("{} plan took longer than {} s", job.policy.huddle, kPlanTimeLimit.count()));
  if (result.status != 0) {
    std::string_view line = std::string_view(result.errors).substr(0, result.errors.find('\n'));
    constexpr std::string_view kPrefix = "huddle: ";  // ours comes in front anyway
    if (line.starts_with(kPrefix)) line.remove_prefix(kPrefix.size());
    throw Error(fmt::format("{} plan failed with status {}: {}", job.policy.huddle, result.status,
                            shortened(line, 200)));
  }
  return result;
}

void lay_out(const Job& job, const SlurmOptions& options, const Decision& decision) {
  if (job.request.nodes != 0 && decision.nodes > job.request.nodes)
    throw Error(fmt::format("the plan takes {} nodes, more nodes than the {} asked for",
                            decision.nodes, job.request.nodes));
  std::vector<std::pair<std::string, std::string>> changes = {
      {"nodes", std::to_string(decision.nodes)},
      {"ntasks", std::to_string(job.request.ranks)},
      {"ntasks-per-node", std::to_string(decision.ranks_per_node)},
      {"exclusive", ""}};
  if (const auto refused = options.set_all(changes))
    throw Error(fmt::format("Slurm does not take --{} from a plugin", *refused));
  set_variable(kPlanVariable, decision.plan_file);
  set_variable(kMpirunHelperVariable, job.policy.mpirun_helper);
  if (job.by == Submission::By::kDirectSrun) set_variable(kStepPlanVariable, decision.plan_file);
}

void advise(const Job& job) {
  promise(job, Treatment::kLeft, "advice was asked for");
  if (!job.request.why_not_packed.empty())
    say("with auto it would be left as submitted: {}", job.request.why_not_packed);
  const ChildResult result = run_plan(job, true);
  std::string_view rest = result.output;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    say("{}", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void follow_plan(const Job& job, const SlurmOptions& options) {
  if (!job.request.why_not_packed.empty()) {
    tell(job, Treatment::kLeft, job.request.why_not_packed);
    return;
  }
  const ChildResult result = run_plan(job, false);
  const Decision decision = parse_decision(result.output, "what huddle plan printed");
  switch (decision.action) {
    case Decision::Action::kMeasure:
      if (!prepare_measuring(job)) return;
      [[fallthrough]];
    case Decision::Action::kApply:
      if (decision.lays_out()) lay_out(job, options, decision);
      return tell(
          job,
          decision.action == Decision::Action::kApply ? Treatment::kPacked : Treatment::kMeasured,
          decision.reason);
    case Decision::Action::kLeave:
      return tell(job, Treatment::kLeft, decision.reason);
  }
}

void act(const Job& job, const SlurmOptions& options) {
  if (job.mode == Mode::kProfile)
    measure(job,
            fmt::format("this run is measured, its profile goes to {}", job.store.root().string()));
  else if (job.mode == Mode::kAdvise)
    advise(job);
  else
    follow_plan(job, options);
}

}  // namespace

Submission::Submission(const Settings& settings, const OptionValue& option, By by)
    : settings_(settings), option_(option), by_(by) {}

void Submission::decide() const {
  forget_what_was_decided();
  const std::optional<Mode> asked =
      option_.given ? std::optional<Mode>(option_.mode()) : std::nullopt;
  if (asked == Mode::kOff) return;
  const Policy policy = settings_.policy();
  const Mode mode = asked.value_or(policy.mode);
  if (mode == Mode::kOff) return;
  const auto options = SlurmOptions::of_this_process();
  if (!options) throw Error("this Slurm does not show its options to plugins");
  const Job job{read_request(*options),
                mode,
                asked.has_value(),
                policy,
                by_,
                Store(expand_home(policy.profiles_directory, current_home())),
                in_home(policy)};
  try {
    act(job, *options);
  } catch (const Error& error) {
    promise(job, Treatment::kLeft, error.what());
    throw;
  }
}

}  // namespace huddle
