#include "spank_plugin/plugin/node_frequency.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/clocks/run_directory.hpp"
#include "spank_plugin/clocks/watch_order.hpp"
#include "spank_plugin/clocks/watcher_process.hpp"
#include "spank_plugin/frequency/core_numbers.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"
#include "spank_plugin/frequency/frequency_request.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle {
namespace {

// The claim of this process's step. Tasks are copies of slurmstepd until they become the user's
// program, and the policy may be another one when the step ends.
struct Held {
  ProcessIdentity owner;
  FrequencyControl::Settings settings;
};
std::optional<Held> held;

std::uint32_t khz_of(Hertz frequency) {
  return static_cast<std::uint32_t>(
      std::clamp(frequency.value / 1e3, 1.0, static_cast<double>(ClockLimits::kMostKhz)));
}

FrequencyControl::Settings control_settings(const Policy& policy) {
  FrequencyControl::Settings settings;
  settings.journal_directory = policy.frequency_journal;
  if (const auto& range = policy.limits.frequency)
    settings.site = ClockLimits{khz_of(range->lowest), khz_of(range->highest)};
  return settings;
}

enum class PolicyErrors : std::uint8_t { kLogged, kKnown };

// Without a policy that can be believed, there is still the journal in its usual place.
FrequencyControl::Settings settings_to_put_back(const Settings& settings, PolicyErrors errors) {
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

void log(const FrequencyReport& report) {
  log(report.differences);
  log(report.failures);
  log(report.not_put_back);
}

std::vector<PuSet> cores_of(spank_t spank, spank_item which,
                            const std::vector<PhysicalCore>& node) {
  const auto* list = spank_item_of<const char*>(spank, which, "cores of the step");
  return pus_of_slurms_cores(node, list == nullptr ? "" : list);
}

PuSet union_of(const std::vector<PuSet>& sets) {
  PuSet all;
  for (const PuSet& set : sets)
    for (const std::uint32_t pu : set.members()) all.add(pu);
  return all;
}

std::string node_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "this node";
  return name.data();
}

bool on_first_node(spank_t spank) {
  return spank_item_of<std::uint32_t>(spank, S_JOB_NODEID, "node's number") == 0;
}

// What is different from what was asked for will be so on all nodes: one says it.
void report_to_user(spank_t spank, const FrequencyReport& report) {
  for (const std::string& line : report.failures)
    unreported().push_back(
        fmt::format("{}: frequencies are not set as asked: {}", node_name(), line));
  if (!on_first_node(spank)) return;
  for (const std::string& line : report.differences)
    unreported().push_back(fmt::format("{}: {}", node_name(), line));
}

// Cores of the wrong numbers could be another job's. Slurm counts threads as cores where slurm.conf
// gives a node nothing but CPUs=: then it has fewer CPUs for a core than Linux. (So it has for the
// script of a job with --threads-per-core=1. Nothing that root may believe distinguishes these.)
void check_numbers(spank_t spank, const std::vector<PuSet>& cores) {
  if (const std::string why = why_cores_have_other_numbers(); !why.empty()) throw Error(why);
  const std::size_t cpus =
      spank_item_of<std::uint16_t>(spank, S_JOB_NCPUS, "number of CPUs of the step");
  const PuSet pus = union_of(cores);
  if (pus.size() != cpus)
    throw Error(
        fmt::format("Slurm counts {} CPU(s) on {} core(s) where Linux has {}, by "
                    "--threads-per-core or by this node's CPUs in slurm.conf: it may mean other "
                    "cores",
                    cpus, cores.size(), pus.size()));
}

Claim make_claim(spank_t spank, const std::string& wishes, std::uint32_t step,
                 const std::vector<PhysicalCore>& node) {
  Claim claim;
  claim.job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  claim.step = step;
  claim.whole_job = step == SLURM_BATCH_SCRIPT || step == SLURM_INTERACTIVE_STEP;
  claim.owner = own_identity();
  const auto cores =
      cores_of(spank, claim.whole_job ? S_JOB_ALLOC_CORES : S_STEP_ALLOC_CORES, node);
  check_numbers(spank, cores);
  const std::set<std::uint32_t> ranks = ranks_here(spank);
  claim.limits =
      requests_on_node(parse_frequency_requests(wishes), {ranks.begin(), ranks.end()}, cores);
  return claim;
}

// Of the user's groups those that the policy has a table for, by what Slurm says of the job.
std::vector<std::string> groups_of(spank_t spank, const Policy& policy) {
  if (policy.groups.empty()) return {};
  gid_t* supplementary = nullptr;
  int count = 0;
  if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &supplementary, &count) != ESPANK_SUCCESS)
    count = 0;
  std::set<gid_t> numbers(supplementary, supplementary + count);
  numbers.insert(spank_item_of<gid_t>(spank, S_JOB_GID, "job's group"));
  std::vector<std::string> names;
  for (const auto& [name, rules] : policy.groups) {
    std::array<char, std::size_t{16} << 10U> memory{};
    group entry{};
    group* found = nullptr;
    if (::getgrnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found) == 0 &&
        found != nullptr && numbers.contains(found->gr_gid))
      names.push_back(name);
  }
  return names;
}

