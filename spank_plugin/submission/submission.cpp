#include "spank_plugin/submission/submission.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/submission/all_cores.hpp"
#include "spank_plugin/submission/asked/submitter_identity.hpp"
#include "spank_plugin/submission/control_group.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/job_changes.hpp"
#include "spank_plugin/submission/plan_client.hpp"
#include "spank_plugin/submission/recorder_request.hpp"
#include "spank_plugin/submission/step_layout.hpp"

namespace huddle::submission {
namespace {

/// One job, and what is done with it.
class Submission {
 public:
  /// `policy`: the one for the submitter.
  Submission(SlurmClient& slurm, const Policy& policy, SubmittedJob job)
      : slurm_(slurm), policy_(policy), job_(std::move(job)) {}

  void decide() {
    switch (job_.mode) {
      case Mode::kOff:
        return;
      case Mode::kProfile:
        return measure();
      case Mode::kAdvise:
        return advise();
      case Mode::kAuto:
        return follow_plan();
    }
  }

  // Jobs that the policy leaves alone without anybody's asking are no news, and may be most of a
  // site's; but for those whose times are compared with packed ones.
  void promise(Treatment treatment, const std::string& reason, bool compared = false) {
    if (job_.request.dry_run) return;  // there will be no job
    if (treatment == Treatment::kLeft && !job_.asked && !compared) return;
    if (std::string remark =
            promise_record(slurm_, job_.request, policy_, treatment, reason, control_, is_planned_);
        !remark.empty())
      job_.remarks.push_back(std::move(remark));
  }

 private:
  [[nodiscard]] std::string with_remarks(std::string line) const {
    for (const std::string& remark : job_.remarks) line += "; " + remark;
    return line;
  }

  // One line, and in it what was asked for and can't be.
  void announce(Treatment treatment, const std::string& reason) {
    const std::string_view before = treatment == Treatment::kLeft ? kLeftPrefix : "";
    slurm_.say(fmt::format("{}{}", before, with_remarks(reason)));
  }

  // The job's records and its user get the same reason.
  void leave(const std::string& reason, bool compared = false) {
    promise(Treatment::kLeft, reason, compared);
    announce(Treatment::kLeft, reason);
  }

  // For what the job is, which it is at each submission: no news to those who did not ask.
  void leave_for_its_kind(const std::string& reason) {
    if (job_.asked || !job_.remarks.empty()) leave(reason);
  }

  // Frequencies of a measured run are the node's own, or a profile would say nothing about others.
  void keep_frequencies() {
    if (job_.frequency.kind == FrequencyWish::Kind::kRange)
      job_.remarks.emplace_back("frequencies are kept while it is measured");
    if (job_.balance) job_.remarks.emplace_back("its clocks follow no loads while it is measured");
    slurm_.unset_variable(kThreadsVariable);
    if (job_.threads)
      job_.remarks.emplace_back("its threads wait as they are used to while it is measured");
    job_.frequency = {};
  }

  // The balancers are in the recorder. What it records is no sample for plans: it was run at clocks
  // that changed.
  void ask_for_balance() {
    if (!job_.balance) return;
    if (const Verdict refused = balance_verdict(job_, policy_)) {
      job_.remarks.push_back("its clocks don't follow its loads: " + text_of(*refused));
      return;
    }
    record_packed_run();
    slurm_.set_variable(kBalanceVariable, "1");
    job_.remarks.emplace_back("its clocks follow its loads");
  }

  // Only ranks that get the recorder are acted on.
  void ask_for_threads(const Decision& decision) {
    slurm_.unset_variable(kThreadsVariable);
    if (!job_.threads) return;
    if (const Verdict refused = threads_verdict(job_, policy_)) {
      job_.remarks.push_back("its threads stay as they are: " + text_of(*refused));
      return;
    }
    record_packed_run();
    act_on_threads(slurm_, job_, decision);
  }

