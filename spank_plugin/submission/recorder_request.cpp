#include "spank_plugin/submission/recorder_request.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/store/team_sizes.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::submission {
namespace {

// Marks a choice with a number of threads (region_cores.hpp).
constexpr char kSizeMark = '*';

// Acting on a running job is done by the recorder.
Verdict acting_verdict(const SubmittedJob& job, const Policy& policy, bool allowed,
                       const char* key) {
  if (job.unmeasured) return job.unmeasured;
  if (!allowed) return Refusal{Reason::kNotAllowed, key};
  if (::access(policy.recorder.c_str(), R_OK) != 0)
    return Refusal{Reason::kNoRecorder, policy.recorder};
  return std::nullopt;
}

// A run that is long enough need not wait for the next one.
void let_run_choose(SlurmClient& slurm, const PlanRequest& request) {
  if (request.machine.empty() || slurm.variable(kChooseVariable)) return;
  chooser::ChoiceOrder order;
  order.bound = std::clamp(request.slowdown, 0.0, 1.0);
  order.weighs_time = request.objective == Objective::kEdp;
  order.machine = std::filesystem::absolute(request.machine).string();
  slurm.set_variable(kChooseVariable, text_of(order));
}

// Whose teams may have other sizes, as their user says it now. Null where nobody can say.
std::unique_ptr<store::SizesConsents> consents_of(const SubmittedJob& job) {
  try {
    const store::Store store(job.request.store);
    return std::make_unique<store::SizesConsents>(
        store::SizesConsents::folder_in(store, job.request.user));
  } catch (const Error&) {  // sizes stay
    return nullptr;
  }
}

// Teams of programs whose user allows it have fewer threads: some moments long, or as was chosen.
// What the environment says already is of another run, or nobody's consent.
void let_sizes_change(SlurmClient& slurm, const store::SizesConsents* consents, bool packs) {
  untell(slurm, kTeamSizesWord);
  if (!packs || consents == nullptr) return;
  try {
    const std::string sizes = consents->for_ranks(store::new_sizes_token());
    if (!sizes.empty()) tell(slurm, kTeamSizesWord, sizes);
  } catch (const Error&) {  // sizes stay
  }
}

// The choice without sizes that are not allowed now: the answer may have been made before.
std::string allowed_teams(const Decision& decision, std::uint32_t ranks,
                          const store::SizesConsents* consents) {
  const std::vector<std::string>& sized = decision.teams_programs.sized;
  const bool all = consents != nullptr && !sized.empty() &&
                   consents->in_state(store::SizesState::kAct, sized) == sized;
  if (all || decision.teams.find(kSizeMark) == std::string::npos) return decision.teams;
  try {
    const throttling::ChosenByRank chosen =
        throttling::without_sizes(throttling::parse_teams(decision.teams, ranks));
    return chosen.teams.empty() ? std::string() : text_of(chosen);
  } catch (const Error&) {
    return {};
  }
}

std::string remark_of_teams(const Decision& decision, const std::string& teams, bool stay) {
  if (stay && teams.empty() && !decision.teams.empty())
    return "its teams stay as they are: what was chosen is a size that its user does not allow now";
  std::string remark = teams.find(kSizeMark) != std::string::npos
                           ? "its teams have as many threads and cores as was chosen for them"
                       : !teams.empty() ? "its teams run on as many cores as was chosen for them"
                       : stay           ? "its teams stay as they are"
                                        : "its teams are tried on fewer cores for some moments";
  if (!decision.teams_reason.empty()) remark += ": " + decision.teams_reason;
  return remark;
}

}  // namespace

void ask_for_recorder(SlurmClient& slurm, const PlanRequest& request, const Policy& policy) {
  slurm.set_variable(kRecorderVariable, policy.recorder);
  tell(slurm, kMpirunHelperWord, policy.mpirun_helper);
  slurm.set_variable(kStoreVariable, request.store.string());
  slurm.set_variable(kLabelVariable, request.label);
  if (request.size) slurm.set_variable(kSizeVariable, problem_size_text(*request.size));
  if (!request.script.empty()) tell(slurm, kScriptWord, request.script);
}