// The policy for this step's job, by what root may believe: not by the job's environment.
Policy policy_for_job(spank_t spank, const Policy& site) {
  SubmitterIdentity submitter;
  submitter.groups = groups_of(spank, site);
  if (site.frequencies_depend_on_job()) {
    const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
    const auto scope = job_scope(kRunDirectory, job);
    if (!scope)
      throw Error(
          fmt::format("huddle.toml's tables of partitions and accounts decide about frequencies, "
                      "and no prolog has left those of job {} in {}: has slurmd been restarted "
                      "since the plugin was installed?",
                      job, kRunDirectory));
    submitter.partitions = {scope->partition};
    submitter.account = scope->account;
  }
  return site.for_submitter(submitter);
}

// Else nobody would put clocks back after this slurmd's jobs.
void check_slurmd() {
  if (!slurmd_is_marked(kRunDirectory))
    throw Error(
        fmt::format("slurmd runs without Huddle's plugin (no process holds {}/slurmd), and would "
                    "restore no frequency: restart slurmd on this node",
                    kRunDirectory));
}

const char* why_left_alone(const Policy& policy, const TaskEnvironment& environment) {
  if (!policy.frequency_control)
    return "the site does not allow it (frequency.control in huddle.toml)";
  if (policy.limits.frequency && policy.limits.frequency->empty())
    return "the site's limits allow none (limits.frequency in huddle.toml)";
  if (environment.get("SLURM_CPU_FREQ_REQ")) return "you set them yourself (--cpu-freq)";
  return nullptr;
}

void limit(spank_t spank, const Policy& policy, const Settings& settings,
           const std::string& wishes, std::uint32_t step) {
  const std::vector<PhysicalCore> node = physical_cores();
  const Claim claim = make_claim(spank, wishes, step, node);
  if (claim.limits.empty()) return;
  const PuSet allocated = union_of(cores_of(spank, S_JOB_ALLOC_CORES, node));
  const FrequencyControl::Settings control = control_settings(policy);
  WatcherProcess watcher(policy.clocks,
                         {claim, allocated, control.site, control.journal_directory.string(),
                          settings.named_policy_file().string()});
  held = Held{claim.owner, control};
  SysfsCpufreq files;
  const FrequencyReport report = FrequencyControl(files, held->settings).claim(claim, allocated);
  watcher.begin();
  log(report);
  report_to_user(spank, report);
}

}  // namespace

void limit_step_frequencies(spank_t spank, const Settings& settings) {
  const TaskEnvironment environment(spank);
  const auto wishes = environment.get(kFrequencyVariable);
  if (!wishes || wishes->empty()) return;
  const auto step = spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number");
  if (step == SLURM_EXTERN_CONT) return;
  try {
    const Policy site = settings.trusted_policy();
    if (!settings.why_switched_off(site).empty()) return;
    const Policy policy = site.grants_frequencies() ? policy_for_job(spank, site) : site;
    if (const char* reason = why_left_alone(policy, environment)) {
      if (on_first_node(spank))
        unreported().push_back(fmt::format("frequencies are left alone: {}", reason));
      return;
    }
    check_slurmd();
    limit(spank, policy, settings, *wishes, step);
  } catch (const Error& error) {
    slurm_info("huddle: %s", error.what());
    unreported().push_back(
        fmt::format("{}: frequencies are left alone: {}", node_name(), error.what()));
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
  SysfsCpufreq files;
  log(FrequencyControl(files, held->settings).release([&](const Claim& claim) {
    return claim.owner == held->owner;
  }));
  held.reset();
}

void keep_job_scope_for_steps(spank_t spank, const Settings& settings) {
  const Policy policy = settings.trusted_policy();
  if (!policy.grants_frequencies() || !policy.frequencies_depend_on_job()) return;
  const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  // Of slurmd, from the job's credential; users' variables have SPANK_ in front here.
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return std::string(value == nullptr ? "" : value);
  };
  keep_job_scope(kRunDirectory, job,
                 {variable("SLURM_JOB_PARTITION"), variable("SLURM_JOB_ACCOUNT")});
}

void release_job_frequencies(spank_t spank, const Settings& settings) {
  const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  SysfsCpufreq files;
  const auto control = settings_to_put_back(settings, PolicyErrors::kLogged);
  log(FrequencyControl(files, control).release([&](const Claim& claim) {
    return claim.job == job;
  }));
  forget_job_scope(kRunDirectory, job);
}

void release_dead_frequencies(const Settings& settings) {
  SysfsCpufreq files;
  const auto control = settings_to_put_back(settings, PolicyErrors::kKnown);
  log(FrequencyControl(files, control).sweep());
  mark_this_slurmd(kRunDirectory);
}

}  // namespace huddle
