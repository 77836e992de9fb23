#include "spank_plugin/submission/asked/submitted_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/problem_size.hpp"
#include "profiles/vocabulary/text.hpp"
#include "spank_plugin/submission/asked/batch_script.hpp"
#include "spank_plugin/submission/asked/named_files.hpp"
#include "spank_plugin/submission/asked/node_sharing.hpp"
#include "spank_plugin/submission/asked/placing_options.hpp"
#include "spank_plugin/submission/asked/script_launches.hpp"
#include "spank_plugin/submission/asked/slurm_texts.hpp"
#include "spank_plugin/submission/recorder_request.hpp"
#include "spank_plugin/submission/step_layout.hpp"

namespace huddle::submission {
namespace {

void agree_on_slowdown(const AggregateOption& option, const Policy& policy, SubmittedJob& job) {
  job.request.slowdown = option.slowdown.value_or(policy.slowdown);
  const std::optional<double>& limit = policy.limits.slowdown;
  if (!limit || job.request.slowdown <= *limit) return;
  if (option.slowdown)
    job.remarks.push_back(fmt::format("slowdown {:.4g} % cut to the site's limit of {:.4g} %",
                                      job.request.slowdown * 100, *limit * 100));
  job.request.slowdown = *limit;
}

// Tells the user what is cut; the site's own default is silently what can be.
void agree_on_frequency(const AggregateOption& option, const Policy& policy, SubmittedJob& job) {
  using Kind = FrequencyWish::Kind;
  const bool asked = option.frequency && option.frequency->kind != Kind::kKeep;
  const auto keep = [&](std::string_view why) {
    job.frequency = {};
    if (asked) job.remarks.push_back(fmt::format("frequencies are kept: {}", why));
  };
  job.frequency = option.frequency.value_or(policy.frequency);
  job.frequency_limit = policy.limits.frequency;
  if (job.frequency.kind == Kind::kKeep) return;
  if (!policy.frequency_control) return keep("this site does not let jobs set them");
  if (job.frequency_limit && job.frequency_limit->empty())
    return keep("the site's limits leave none");
  if (job.frequency.kind != Kind::kRange || !job.frequency_limit) return;
  const FrequencyRange within = common_part(job.frequency.range, *job.frequency_limit);
  if (within.empty())
    return keep(fmt::format("{} is outside of the site's limit of {}", text_of(job.frequency.range),
                            text_of(*job.frequency_limit)));
  if (asked && within != job.frequency.range)
    job.remarks.emplace_back("frequencies are cut to the site's limit");
  job.frequency.range = within;
}

void agree_on_trace(const AggregateOption& option, SubmittedJob& job) {
  if (!option.trace.value_or(false)) return;
  job.trace = job.mode == Mode::kProfile;
  if (!job.trace) job.remarks.emplace_back("it is not traced: only mode profile traces");
}

std::string refusal_of(Mode mode, const Limits& limits) {
  const std::string& who = limits.forbidder_of(mode);
  return fmt::format("by site policy ({}mode {} is not allowed, only {})",
                     who.empty() ? "" : shortened(who) + ": ", name_of(mode),
                     limits.allowed_modes());
}

struct Obstacle {
  const char* option;
  Reason reason;
};

// With one of these a plan could contradict what the user asked for.
constexpr std::array kObstacles = {
    Obstacle{"distribution", Reason::kOwnPlacement},
    Obstacle{"nodelist", Reason::kOwnPlacement},
    Obstacle{"nodefile", Reason::kOwnPlacement},
    Obstacle{"cpu-bind", Reason::kOwnBinding},
    Obstacle{"mem-bind", Reason::kOwnBinding},
    Obstacle{"ntasks-per-core", Reason::kOwnPlacement},
    Obstacle{"ntasks-per-socket", Reason::kOwnPlacement},
    Obstacle{"sockets-per-node", Reason::kOwnPlacement},
    Obstacle{"cores-per-socket", Reason::kOwnPlacement},
    Obstacle{"threads-per-core", Reason::kOwnPlacement},
    Obstacle{"core-spec", Reason::kOwnPlacement},
    Obstacle{"relative", Reason::kOwnPlacement},
    Obstacle{"oversubscribe", Reason::kSharedNodes},
    Obstacle{"overcommit", Reason::kSeveralRanksACore},
    Obstacle{"spread-job", Reason::kSpreadRanks},
    Obstacle{"use-min-nodes", Reason::kFilledNodes},
    Obstacle{"ntasks-per-gpu", Reason::kOwnPlacement},
    Obstacle{"mem-per-gpu", Reason::kAmountOnEachNode},
    Obstacle{"mincpus", Reason::kAmountOnEachNode},
    Obstacle{"tmp", Reason::kAmountOnEachNode},
};

// These ask for what is there on each node, and fewer nodes would have less of it.
constexpr std::array kOnEachNode = {"gres", "gpus", "gpus-per-node", "gpus-per-socket",
                                    "gpus-per-task"};

[[noreturn]] void fail_option(std::string_view option, const std::string& value) {
  throw Error(
      fmt::format("Slurm says --{} is \"{}\", which is not understood", option, shortened(value)));
}

std::uint32_t read_count(const SlurmClient& slurm, const char* option) {
  const std::string text = slurm.get(option);
  const auto count = number_in<std::uint32_t>(text);
  if (!count) fail_option(option, text);
  return *count;
}

bool stands(const SlurmClient& slurm, const char* obstacle) {
  return slurm.is_set(obstacle) && !says_what_plans_do(obstacle, slurm.get(obstacle));
}

// The other obstacles say nothing about where ranks are, nor about who else is there.
bool is_placed(const SlurmClient& slurm) {
  for (const char* name : {"oversubscribe", "overcommit"})
    if (slurm.is_set(name)) return true;
  for (const auto& [option, reason] : kObstacles)
    if ((reason == Reason::kOwnPlacement || reason == Reason::kOwnBinding) && stands(slurm, option))
      return true;
  return false;
}

// Threads and cores are used as the plan has it; the other hints are about memory, or the user's.
bool is_spread_by_hint(const SlurmClient& slurm) {
  return slurm.is_set("hint") && slurm.get("hint").find("memory_bound") != std::string::npos;
}

Verdict layout_verdict(const SlurmClient& slurm, const std::string& script) {
  // This comes first, since it holds for all parts, which have the rest for themselves.
  if (parts_its_command_line(slurm.command_line()) || asks_for_several_parts(script))
    return Refusal{Reason::kSeveralParts};
  if (slurm.is_set("export-file")) return Refusal{Reason::kHiddenEnvironment};
  if (is_spread_by_hint(slurm)) return Refusal{Reason::kSpreadRanks, "--hint=memory_bound"};
  for (const auto& [option, reason] : kObstacles)
    if (stands(slurm, option)) return Refusal{reason, fmt::format("--{}", option)};
  if (slurm.get("exclusive") == "topo")  // from Slurm 24.05 on: more than whole nodes
    return Refusal{Reason::kAmountOnEachNode, "--exclusive=topo"};
  if (slurm.variable("SLURM_HOSTFILE")) return Refusal{Reason::kOwnPlacement, "SLURM_HOSTFILE"};
  return std::nullopt;
}

// Without --nodes that is left to Slurm.
NodeRange nodes_asked_for(const SlurmClient& slurm) {
  if (!slurm.is_set("nodes")) return {};
  const std::string text = slurm.get("nodes");
  const std::optional<NodeRange> range = parse_node_range(text);
  if (!range) fail_option("nodes", text);
  return *range;
}

// Null if the user asks for nothing of that kind, or in as many words (--gres=none).
const char* option_for_each_node(const SlurmClient& slurm) {
  const auto found = std::find_if(kOnEachNode.begin(), kOnEachNode.end(), [&](const char* option) {
    return slurm.is_set(option) && in_lower_case(slurm.get(option)) != "none";
  });
  if (found != kOnEachNode.end()) return *found;
  return parse_tres_per_task(slurm.get(kTresPerTask)).has_devices ? kTresPerTask : nullptr;
}

Verdict nodes_verdict(const SlurmClient& slurm, std::optional<NodesWish> wish,
                      const std::optional<std::string>& script, const RequestedSize& size) {
  if (wish == NodesWish::kKeep) return Refusal{Reason::kKeptByUser};
  if (size.nodes == 1) return Refusal{Reason::kOneNode};
  if (const char* option = option_for_each_node(slurm))
    return Refusal{Reason::kKeptForDevices, fmt::format("--{}", option)};
  if (wish == NodesWish::kFewer) return std::nullopt;
  return script ? script_keeps_nodes(*script, size) : Refusal{Reason::kHiddenScript};
}

std::uint32_t ranks_of(const SlurmClient& slurm, std::uint32_t nodes) {
  if (slurm.is_set("ntasks")) return read_count(slurm, "ntasks");
  return slurm.is_set("ntasks-per-node") ? nodes * read_count(slurm, "ntasks-per-node") : nodes;
}

// A job that only asks for nodes may leave the rest to its steps: "srun -n 8 -c 2 ./app".
void take_size_of_steps(const SlurmClient& slurm, const std::string& script, PlanRequest& request) {
  for (const char* option : {"ntasks", "ntasks-per-node", "cpus-per-task", kTresPerTask})
    if (slurm.is_set(option)) return;
  const std::optional<LaunchSize> size = size_of_launches(script);
  if (!size || !request.nodes || size->ranks <= *request.nodes) return;
  request.ranks = size->ranks;
  request.cores_per_rank = size->cores_per_rank;
}

// A plan that is made of a run is for all ranks of a job in one step.
Verdict steps_verdict(std::string_view script, std::uint32_t ranks) {
  const std::optional<std::uint32_t> most = most_ranks_of_steps(script);
  if (!most || *most >= ranks) return std::nullopt;
  return Refusal{Reason::kSmallSteps, std::to_string(*most)};
}

void read_options(const SlurmClient& slurm, SubmittedJob& job,
                  const std::optional<std::string>& script) {
  PlanRequest& request = job.request;
  request.label = slurm.get("job-name");
  request.dry_run = slurm.is_set("test-only");
  if (slurm.is_set("array")) request.members = parse_array_size(slurm.get("array")).value_or(1);
  if (slurm.is_set("cpus-per-task"))
    request.cores_per_rank = std::max(read_count(slurm, "cpus-per-task"), 1U);
  else  // --tres-per-task=cpu:8 says the same
    request.cores_per_rank = parse_tres_per_task(slurm.get(kTresPerTask)).cpus.value_or(1);
  const NodeRange nodes = nodes_asked_for(slurm);
  if (nodes.most != 0) request.nodes = nodes.most;
  // A range has a lower end that the user means.
  if (nodes.least < nodes.most) request.least_nodes = std::max(request.least_nodes, nodes.least);
  request.ranks = ranks_of(slurm, request.nodes.value_or(1));
  take_size_of_steps(slurm, script.value_or(""), request);
  job.kept_layout = layout_verdict(slurm, script.value_or(""));
  if (slurm.is_set("export-file")) job.unmeasured = Refusal{Reason::kHiddenEnvironment};
  job.placed_by_user = is_placed(slurm);
  // On its one node a rank with devices has the cores beside them.
  const bool stays = request.nodes == 1U && option_for_each_node(slurm) != nullptr;
  if (!job.kept_layout && (stays || request.ranks == 1))
    job.kept_layout = Refusal{Reason::kOneNode};
}

// A reason that was found before stays.
void leave_alone(SubmittedJob& job, const Verdict& why) {
  for (Verdict* verdict : {&job.kept_layout, &job.unmeasured})
    if (!*verdict) *verdict = why;
}

// Runs are identified by the job's name; by that of the program where the name says nothing.
void name_by_program(const SlurmClient& slurm, const std::string& script, SubmittedJob& job) {
  if (!is_usual_name(job.request.label)) return;
  if (const std::string name = name_of_program(slurm, script); !name.empty())
    job.request.label = name;
}

// Tells what the job's script does, and with which arguments. A label of the user's own is the
// user's word that it is always the same.
void tell_script(const SlurmClient& slurm, const std::optional<std::string>& script,
                 PlanRequest& request) {
  std::vector<std::string> words = slurm.program();
  if (!script || (script->empty() && words.empty())) return;
  if (!script->empty() && !words.empty()) words.erase(words.begin());  // the script's own name
  request.script = script_digest(*script, words);
}

// Takes the size from the option, or else from the recorder's own variable, which the run will see.
void read_size(const AggregateOption& option, const SlurmClient& slurm, SubmittedJob& job) {
  job.request.size = option.size;
  const std::string text = slurm.variable(kSizeVariable).value_or("");
  if (option.size || text.empty()) return;
  job.request.size = parse_problem_size(text);
  if (!job.request.size)
    job.remarks.push_back(
        fmt::format("{} is \"{}\", not {}", kSizeVariable, shortened(text), kProblemSizes));
}

// Where the site limits frequencies, auto means those within the limit.
std::optional<FrequencyRange> planned_frequencies(const SubmittedJob& job) {
  switch (job.frequency.kind) {
    case FrequencyWish::Kind::kKeep:
      return std::nullopt;
    case FrequencyWish::Kind::kAuto:
      return job.frequency_limit.value_or(FrequencyRange{});
    case FrequencyWish::Kind::kRange:
      return job.frequency.range;
  }
  return std::nullopt;
}

// Tells a user who types the option from a script, or the site, that has it. Slurm takes the
// beginning of an option's name for it, and what is behind a program is the program's.
bool is_on_command_line(const SlurmClient& slurm) {
  constexpr std::string_view kOption = "--energy-aggregate";
  constexpr std::string_view kShortest = "--en";  // all other options begin otherwise
  const std::vector<std::string> words = slurm.command_line();
  const std::size_t behind = std::min(slurm.program().size(), words.size());
  return std::any_of(words.begin(), words.end() - static_cast<std::ptrdiff_t>(behind),
                     [&](std::string_view word) {
                       word = word.substr(0, word.find('='));
                       return word.starts_with(kShortest) && kOption.starts_with(word);
                     });
}

// Else Slurm's controller need not be asked.
bool may_be_packed(const SubmittedJob& job) {
  const bool is_asked = job.mode == Mode::kAuto || job.mode == Mode::kAdvise;
  return is_asked && !job.kept_layout && !job.kept_nodes;
}

}  // namespace

SubmittedJob agree_on_terms(const AggregateOption& option, const Policy& policy) {
  SubmittedJob job;
  job.asked = option.given;
  job.mode = option.given ? option.mode.value_or(Mode::kAuto) : policy.mode;
  if (!policy.limits.allows(job.mode)) job.refusal = refusal_of(job.mode, policy.limits);
  job.request.objective = option.objective.value_or(policy.objective);
  job.request.samples = option.samples.value_or(policy.samples);
  job.request.sample_slowdown = policy.sample_slowdown;
  job.request.explore = policy.explore;
  job.request.withdraw = policy.withdraw;
  job.request.least_nodes = policy.limits.least_nodes;
  job.request.risk = policy.whole_interval ? Risk::kInterval : Risk::kPoint;
  job.request.machine = policy.machine_file;
  job.request.model = policy.model_file;
  job.request.keep_days = policy.keep_days;
  job.request.quota_files = policy.quota_files;
  job.request.quota = policy.quota;
  agree_on_slowdown(option, policy, job);
  agree_on_frequency(option, policy, job);
  agree_on_trace(option, job);
  // Where clocks may not be set, jobs that did not ask for this get no line about it.
  job.balance = option.balance.value_or(policy.balance_by_default && policy.frequency_control);
  return job;
}

void add_submission(SubmittedJob& job, const AggregateOption& option, const Policy& policy,
                    const SlurmClient& slurm, Submitter by) {
  PlanRequest& request = job.request;
  job.by = by;
  job.shows_table = is_on_command_line(slurm);
  const std::optional<std::string> script = slurm.script();
  read_options(slurm, job, script);
  if (!job.kept_layout && option.plan.empty() && option.nodes != NodesWish::kFewer)
    job.kept_layout = steps_verdict(script.value_or(""), request.ranks);
  agree_on_threads(option, policy, slurm, job);
  request.steps_are_safe = option.nodes == NodesWish::kFewer;
  job.user_keeps_nodes = option.nodes == NodesWish::kKeep;
  job.kept_nodes =
      nodes_verdict(slurm, option.nodes, script, {request.nodes.value_or(0), request.ranks});
  // A run of it would show nothing that anybody could do.
  if (!job.kept_layout && job.kept_nodes == Refusal{Reason::kOneNode} && !job.packs_threads &&
      job.frequency.kind != FrequencyWish::Kind::kAuto &&
      starts_by_mpirun_alone(script.value_or("")))
    job.kept_layout = Refusal{Reason::kMpirunOnOneNode};
  read_size(option, slurm, job);
  request.user = slurm.user();
  if (option.label.empty()) {
    name_by_program(slurm, script.value_or(""), job);
    if (policy.by_script) tell_script(slurm, script, request);
  } else {
    request.label = option.label;
  }
  // The recorder would call its profile after the program, which is not known here.
  if (request.label.empty()) leave_alone(job, Refusal{Reason::kNoName});
  request.store = store::expand_home(policy.profiles_directory, slurm.home());
  request.make_store = policy.profiles_directory.starts_with("~/");
  request.grouping = by == Submitter::kDirectSrun ? Grouping::kRankOrder : Grouping::kMapped;
  if (!option.profile.empty()) request.profiles = {absolute_path(option.profile, slurm.home())};
  job.plan = absolute_path(option.plan, slurm.home());
  if (may_be_packed(job)) {
    agree_on_nodes(slurm, policy, job);
    request.time_limit =
        slurm.is_set("time") ? parse_time_limit(slurm.get("time")) : slurm.usual_time_limit();
  }
  if (job.kept_nodes) {
    request.least_nodes = std::max(request.least_nodes, request.nodes.value_or(0));
    request.samples = 1;  // a second one would be laid out on other nodes
    const bool has_devices = option_for_each_node(slurm) != nullptr;
    request.keeps_nodes = job.kept_nodes == Refusal{Reason::kOneNode} ||
                          (!job.user_keeps_nodes && by == Submitter::kAllocator && has_devices);
    // With less asked for, Slurm shows a rank only what is its own.
    job.ranks_choose = request.keeps_nodes && has_devices && !slurm.is_set("gpus-per-task") &&
                       !parse_tres_per_task(slurm.get(kTresPerTask)).has_devices;
  }
  if (slurm.is_set("cpu-freq")) {
    if (option.frequency && job.frequency.kind != FrequencyWish::Kind::kKeep)
      job.remarks.emplace_back("frequencies are as you say (--cpu-freq)");
    job.frequency = {};
  }
  request.frequencies = planned_frequencies(job);
  request.sets_frequencies = job.frequency.kind == FrequencyWish::Kind::kRange;
  request.clocks_follow_loads = job.balance && policy.frequency_control && policy.frequency_balance;
  // A plan that takes longer is made in the background, for the next submission.
  if (!request.dry_run) request.answer_within = Seconds{1.5};
}

std::optional<FrequencyRange> within_limit(const FrequencyRange& range,
                                           const std::optional<FrequencyRange>& limit) {
  if (!limit) return range;
  if (limit->empty()) return std::nullopt;
  const auto cut = [&](Hertz value) { return std::clamp(value, limit->lowest, limit->highest); };
  return FrequencyRange{cut(range.lowest), cut(range.highest)};
}

}  // namespace huddle::submission
