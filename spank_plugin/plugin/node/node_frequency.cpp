#include "spank_plugin/plugin/node/node_frequency.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/clocks/watch_order.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/detached/run_directory.hpp"
#include "spank_plugin/frequency/core_numbers.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"
#include "spank_plugin/frequency/frequency_request.hpp"
#include "spank_plugin/frequency/journal.hpp"
#include "spank_plugin/frequency/journal_directory.hpp"
#include "spank_plugin/keeper/keep_order.hpp"
#include "spank_plugin/keeper/keeper_process.hpp"
#include "spank_plugin/keeper/keeper_socket.hpp"
#include "spank_plugin/plugin/node/frequency_grants.hpp"
#include "spank_plugin/plugin/node/step_cores.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle::plugin {
namespace {

constexpr const char* kSlurmFrequencyVariable = "SLURM_CPU_FREQ_REQ";  // of --cpu-freq

struct NodePolicy {
  const submission::Settings& settings;
  const Policy& of_job;
};

// The claim of this process's step. Tasks are copies of slurmstepd until they become the user's
// program, and the policy may be another one when the step ends.
struct Held {
  processes::ProcessIdentity owner;
  frequency::FrequencyControl::Settings settings;
  std::unique_ptr<keeper::KeeperProcess> keeper;
};
std::optional<Held> held;

std::uint32_t khz_of(Hertz frequency) {
  return static_cast<std::uint32_t>(std::clamp(
      frequency.value / 1e3, 1.0, static_cast<double>(frequency::ClockLimits::kMostKhz)));
}

frequency::FrequencyControl::Settings control_settings(const Policy& policy) {
  frequency::FrequencyControl::Settings settings;
  settings.journal_directory = policy.frequency_journal;
  if (const auto& range = policy.limits.frequency)
    settings.site = frequency::ClockLimits{khz_of(range->lowest), khz_of(range->highest)};
  return settings;
}

enum class PolicyErrors : std::uint8_t { kLogged, kKnown };

// Without a policy that can be believed, there is still the journal in its usual place.
frequency::FrequencyControl::Settings settings_to_put_back(const submission::Settings& settings,
                                                           PolicyErrors errors) {
  try {
    return control_settings(settings.trusted_policy());
  } catch (const Error& error) {
    if (errors == PolicyErrors::kLogged) slurm_info("huddle: %s", error.what());
    return control_settings(Policy::defaults());
  }
}

// For the user: a step has no way to its user yet when its cores are limited.
std::vector<std::string>& unreported() {
  static std::vector<std::string> lines;
  return lines;
}

void log(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) slurm_info("huddle: %s", line.c_str());
}

void log(const frequency::FrequencyReport& report) {
  log(report.differences);
  log(report.failures);
  log(report.not_put_back);
}

bool on_first_node(spank_t spank) {
  return spank_item_of<std::uint32_t>(spank, S_JOB_NODEID, "node's number") == 0;
}

// Differences from what was asked for are the same on all nodes: one says them.
void report_to_user(spank_t spank, const frequency::FrequencyReport& report) {
  for (const std::string& line : report.failures)
    unreported().push_back(
        fmt::format("{}: frequencies are not set as asked: {}", processes::host_name(), line));
  if (!on_first_node(spank)) return;
  for (const std::string& line : report.differences)
    unreported().push_back(fmt::format("{}: {}", processes::host_name(), line));
}

std::vector<PuSet> cores_of_claim(spank_t spank, const frequency::Claim& claim,
                                  const std::vector<hardware::PhysicalCore>& node) {
  return cores_of(spank, claim.whole_job ? S_JOB_ALLOC_CORES : S_STEP_ALLOC_CORES, node);
}

// Without limits yet.
frequency::Claim make_claim(spank_t spank, std::uint32_t step,
                            const std::vector<hardware::PhysicalCore>& node) {
  frequency::Claim claim;
  claim.job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  claim.step = step;
  claim.whole_job = step == SLURM_BATCH_SCRIPT || step == SLURM_INTERACTIVE_STEP;
  claim.owner = processes::own_identity();
  check_core_numbers(spank, cores_of_claim(spank, claim, node));
  return claim;
}

// A look without the lock, which most steps of a node end with: nothing is limited there.
PuSet claimed_by_other_jobs(const frequency::FrequencyControl::Settings& control,
                            std::uint32_t job) {
  PuSet pus;
  const auto directory = frequency::JournalDirectory::open_unlocked(control.journal_directory);
  const auto text = directory ? directory->read() : std::nullopt;
  if (!text) return pus;
  for (const frequency::Claim& claim : frequency::readable_part_of(*text, control.boot).claims)
    if (claim.job != job)
      for (const auto& [pu, limits] : claim.limits) pus.add(pu);
  return pus;
}

