#include "spank_plugin/submission/job_changes.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/submission/all_cores.hpp"

namespace huddle::submission {
namespace {

bool is_salloc(const SlurmClient& slurm, const SubmittedJob& job) {
  if (job.by != Submitter::kAllocator) return false;
  const auto script = slurm.script();
  return script && script->empty();
}

void add_memory(const SubmittedJob& job, std::uint32_t ranks, std::vector<OptionChange>& changes) {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
  if (job.packed_memory.all) {
    changes.push_back({"mem-per-cpu", std::nullopt});
    changes.push_back({"mem", "0"});
  } else if (const std::uint64_t memory = ranks * job.packed_memory.of_rank.value / kMebi) {
    changes.push_back({"mem", fmt::format("{}M", memory)});
  }
}

}  // namespace

std::vector<OptionChange> layout_changes(const SlurmClient& slurm, const Decision& decision,
                                         const SubmittedJob& job) {
  const std::uint32_t per_node = decision.ranks_per_node;
  std::vector<OptionChange> changes = {{"nodes", std::to_string(decision.nodes)},
                                       {"ntasks", std::to_string(job.request.ranks)}};
  // With --ntasks-per-node salloc tells its steps that they have that many tasks on each node,
  // though
  // --ntasks says that there are fewer.
  const bool is_even = std::uint64_t{decision.nodes} * per_node == job.request.ranks;
  if (is_even || !is_salloc(slurm, job)) {
    changes.push_back({"ntasks-per-node", std::to_string(per_node)});
  } else {
    changes.push_back({"ntasks-per-node", std::nullopt});
    changes.push_back({"mincpus", std::to_string(per_node * job.request.cores_per_rank)});
  }
  if (job.request.shares_nodes) {
    const bool keeps_threads =
        slurm.is_set("hint") || slurm.is_set("threads-per-core") || slurm.is_set("ntasks-per-core");
    if (!keeps_threads && slurm.has_several_threads()) changes.push_back({"ntasks-per-core", "1"});
    add_memory(job, per_node, changes);
    return changes;
  }
  changes.push_back({"exclusive", ""});
  if (job.by == Submitter::kDirectSrun) {        // its options are its step's as well
    changes.push_back({"exact", std::nullopt});  // which came with --exclusive
    const std::vector<OptionChange> more = changes_for_all_cores(slurm);
    changes.insert(changes.end(), more.begin(), more.end());
    if (!more.empty())
      changes.push_back({"mincpus", std::to_string(per_node * job.request.cores_per_rank)});
  }
  add_memory(job, per_node, changes);
  return changes;
}

void tell_grouping(SlurmClient& slurm, const Decision& decision, Submitter by) {
  tell(slurm, kGroupingWord, decision.plan_file);
  if (decision.nodes != 1) return;
  tell(slurm, kSharedNodesWord, "1");
  if (by == Submitter::kDirectSrun) tell(slurm, kStepPlanWord, decision.plan_file);
}

void take_place(SlurmClient& slurm, const Decision& decision, const PlanRequest& request) {
  untell(slurm, kClaimWord);  // that of a job that this one is submitted from
  if (decision.claim.empty() || request.dry_run) return;
  const std::filesystem::path file = decision.claim;
  const store::JobClaim claim = store::claim_of_this_process(slurm.get("job-name"));
  const auto take = [&] { return std::string(store::take_claim(file, claim) ? "mine" : ""); };
  if (launch::text_with_files(file, take).empty())
    throw Error(decision.action == Decision::Action::kMeasure ? store::kRunIsBeingMeasured
                                                              : store::kFirstRunIsTaken);
  tell(slurm, kClaimWord, claim.token() + " " + file.filename().string());
}

std::string job_comment(const Decision& decision, std::optional<std::uint32_t> requested) {
  std::string comment = requested ? fmt::format("huddle:packed {}->{}", *requested, decision.nodes)
                                  : fmt::format("huddle:packed ->{}", decision.nodes);
  if (!decision.pattern.empty()) comment += " " + decision.pattern;
  if (decision.slowdown) comment += fmt::format(" {}%", percent_text(*decision.slowdown));
  return comment;
}

void comment_on_job(SlurmClient& slurm, const Decision& decision,
                    std::optional<std::uint32_t> requested) {
  if (slurm.is_set("comment") || !slurm.get("comment").empty()) return;
  try {
    change_options(slurm, {{"comment", job_comment(decision, requested)}});
  } catch (const Error&) {  // nobody is harmed
  }
}

void announce_in_steps(SlurmClient& slurm, const std::string& reason) {
  tell(slurm, kAnnouncementWord, reason);
}

// Where there is no script, of srun and salloc, it was said on the terminal of the steps.
void announce_in_job(SlurmClient& slurm, const SubmittedJob& job, const Decision& decision,
                     bool in_steps) {
  const auto script = slurm.script();
  if (in_steps && job.by != Submitter::kDirectSrun && (!script || !script->empty()))
    announce_in_steps(slurm, decision.reason);
  if (!decision.keeps_nodes) comment_on_job(slurm, decision, job.request.nodes);
}

void say_announcement(SlurmClient& slurm) {
  if (const auto text = told(slurm, kAnnouncementWord)) slurm.say(*text);
}

}  // namespace huddle::submission