  // Returns whether it is measured; if not, a user who asked got a line that says why.
  bool prepare_measuring() {
    const PlanRequest& request = job_.request;
    keep_frequencies();
    if (job_.unmeasured) {
      leave_for_its_kind(text_of(*job_.unmeasured));
      return false;
    }
    if (::access(policy_.recorder.c_str(), R_OK) != 0)
      throw Error(
          fmt::format("the recorder {} can't be read: install it, or set programs.modules "
                      "in huddle.toml",
                      policy_.recorder));
    if (!request.dry_run)
      launch::with_files(request.store, [&] {
        store::Store(request.store)
            .make_folder({request.user, request.label, request.ranks}, request.make_store);
      });
    ask_for_recorder(slurm_, job_.request, policy_);
    if (job_.trace) slurm_.set_variable(kTraceVariable, "1");
    return true;
  }

  // Its profile is taken into account if the plan turns out to be slower than it may be. Its
  // ranks stay where the plan has them.
  void record_packed_run() {
    ask_for_recorder(slurm_, job_.request, policy_);
    tell(slurm_, kPackedRunWord, "1");
  }

  void measure() {
    if (!prepare_measuring()) return;
    is_planned_ = true;  // the next submission may be answered by it
    const std::string reason =
        fmt::format("this run is measured{} to {}",
                    job_.trace ? " and traced, profile and trace go" : ", its profile goes",
                    job_.request.store.string());
    promise(Treatment::kMeasured, reason);
    announce(Treatment::kMeasured, reason);
  }

  // As auto would do it; but advice costs its user no run on other nodes.
  bool measure_for_advice(const Decision& advice) {
    if (advice.action != Decision::Action::kMeasure || advice.lays_out()) return false;
    job_.request.every_pattern = false;
    job_.request.samples = 1;
    const Decision decision = this->decision();
    if (decision.action != Decision::Action::kMeasure) return false;  // another job was quicker
    if (prepare_measuring()) carry_out(decision, Treatment::kMeasured);
    return true;
  }

  void advise() {
    job_.request.every_pattern = true;  // it is for people: no second run is prepared
    const bool is_kept = job_.kept_layout || job_.kept_nodes;
    const bool is_news = job_.asked || !is_kept;
    Decision advice;
    if (policy_.measure || (is_news && !job_.shows_table)) advice = decision();
    if (policy_.measure && measure_for_advice(advice)) return;
    is_planned_ = !is_kept;
    promise(Treatment::kLeft, "advice was asked for");
    if (job_.shows_table) return say_table(slurm_, job_, policy_);
    const bool left = advice.action == Decision::Action::kLeave;
    if (is_news)
      slurm_.say(
          fmt::format("with auto: {}{}", left ? kLeftPrefix : "", with_remarks(advice.reason)));
  }

  // Asks huddle plan, whose answer is done as it says it, if it can be.
  Decision planned() {
    is_planned_ = true;
    return ask_for_decision(job_, policy_);
  }

  // With its nodes kept, a job may still be measured, or run at other frequencies.
  Decision decide_on_kept_nodes() {
    Decision decision;
    const bool wants_more = job_.frequency.kind == FrequencyWish::Kind::kAuto ||
                            !job_.user_keeps_nodes || job_.packs_threads;
    if (wants_more && job_.plan.empty()) {
      decision = planned();
      if (decision.action == Decision::Action::kMeasure || decision.keeps_nodes) return decision;
      // On one node the plan's answer about its teams is what comes of it.
      is_planned_ = job_.packs_threads && job_.kept_nodes == Refusal{Reason::kOneNode};
      if (decision.action == Decision::Action::kApply) decision = {};  // predicted on fewer nodes
    }
    const bool says_why = job_.request.keeps_nodes && !decision.reason.empty();
    const std::string kept = text_of(*job_.kept_nodes);
    decision.reason = says_why ? fmt::format("{}; {}", kept, decision.reason) : kept;
    return decision;
  }