const char* why_left_alone(const Policy& policy, const TaskEnvironment& environment) {
  if (!policy.frequency_control)
    return "the site does not allow it (frequency.control in huddle.toml)";
  if (policy.limits.frequency && policy.limits.frequency->empty())
    return "the site's limits allow none (limits.frequency in huddle.toml)";
  if (environment.get(kSlurmFrequencyVariable)) return "you set them yourself (--cpu-freq)";
  return nullptr;
}

void say_unbalanced(const std::string& reason) {
  slurm_info("huddle: the clocks of this step are not balanced: %s", reason.c_str());
  unreported().push_back(
      fmt::format("{}: clocks are not balanced: {}", processes::host_name(), reason));
}

// Nothing if there can be none, of which the user learns: the step does without.
std::unique_ptr<keeper::KeeperProcess> keeper_for(spank_t spank, const frequency::Claim& claim,
                                                  const Policy& policy) {
  try {
    keeper::KeepOrder order;
    order.job = claim.job;
    order.step = claim.step;
    order.slurmstepd = claim.owner;
    order.user = spank_item_of<uid_t>(spank, S_JOB_UID, "user's number");
    order.keeper_user = policy.keeper_user;
    order.socket = keeper::new_keeper_socket(detached::kRunDirectory).string();
    return std::make_unique<keeper::KeeperProcess>(policy.clocks, order);
  } catch (const Error& error) {
    say_unbalanced(error.what());
    return nullptr;
  }
}

// All clocks of the step may go down as far as the site and the hardware let them, and up to what
// was asked for or, without that, what they have without Huddle.
void open_downwards(frequency::Claim& claim, const PuSet& pus,
                    const frequency::FrequencyControl::Settings& control) {
  frequency::SysfsCpufreq files;
  const frequency::LimitsByPu own =
      frequency::FrequencyControl(files, control).limits_without_claims(pus);
  for (const auto& [pu, limits] : own) {
    const auto wish = claim.limits.find(pu);
    claim.limits[pu] = {1, wish == claim.limits.end() ? limits.most_khz : wish->second.most_khz};
  }
}

// Where it fails the watcher sees the keeper's end, as at any other time.
void hand_over(spank_t spank, std::unique_ptr<keeper::KeeperProcess> keeper,
               const processes::ProcessIdentity& watcher,
               const std::vector<frequency::MovedClock>& clocks) {
  try {
    keeper->hand_over(watcher, clocks);
    TaskEnvironment(spank).set(kKeeperVariable, keeper->socket());
    held->keeper = std::move(keeper);
  } catch (const Error& error) {
    say_unbalanced(error.what());
    keeper->end();
  }
}

void claim_and_watch(spank_t spank, const frequency::Claim& claim,
                     const std::vector<hardware::PhysicalCore>& node,
                     const frequency::FrequencyControl::Settings& control, const NodePolicy& policy,
                     frequency::FrequencyReport& report,
                     std::unique_ptr<keeper::KeeperProcess> keeper = nullptr) {
  const PuSet allocated = union_of(cores_of(spank, S_JOB_ALLOC_CORES, node));
  const clocks::WatchOrder order{claim, allocated, control.site, control.journal_directory.string(),
                                 policy.settings.named_policy_file().string()};
  detached::DetachedProcess watcher(
      policy.of_job.clocks, {"watch", detached::step_name(claim.job, claim.step)}, text_of(order));
  held = Held{claim.owner, control, nullptr};
  frequency::SysfsCpufreq files;
  report = frequency::FrequencyControl(files, held->settings).claim(claim, allocated);
  if (keeper) hand_over(spank, std::move(keeper), watcher.identity(), report.moved);
  watcher.begin();
  log(report);
}

enum class Balance : std::uint8_t { kNo, kYes };

// False if there is nothing to limit.
bool limit(spank_t spank, const NodePolicy& policy, const std::string& wishes, std::uint32_t step,
           Balance balance) {
  const std::vector<hardware::PhysicalCore> node = hardware::physical_cores();
  frequency::Claim claim = make_claim(spank, step, node);
  const auto cores = cores_of_claim(spank, claim, node);
  const std::set<std::uint32_t> ranks = ranks_here(spank);
  if (!wishes.empty())
    claim.limits = frequency::requests_on_node(frequency::parse_frequency_requests(wishes),
                                               {ranks.begin(), ranks.end()}, cores);
  const frequency::FrequencyControl::Settings control = control_settings(policy.of_job);
  std::unique_ptr<keeper::KeeperProcess> keeper;
  if (balance == Balance::kYes) keeper = keeper_for(spank, claim, policy.of_job);
  if (keeper) {
    open_downwards(claim, union_of(cores), control);
    claim.keeper = keeper->identity();
  }
  if (claim.limits.empty()) return false;
  frequency::FrequencyReport report;
  claim_and_watch(spank, claim, node, control, policy, report, std::move(keeper));
  report_to_user(spank, report);
  return true;
}

