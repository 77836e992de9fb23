#include "spank_plugin/plugin/submission.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"
#include "profiles/vocabulary/job_environment.hpp"
#include "spank_plugin/plugin/submitter_identity.hpp"
#include "spank_plugin/plugin/decided_variables.hpp"
#include "spank_plugin/plugin/partition_nodes.hpp"
#include "spank_plugin/plugin/plan_client.hpp"
#include "spank_plugin/plugin/pending_outcome.hpp"
#include "spank_plugin/plugin/say.hpp"
#include "spank_plugin/plugin/slurm_options.hpp"
#include "spank_plugin/plugin/step_frequency.hpp"

namespace huddle {
namespace {

using Kind = FrequencyWish::Kind;

void set_variable(const char* name, const std::string& value) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  if (::setenv(name, value.c_str(), 1) != 0) throw SystemError("set", name, errno);
}

// What the policy leaves alone without anybody's asking is no news, and may be most of a site's
// jobs.
void promise(const SubmittedJob& job, Treatment treatment, const std::string& reason) {
  if (job.request.only_tested) return;  // there will be no job
  if (treatment != Treatment::kLeft || job.terms.asked)
    promise_record(job.request, job.policy, job.store, treatment, reason);
}

std::string with_remarks(const SubmittedJob& job, std::string line) {
  for (const std::string& remark : job.terms.remarks) line += "; " + remark;
  return line;
}

// One line, and in it what was asked for and can't be.
void announce(const SubmittedJob& job, Treatment treatment, const std::string& reason) {
  const std::string_view before = treatment == Treatment::kLeft ? "left as submitted: " : "";
  say("{}{}", before, with_remarks(job, reason));
}

// The job's records and its user are told the same.
void tell(const SubmittedJob& job, Treatment treatment, const std::string& reason) {
  promise(job, treatment, reason);
  announce(job, treatment, reason);
}

// Frequencies of a measured run are the node's own, or a profile would say nothing about others.
void keep_frequencies(SubmittedJob& job) {
  if (job.terms.frequency.kind == Kind::kRange)
    job.terms.remarks.emplace_back("frequencies are kept while it is measured");
  job.terms.frequency = {};
}

// Whether it is measured; if not, a line has said why.
bool prepare_measuring(const SubmittedJob& job) {
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
  if (!job.request.only_tested) job.store.make_folder(key, job.make_store);
  set_variable(kRecorderVariable, job.policy.recorder);
  set_variable(kStoreVariable, job.store.root().string());
  set_variable(kLabelVariable, job.request.label);
  if (job.request.size) set_variable(kSizeVariable, problem_size_text(*job.request.size));
  set_variable(kStoreCreateVariable, job.make_store ? "1" : "0");
  const bool moves = job.policy.move_ranks && !job.request.placed_by_user;
  set_variable(kMoveRanksVariable, moves ? "1" : "0");
  if (job.terms.trace) set_variable(kTraceVariable, "1");
  return true;
}

// For the whole job; a step may refine it for its ranks.
void set_frequencies(SubmittedJob& job, const Decision& decision) {
  std::optional<FrequencyRange> range;
  if (decision.frequency)
    range = FrequencyRange{{decision.frequency->min * 1e3}, {decision.frequency->max * 1e3}};
  else if (job.terms.frequency.kind == Kind::kRange)
    range = job.terms.frequency.range;
  if (!range || job.terms.frequency.kind == Kind::kKeep) return;
  const auto allowed = within_limit(*range, job.terms.frequency_limit);
  if (!allowed) return;
  set_variable(kFrequencyVariable, kilohertz_text_of(*allowed));
  job.terms.remarks.push_back(fmt::format("cores run at {}", text_of(*allowed)));
}

void lay_out(const SubmittedJob& job, const SlurmOptions& options, const Decision& decision) {
  if (job.request.nodes != 0 && decision.nodes > job.request.nodes)
    throw Error(fmt::format("the plan takes {} nodes, more nodes than the {} asked for",
                            decision.nodes, job.request.nodes));
  // What only tells what would be done writes no plan.
  if (!job.request.only_tested && ::access(decision.plan_file.c_str(), R_OK) != 0)
    throw SystemError("read the plan", decision.plan_file, errno);
  const std::uint32_t cpus = decision.ranks_per_node * job.request.cores_per_rank;
  if (const std::string why = why_nodes_are_missing(options, decision.nodes, cpus); !why.empty())
    throw Error(why);
  set_variable(kPlanVariable, decision.plan_file);
  set_variable(kMpirunHelperVariable, job.policy.mpirun_helper);
  if (job.by == Submitter::kDirectSrun) set_variable(kStepPlanVariable, decision.plan_file);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"nodes", std::to_string(decision.nodes)},
      {"ntasks", std::to_string(job.request.ranks)},
      {"ntasks-per-node", std::to_string(decision.ranks_per_node)},
      {"exclusive", ""}};
  if (const auto refused = options.set_all(changes))
    throw Error(fmt::format("Slurm does not take --{} from a plugin", *refused));
}

// Slurm's options change last: variables can be taken back, so that whatever fails before leaves
// the job as submitted.
void carry_out(const SubmittedJob& job, const SlurmOptions& options, const Decision& decision,
               Treatment treatment) {
  promise(job, treatment, decision.reason);
  if (decision.lays_out()) lay_out(job, options, decision);
  announce(job, treatment, decision.reason);
}