bool records_packed_run(const SlurmClient& slurm, const SubmittedJob& job, const Policy& policy,
                        const Decision& decision) {
  // There is no folder for it if the plan is kept elsewhere. At other frequencies than the node's
  // own a profile would say nothing about placements. Where no record is promised the store did not
  // answer, and ranks would wait for it.
  if (!told(slurm, kOutcomeWord) || decision.keeps_nodes || !job.plan.empty() || job.unmeasured ||
      slurm.variable(kFrequencyVariable) || slurm.variable(kBalanceVariable) ||
      slurm.variable(kThreadsVariable) || ::access(policy.recorder.c_str(), R_OK) != 0)
    return false;
  const bool first = decision.untried || decision.unconfirmed;
  switch (policy.record) {
    case RecordPacked::kAlways:
      return true;
    case RecordPacked::kSometimes:
      return first || std::random_device()() % 10 == 0;
    case RecordPacked::kWhenNeeded:
      return first;
    case RecordPacked::kNever:
      return false;
  }
  return false;
}

Verdict balance_verdict(const SubmittedJob& job, const Policy& policy) {
  return acting_verdict(job, policy, policy.frequency_control && policy.frequency_balance,
                        "frequency.balance");
}

Verdict threads_verdict(const SubmittedJob& job, const Policy& policy) {
  return acting_verdict(job, policy, policy.threads_allowed, "threads.allow");
}

// Only with ranks of several cores is there anything to be packed onto. A site's default acts on
// how threads wait only. What teams of a job may do that keeps its nodes is to be seen there, at
// once.
void agree_on_threads(const AggregateOption& option, const Policy& policy, const SlurmClient& slurm,
                      SubmittedJob& job) {
  PlanRequest& request = job.request;
  const std::string threads = slurm.variable(kThreadsVariable).value_or("");
  const bool by_user = threads == "auto" || threads == kPackedThreads;
  job.threads = option.threads.value_or(by_user || policy.threads_by_default);
  const bool asked = option.threads.value_or(by_user) && request.cores_per_rank > 1;
  job.packs_threads = job.threads && (option.packs_threads || threads == kPackedThreads || asked);
  const bool stays = job.kept_layout.has_value();
  request.packs_threads =
      job.packs_threads && policy.threads_allowed &&
      (!stays || job.placed_by_user || job.kept_layout == Refusal{Reason::kOneNode});
  if (!stays || !request.packs_threads) return;
  request.samples = 1;
  request.least_nodes = std::max(request.least_nodes, request.nodes.value_or(0));
}

// A program whose user allows smaller teams is run so once, also where fewer cores gain nothing.
void act_on_threads(SlurmClient& slurm, SubmittedJob& job, const Decision& decision) {
  const std::unique_ptr<store::SizesConsents> consents =
      job.packs_threads ? consents_of(job) : nullptr;
  const bool by_user = slurm.variable(kTeamsVariable).has_value();
  const std::string teams = allowed_teams(decision, job.request.ranks, consents.get());
  const bool chosen = by_user || !teams.empty();
  const bool waits =
      consents != nullptr &&
      !consents->in_state(store::SizesState::kAudit, decision.teams_programs.builds).empty();
  const bool known = !decision.teams_reason.empty() && !decision.teams_untried;
  const bool stay = !chosen && known && !waits;
  const bool packs = job.packs_threads && !stay;
  slurm.set_variable(kThreadsVariable, packs ? kPackedThreads : "auto");
  let_sizes_change(slurm, consents.get(), packs);
  job.remarks.emplace_back(
      "its threads sleep while they wait long, but where it is unknown who shares their CPUs");
  if (!job.packs_threads) return;
  if (!by_user && chosen) slurm.set_variable(kTeamsVariable, teams);
  if (packs && !chosen) let_run_choose(slurm, job.request);
  job.remarks.push_back(by_user ? "its teams run on as many cores as was chosen for them"
                                : remark_of_teams(decision, teams, stay));
  if (waits)
    job.remarks.emplace_back(
        "its teams may have fewer threads for some moments, to try what its user allows");
}

}  // namespace huddle::submission