  Decision decision() {
    if (job_.kept_layout) {
      Decision decision = decision_of_unpacked_job(job_, policy_);
      is_planned_ = decision.action == Decision::Action::kMeasure ||
                    (job_.packs_threads && job_.kept_layout == Refusal{Reason::kOneNode});
      return decision;
    }
    if (job_.kept_nodes) return decide_on_kept_nodes();
    return job_.plan.empty() ? planned() : decision_of_own_plan(job_, policy_);
  }

  void run_for_control() {
    leave(words_of(*control_), true);
    tell(slurm_, kMpirunHelperWord, policy_.mpirun_helper);
  }

  void follow_plan() {
    const Decision decision = this->decision();
    switch (decision.action) {
      case Decision::Action::kMeasure:
        if (prepare_measuring()) carry_out(decision, Treatment::kMeasured);
        return;
      case Decision::Action::kApply:
        control_ = draw_for_control(policy_, job_, decision);
        if (control_ && control_->drawn) return run_for_control();
        set_frequencies(decision);
        ask_for_balance();
        ask_for_threads(decision);
        if (job_.by == Submitter::kDirectSrun) set_step_frequency(slurm_, decision.plan_file);
        if (decision.keeps_nodes && job_.ranks_choose)
          job_.remarks.emplace_back(
              "a rank that chooses its GPU must do it by its number on the node (or nodes=keep)");
        return carry_out(decision, decision.keeps_nodes ? Treatment::kGrouped : Treatment::kPacked);
      case Decision::Action::kLeave:
        if (!job_.unmeasured) set_frequencies(decision);
        ask_for_balance();
        ask_for_threads(decision);
        if (job_.kept_layout || job_.kept_nodes) return leave_for_its_kind(decision.reason);
        leave(decision.reason, decision.compared);
        // mpirun's component records, and does nothing else without a plan and a recorder.
        if (decision.compared) tell(slurm_, kMpirunHelperWord, policy_.mpirun_helper);
        return;
    }
  }

  // For the whole job; a step may refine it for its ranks.
  void set_frequencies(const Decision& decision) {
    std::optional<FrequencyRange> range;
    if (decision.frequency)
      range = FrequencyRange{{decision.frequency->min * 1e3}, {decision.frequency->max * 1e3}};
    else if (job_.frequency.kind == FrequencyWish::Kind::kRange)
      range = job_.frequency.range;
    if (!range || job_.frequency.kind == FrequencyWish::Kind::kKeep) return;
    const auto allowed = within_limit(*range, job_.frequency_limit);
    if (!allowed) return;
    slurm_.set_variable(kFrequencyVariable, kilohertz_text_of(*allowed));
    job_.remarks.push_back(fmt::format("cores run at {}", text_of(*allowed)));
  }

  // Slurm's options change last: variables can be taken back, so that whatever fails before leaves
  // the job as submitted.
  void carry_out(const Decision& decision, Treatment treatment) {
    promise(treatment, decision.reason);
    if (treatment == Treatment::kPacked && records_packed_run(slurm_, job_, policy_, decision))
      record_packed_run();
    if (decision.lays_out()) lay_out(decision);
    if (!decision.lays_out() || decision.keeps_nodes) take_place(slurm_, decision, job_.request);
    if (treatment != Treatment::kMeasured)
      announce_in_job(slurm_, job_, decision, policy_.messages_in_steps);
    announce(treatment, decision.reason);
  }

  void check_plan_file(const Decision& decision) const {
    if (job_.request.dry_run) return;  // which writes no plan
    launch::with_files(decision.plan_file, [&] {
      if (::access(decision.plan_file.c_str(), R_OK) != 0)
        throw SystemError("read the plan", decision.plan_file, errno);
    });
  }