// The clocks of other jobs, which Slurm suspends for this one in a moment, or lets share its cores.
// A step that requests nothing gets there what the node has without Huddle.
void lift_limits_of_others(spank_t spank, const NodePolicy& policy, std::uint32_t step) {
  frequency::FrequencyControl::Settings control = control_settings(policy.of_job);
  control.site.reset();
  const auto others =
      claimed_by_other_jobs(control, spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number"));
  if (others.empty()) return;
  const std::vector<hardware::PhysicalCore> node = hardware::physical_cores();
  frequency::Claim claim = make_claim(spank, step, node);
  for (const PuSet& core : cores_of_claim(spank, claim, node))
    for (const std::uint32_t pu : core.members())
      if (others.contains(pu)) claim.limits[pu] = {1, frequency::ClockLimits::kMostKhz};
  if (claim.limits.empty()) return;
  frequency::FrequencyReport report;
  claim_and_watch(spank, claim, node, control, policy, report);
}

// True if teams leave cores, whose clocks may then be lowered: at once, or once the run has chosen.
bool teams_are_chosen(const TaskEnvironment& environment) {
  const auto is_set = [&](const char* name) { return !environment.get(name).value_or("").empty(); };
  return environment.get(kThreadsVariable) == kPackedThreads &&
         (is_set(kTeamsVariable) || is_set(kChooseVariable));
}

}  // namespace

void limit_step_frequencies(spank_t spank, const submission::Settings& settings) {
  const TaskEnvironment environment(spank);
  const std::string wishes = environment.get(kFrequencyVariable).value_or("");
  const bool balance = !environment.get(kBalanceVariable).value_or("").empty();
  const bool teams = teams_are_chosen(environment);
  const auto step = spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number");
  if (step == SLURM_EXTERN_CONT) return;
  try {
    // It may be that of the script that started this step.
    if (environment.get(kKeeperVariable)) environment.unset(kKeeperVariable);
    const Policy site = settings.trusted_policy();
    if (!settings.why_switched_off(site).empty()) return;
    const auto lift = [&] {
      if (site.grants_frequencies() && !environment.get(kSlurmFrequencyVariable))
        lift_limits_of_others(spank, {settings, site}, step);
    };
    if (wishes.empty() && !balance && !teams) return lift();
    const Policy policy = policy_for_job(spank, site);
    if (const char* reason = why_left_alone(policy, environment)) {
      if (on_first_node(spank) && !(wishes.empty() && !balance))
        unreported().push_back(fmt::format("frequencies are left alone: {}", reason));
      return lift();
    }
    if (balance && !policy.frequency_balance) {
      if (on_first_node(spank))
        unreported().push_back(
            "clocks are not balanced: the site does not allow it (frequency.balance in "
            "huddle.toml)");
    }
    // Teams run on their cores as well if these keep their clocks: then nobody needs to hear of it.
    const bool keeper = (balance || (teams && policy.threads_allowed)) && policy.frequency_balance;
    if (wishes.empty() && !keeper) return lift();
    check_slurmd();
    const bool limited =
        limit(spank, {settings, policy}, wishes, step, keeper ? Balance::kYes : Balance::kNo);
    if (!limited && wishes.empty()) lift();
  } catch (const Error& error) {
    if (wishes.empty() && !balance && !teams) return;  // a bad policy is slurmd's to report, once
    slurm_info("huddle: %s", error.what());
    if (wishes.empty() && !balance) return;  // teams run on their cores all the same
    unreported().push_back(
        fmt::format("{}: frequencies are left alone: {}", processes::host_name(), error.what()));
  }
}

void report_frequencies() {
  constexpr std::size_t kMostLines = 3;  // on a large node every policy could have its own
  const std::vector<std::string>& lines = unreported();
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) say("{}", lines[i]);
  if (lines.size() > kMostLines)
    say("and {} more lines about frequencies in slurmd's log", lines.size() - kMostLines);
}

void release_step_frequencies() {
  if (!held || held->owner.pid != static_cast<std::uint32_t>(::getpid())) return;
  if (held->keeper) held->keeper->end();
  frequency::SysfsCpufreq files;
  log(frequency::FrequencyControl(files, held->settings)
          .release([&](const frequency::Claim& claim) { return claim.owner == held->owner; }));
  held.reset();
}

void release_job_frequencies(spank_t spank, const submission::Settings& settings) {
  const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  frequency::SysfsCpufreq files;
  const auto control = settings_to_put_back(settings, PolicyErrors::kLogged);
  log(frequency::FrequencyControl(files, control).release([&](const frequency::Claim& claim) {
    return claim.job == job;
  }));
  detached::forget_job_scope(detached::kRunDirectory, job);
}

void release_dead_frequencies(const submission::Settings& settings) {
  frequency::SysfsCpufreq files;
  const auto control = settings_to_put_back(settings, PolicyErrors::kKnown);
  log(frequency::FrequencyControl(files, control).sweep());
  detached::mark_this_slurmd(detached::kRunDirectory);
}

}  // namespace huddle::plugin