void measure(SubmittedJob& job) {
  keep_frequencies(job);
  if (prepare_measuring(job))
    tell(job, Treatment::kMeasured,
         fmt::format("this run is measured{} to {}",
                     job.terms.trace ? " and traced, profile and trace go" : ", its profile goes",
                     job.store.root().string()));
}

void advise(const SubmittedJob& job) {
  promise(job, Treatment::kLeft, "advice was asked for");
  if (!job.request.why_not_packed.empty())
    say("with auto it would be left as submitted: {}",
        with_remarks(job, job.request.why_not_packed));
  const std::string table = ask_for_table(job);
  std::string_view rest = table;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    say("{}", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// With its nodes kept, a job may still run at other frequencies.
Decision decide_on_kept_nodes(const SubmittedJob& job) {
  Decision decision;
  if (job.terms.frequency.kind == Kind::kAuto && job.plan.empty()) {
    decision = ask_for_decision(job);
    if (decision.action == Decision::Action::kMeasure) return decision;
    if (decision.action == Decision::Action::kApply) decision = {};  // foreseen on fewer nodes
  }
  decision.reason = "you keep your nodes (nodes=keep)";
  return decision;
}

void follow_plan(SubmittedJob& job, const SlurmOptions& options) {
  Decision decision;
  decision.reason = job.request.why_not_packed;
  if (decision.reason.empty() && job.terms.keep_nodes)
    decision = decide_on_kept_nodes(job);
  else if (decision.reason.empty())
    decision = job.plan.empty() ? ask_for_decision(job) : decision_of_own_plan(job);
  switch (decision.action) {
    case Decision::Action::kMeasure:
      keep_frequencies(job);
      if (!prepare_measuring(job)) return;
      return carry_out(job, options, decision, Treatment::kMeasured);
    case Decision::Action::kApply:
      set_frequencies(job, decision);
      if (job.by == Submitter::kDirectSrun) set_step_frequency(decision.plan_file);
      return carry_out(job, options, decision, Treatment::kPacked);
    case Decision::Action::kLeave:
      if (job.request.why_not_measured.empty()) set_frequencies(job, decision);
      return tell(job, Treatment::kLeft, decision.reason);
  }
}

// "~/" is not expanded by shells behind an "="; a relative path would mean another file on a node.
std::string absolute_path(const std::string& path) {
  return path.empty() ? path
                      : std::filesystem::absolute(expand_home(path, current_home())).string();
}

// What the option says, or else the recorder's own variable, which the run will see.
void read_size(const AggregateOption& option, SubmittedJob& job) {
  job.request.size = option.size;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  const char* text = std::getenv(kSizeVariable);
  if (option.size || text == nullptr || *text == '\0') return;
  job.request.size = parse_problem_size(text);
  if (!job.request.size)
    job.terms.remarks.push_back(
        fmt::format("{} is \"{}\", not {}", kSizeVariable, shortened(text), kProblemSizes));
}

SubmittedJob job_of(const AggregateOption& option, const JobTerms& terms, const Policy& policy,
                    const SlurmOptions& options, Submitter by) {
  SubmittedJob job{.by = by,
                   .request = read_request(options),
                   .terms = terms,
                   .policy = policy,
                   .store = Store(expand_home(policy.profiles_directory, current_home())),
                   .make_store = policy.profiles_directory.starts_with("~/"),
                   .profile = absolute_path(option.profile),
                   .plan = absolute_path(option.plan)};
  if (!option.label.empty()) job.request.label = option.label;
  read_size(option, job);
  if (job.terms.keep_nodes) {
    job.terms.least_nodes = std::max(job.terms.least_nodes, job.request.nodes);
    job.terms.samples = 1;  // a second one would be laid out on other nodes
  }
  if (job.request.sets_frequency) {
    if (option.frequency && job.terms.frequency.kind != Kind::kKeep)
      job.terms.remarks.emplace_back("frequencies are as you say (--cpu-freq)");
    job.terms.frequency = {};
  }
  return job;
}

void decide(SubmittedJob job, const SlurmOptions& options) {
  switch (job.terms.mode) {
    case Mode::kOff:
      return;
    case Mode::kProfile:
      return measure(job);
    case Mode::kAdvise:
      return advise(job);
    case Mode::kAuto:
      return follow_plan(job, options);
  }
}

}  // namespace

void decide_submission(const Settings& settings, const OptionValue& option, Submitter by) {
  if (option.is_off()) return;
  const Policy site = settings.policy();
  const auto options = SlurmOptions::of_this_process();
  if (!options) {
    if (!option.given && site.mode == Mode::kOff) return;
    throw Error("this Slurm does not show its options to plugins");
  }
  const Policy policy = site.for_submitter(submitter_of_this_process(*options, site));
  const JobTerms terms = agree_on_terms(option.asked, option.given, policy);
  if (terms.mode == Mode::kOff) return;
  if (!terms.refusal.empty()) return say("left as submitted: {}", terms.refusal);
  const SubmittedJob job = job_of(option.asked, terms, policy, *options, by);
  try {
    decide(job, *options);
  } catch (const Error& error) {
    forget_what_was_decided();
    promise(job, Treatment::kLeft, error.what());
    throw;
  } catch (...) {
    forget_what_was_decided();
    throw;
  }
}

}  // namespace huddle