  void lay_out(const Decision& decision) {
    const PlanRequest& request = job_.request;
    if (decision.nodes > request.nodes.value_or(decision.nodes))
      throw Error(fmt::format("the plan takes {} nodes, more nodes than the {} asked for",
                              decision.nodes, *request.nodes));
    const bool is_even = std::uint64_t{decision.nodes} * decision.ranks_per_node == request.ranks;
    if (request.shares_nodes && !is_even && !decision.keeps_nodes)
      throw Error("its nodes are shared, and the plan has fewer ranks on one than on others");
    check_plan_file(decision);
    if (decision.keeps_nodes) return tell_grouping(slurm_, decision, job_.by);
    const NodeNeed need{decision.ranks_per_node * request.cores_per_rank,
                        {decision.ranks_per_node * request.memory_per_rank.value},
                        decision.node_shape,
                        !request.shares_nodes};
    if (const std::string why = slurm_.why_nodes_are_missing(decision.nodes, need); !why.empty())
      throw Error(why);
    slurm_.set_variable(kPlanVariable, decision.plan_file);
    tell(slurm_, kMpirunHelperWord, policy_.mpirun_helper);
    untell(slurm_, kSharedNodesWord);  // that of a job that this one is submitted from
    if (request.shares_nodes) tell(slurm_, kSharedNodesWord, "1");
    if (job_.by == Submitter::kDirectSrun) tell(slurm_, kStepPlanWord, decision.plan_file);
    const TrialAnswer before = slurm_.try_submission();
    const auto cpus = cpus_per_task(slurm_);
    const std::vector<OptionChange> former =
        change_options(slurm_, layout_changes(slurm_, decision, job_));
    try {
      compare_charges(before, slurm_.try_submission());
      take_place(slurm_, decision, request);
      if (cpus && job_.by == Submitter::kDirectSrun) tell_cpus_per_task(slurm_, *cpus);
    } catch (...) {
      change_options(slurm_, former);
      throw;
    }
  }

  // Whole nodes may have more CPUs than the ranks had; fair share and limits count them.
  void compare_charges(const TrialAnswer& before, const TrialAnswer& packed) {
    if (!packed.refusal.empty())
      throw Error(fmt::format("Slurm would not run it packed: {}", packed.refusal));
    if (before.cpus == 0 || packed.cpus <= before.cpus) return;
    const std::string charge = fmt::format("{} CPUs in place of {}", packed.cpus, before.cpus);
    if (!policy_.limits.higher_charge.value_or(false))
      throw Error(
          fmt::format("packed it would be charged {}, and the site does not want that", charge));
    job_.remarks.push_back(fmt::format("it is charged {}", charge));
  }

  SlurmClient& slurm_;
  const Policy& policy_;
  SubmittedJob job_;
  /// True if what is done is what huddle plan says to the job's request.
  bool is_planned_ = false;
  std::optional<ControlDraw> control_;
};

}  // namespace

void decide_submission(SlurmClient& slurm, const Settings& settings, const AggregateOption& option,
                       Submitter by) {
  if (option.is_off()) return;
  const Policy site = settings.trusted_policy();
  if (const std::string why = settings.why_switched_off(site); !why.empty()) {
    if (option.given) slurm.say(kLeftPrefix + why);
    return;
  }
  if (!option.given && !site.acts_unasked()) return;
  if (!slurm.shows_options()) throw Error("this Slurm does not show its options to plugins");
  const Policy policy = site.for_submitter(identity_of(slurm, site));
  SubmittedJob job = agree_on_terms(option, policy);
  if (job.mode == Mode::kOff) return;
  if (!job.refusal.empty()) return slurm.say(kLeftPrefix + job.refusal);
  add_submission(job, option, policy, slurm, by);
  if (by == Submitter::kDirectSrun) job.request.program = name_program(slurm);
  if (!job.request.dry_run) tell(slurm, kMessagesWord, policy.messages_in_steps ? "1" : "0");
  Submission submission(slurm, policy, std::move(job));
  try {
    submission.decide();
  } catch (const Error& error) {
    forget_what_was_decided(slurm);
    submission.promise(Treatment::kLeft, error.what());
    throw;
  } catch (...) {
    forget_what_was_decided(slurm);
    throw;
  }
}

}  // namespace huddle::submission
