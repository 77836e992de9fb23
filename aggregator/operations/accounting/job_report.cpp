#include "aggregator/operations/accounting/job_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "aggregator/predict/energy/unused_energy.hpp"
#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

constexpr double kSecondsInHour = 3600;
// Runs of one workload differ by less.
constexpr double kAlike = 0.1;
// A single run may take so much of the least time that packing explains, beside a single other one.
constexpr double kVaries = 0.85;
// Between srun's clock and the one of Slurm's controller, and between their looks at it.
constexpr std::chrono::seconds kSameStart{120};

double node_seconds(const Outcome& outcome) {
  return outcome.run->nodes * outcome.end->elapsed.value;
}

const AccountedStep* account_of(const Outcome& outcome, const Accounting& accounted) {
  if (!outcome.run || !outcome.run->step) return nullptr;
  const auto found =
      accounted.steps.find({outcome.run->cluster, outcome.run->job, *outcome.run->step});
  if (found == accounted.steps.end()) return nullptr;
  const auto& start = found->second.start;
  if (start && std::chrono::abs(*start - outcome.run->start) > kSameStart) return nullptr;
  return &found->second;
}

void add_checked(ReportedRun& run, const predict::CheckedEnergy& checked, EnergySource source) {
  run.energy = checked.energy;
  run.energy_doubt = checked.doubt;
  if (checked.energy || !checked.doubt.empty()) run.energy_source = source;
}

void add_accounted(ReportedRun& run, const AccountedStep& account,
                   const predict::PowerBound& bound) {
  // Slurm counts whole seconds.
  const Seconds elapsed =
      std::max(account.elapsed, run.outcome.end ? run.outcome.end->elapsed : Seconds{0});
  add_checked(run, predict::check_energy(account.energy, account.nodes, elapsed, bound),
              EnergySource::kAccounting);
  run.by_accounting = run.energy;
}

void add_energy(ReportedRun& run, const Accounting& accounted, const predict::PowerBound& bound) {
  const Outcome& outcome = run.outcome;
  if (const AccountedStep* account = account_of(outcome, accounted))
    add_accounted(run, *account, bound);
  if (run.by_daemons && outcome.end)
    add_checked(run,
                predict::check_energy(fmt::format("{:.3f}", run.by_daemons->energy().value),
                                      outcome.run->nodes, outcome.end->elapsed, bound),
                EnergySource::kDaemon);
}

void add_charge(ReportedRun& run, const Accounting& accounted) {
  const Outcome& outcome = run.outcome;
  const auto found = accounted.billing.find({outcome.run->cluster, outcome.run->job});
  // Job numbers come again: where the step is known, it must be this one.
  if (found == accounted.billing.end() || !outcome.end) return;
  if (outcome.run->step && account_of(outcome, accounted) == nullptr) return;
  const double charge = found->second * outcome.end->elapsed.value / kSecondsInHour;
  if (std::isfinite(charge)) run.charge = charge;
}

void add_partition(ReportedRun& run, const Accounting& accounted) {
  const OutcomeRun& of = *run.outcome.run;
  const auto found = accounted.partitions.find({of.cluster, of.job});
  if (found == accounted.partitions.end()) return;
  if (of.step && account_of(run.outcome, accounted) == nullptr) return;
  run.partition = found->second;
}

// User, label, ranks, cluster, launcher, and which one of its job's it is. A script's steps may be
// of several programs, and no record says of which: the same step of the same script is the same.
using Likeness =
    std::tuple<std::string, std::string, std::uint32_t, std::string, bool, std::uint32_t>;

// Returns the likeness of each run. Slurm numbers the steps of srun; those of mpirun have no number
// and are counted.
std::vector<Likeness> likenesses_of(const std::vector<ReportedRun>& runs) {
  std::map<std::tuple<std::string, std::uint64_t, std::uint32_t>, std::uint32_t> counted;
  std::vector<Likeness> likenesses;
  likenesses.reserve(runs.size());
  for (const ReportedRun& run : runs) {
    const Outcome& outcome = run.outcome;
    const auto& step = outcome.run->step;
    const std::uint32_t which =
        step ? *step : counted[{outcome.run->cluster, outcome.run->job, outcome.ranks}]++;
    likenesses.emplace_back(outcome.user, outcome.label, outcome.ranks, outcome.run->cluster,
                            step.has_value(), which);
  }
  return likenesses;
}

bool is_reference(const ReportedRun& run) {
  return run.succeeded() && run.outcome.plan_file.empty() && !run.outcome.frequencies_set &&
         !follows_plan(run.outcome.treatment);
}

// A run that was measured on nodes filled by a plan: what it took longer is told, and no saving.
bool is_second_sample(const Outcome& outcome) {
  return outcome.treatment == Treatment::kMeasured && !outcome.plan_file.empty();
}

// Returns the number of nodes that the run would have had without its plan; nothing if it followed
// none, or that is not known any more.
std::optional<std::uint32_t> nodes_asked_for(const Outcome& outcome) {
  if (outcome.treatment == Treatment::kGrouped) return outcome.run->nodes;
  const bool is_laid_out = outcome.treatment == Treatment::kPacked || is_second_sample(outcome);
  if (!is_laid_out || !outcome.prediction) return std::nullopt;
  return outcome.prediction->reference_nodes;
}

// The run that another one is compared with: the one before it, unless packing does not explain the
// difference and does that to the run after it, as where the program's work changed in between.
struct Reference {
  std::optional<std::size_t> place;
  /// Neither explains it: it took too little time.
  bool is_unexplained = false;
  /// The runs before and after agree that it took too little time.
  bool is_between_equals = false;
};

bool is_too_fast(const ReportedRun& run, const ReportedRun& reference) {
  const auto& prediction = run.outcome.prediction;
  return prediction && prediction->time > Seconds{} &&
         run.outcome.end->elapsed < kVaries * store::least_explained(reference.outcome.end->elapsed,
                                                                     prediction->least_slowdown());
}

std::optional<bool> kept_bound(const ReportedRun& run, const ReportedRun& reference) {
  const auto& prediction = run.outcome.prediction;
  if (!prediction || !prediction->slowdown_bound) return std::nullopt;
  const Seconds most = (1 + *prediction->slowdown_bound) * reference.outcome.end->elapsed;
  return run.outcome.end->elapsed <= most + store::kAroundStep;
}

// Chosen among `candidates` (ascending, at least one).
Reference reference_of(const std::vector<ReportedRun>& runs, std::size_t place,
                       const std::vector<std::size_t>& candidates) {
  const auto behind = std::lower_bound(candidates.begin(), candidates.end(), place);
  if (behind == candidates.begin())
    return {*behind, is_too_fast(runs[place], runs[*behind]), false};
  const std::size_t before = *std::prev(behind);
  const bool too_fast = is_too_fast(runs[place], runs[before]);
  const bool too_slow = kept_bound(runs[place], runs[before]) == false;
  if ((!too_fast && !too_slow) || behind == candidates.end()) return {before, too_fast, false};
  if (is_too_fast(runs[place], runs[*behind])) {
    const double change =
        runs[*behind].outcome.end->elapsed / runs[before].outcome.end->elapsed - 1;
    return {before, too_fast, too_fast && std::abs(change) < kAlike};
  }
  const bool explains = kept_bound(runs[place], runs[*behind]) != false;
  return {explains ? *behind : before, !explains && too_fast, false};
}

// Records are written by users: one with figures beyond all numbers must not spoil the sums of all.
bool adds_up(const Saving& saved) {
  return std::isfinite(saved.node_hours) && std::isfinite(saved.time.value);
}

// The part of `energy`, which the job did not take, that the machine saved.
std::optional<Joules> of_machine(Joules energy, const ReportedRun& run,
                                 const ReportedRun& reference, const Machine* machine) {
  if (machine == nullptr || !machine->power) return std::nullopt;
  const auto fates = fates_of(machine->unused_nodes, machine->nodes, run.partition);
  if (are_used_by_others(fates)) return std::nullopt;
  const std::uint32_t unused =
      predict::nodes_left(reference.outcome.run->nodes, run.outcome.run->nodes);
  return energy -
         predict::energy_of_unused(*machine->power, fates, unused, run.outcome.end->elapsed);
}

void compare_with(std::size_t place, ReportedRun& run, const ReportedRun& reference,
                  const Machine* machine) {
  Saving saved;
  saved.node_hours = (node_seconds(reference.outcome) - node_seconds(run.outcome)) / kSecondsInHour;
  saved.time = reference.outcome.end->elapsed - run.outcome.end->elapsed;
  if (!adds_up(saved)) return;
  run.compared_with = place;
  if (is_second_sample(run.outcome)) return;
  run.kept_bound = kept_bound(run, reference);
  // Energies are of the whole step, or both from MPI_Init to MPI_Finalize.
  if (run.energy && reference.energy && run.energy_source == reference.energy_source)
    saved.energy = *reference.energy - *run.energy;
  else if (run.by_accounting && reference.by_accounting)
    saved.energy = *reference.by_accounting - *run.by_accounting;
  if (saved.energy) saved.machine_energy = of_machine(*saved.energy, run, reference, machine);
  if (run.charge && reference.charge) saved.charge = *reference.charge - *run.charge;
  run.saved = saved;
}

using References = std::map<std::pair<Likeness, std::uint32_t>, std::vector<std::size_t>>;

void compare(std::vector<ReportedRun>& runs, const Machine* machine) {
  const std::vector<Likeness> likenesses = likenesses_of(runs);
  References references;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (is_reference(runs[i])) references[{likenesses[i], runs[i].outcome.run->nodes}].push_back(i);
  // Runs as submitted between which packed ones were too fast: where it comes again, that is what
  // packing does.
  std::map<References::key_type, std::set<std::size_t>> confirmations;
  std::vector<std::pair<std::size_t, References::key_type>> unexplained;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::optional<std::uint32_t> nodes = nodes_asked_for(runs[i].outcome);
    if (!nodes || !runs[i].succeeded()) continue;
    const References::key_type key{likenesses[i], *nodes};
    const auto alike = references.find(key);
    if (alike == references.end()) continue;
    const Reference reference = reference_of(runs, i, alike->second);
    if (!reference.is_unexplained) {
      compare_with(*reference.place, runs[i], runs[*reference.place], machine);
      continue;
    }
    runs[i].is_unexplained = true;
    if (!reference.is_between_equals) continue;
    confirmations[key].insert(*reference.place);
    unexplained.emplace_back(i, key);
  }
  for (const auto& [place, key] : unexplained) {
    if (confirmations[key].size() < 2) continue;
    runs[place].is_unexplained = false;
    const std::size_t reference = *reference_of(runs, place, references[key]).place;
    compare_with(reference, runs[place], runs[reference], machine);
  }
}

}  // namespace

std::string_view name_of(EnergySource source) {
  switch (source) {
    case EnergySource::kNobody:
      return "";
    case EnergySource::kDaemon:
      return "daemon";
    case EnergySource::kAccounting:
      return "accounting";
    case EnergySource::kProfile:
      return "profile";
  }
  return "";
}

double ReportedRun::node_hours() const {
  if (!outcome.end) return 0;
  const double hours = node_seconds(outcome) / kSecondsInHour;
  // A user may write any number into a record.
  return std::isfinite(hours) ? hours : 0;
}

std::optional<double> ReportedRun::slowdown(const ReportedRun& reference) const {
  if (reference.outcome.end->elapsed.value <= 0) return std::nullopt;
  return outcome.end->elapsed / reference.outcome.end->elapsed - 1;
}

void JobSums::add(const ReportedRun& run) {
  switch (run.outcome.treatment) {
    case Treatment::kMeasured:
      ++measured;
      break;
    case Treatment::kPacked:
      ++packed;
      break;
    case Treatment::kLeft:
      ++left;
      break;
    case Treatment::kGrouped:
      ++grouped;
      break;
  }
  if (!run.outcome.end)
    ++unknown_end;
  else if (!run.succeeded())
    ++failed;
  if (!run.energy_doubt.empty()) ++doubted;
  if (run.is_unexplained) ++unexplained;
  if (!run.saved) return;
  ++compared;
  if (run.kept_bound) ++(*run.kept_bound ? kept : broken);
  saved.node_hours += run.saved->node_hours;
  saved.time += run.saved->time;
  if (run.saved->charge) {
    ++compared_charge;
    charge += *run.charge;
    *saved.charge += *run.saved->charge;
  }
  if (!run.saved->energy) return;
  ++compared_energy;
  *saved.energy += *run.saved->energy;
  if (!run.saved->machine_energy) return;
  ++compared_machine_energy;
  *saved.machine_energy += *run.saved->machine_energy;
}

void LabelSums::add(const ReportedRun& run) {
  by_label[run.outcome.label].add(run);
  total.add(run);
}

std::map<std::string, std::vector<std::uint64_t>> jobs_of(const std::vector<ReportedRun>& runs) {
  std::map<std::string, std::vector<std::uint64_t>> jobs;
  for (const ReportedRun& run : runs)
    if (run.outcome.run) jobs[run.outcome.run->cluster].push_back(run.outcome.run->job);
  for (auto& [cluster, numbers] : jobs) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  return jobs;
}

JobReport report_on(
    std::vector<ReportedRun> runs, const Accounting& accounted, const predict::PowerBound& bound,
    const std::function<std::optional<Joules>(const std::string& file)>& energy_in_profile,
    const Machine* machine) {
  std::erase_if(runs, [](const ReportedRun& run) { return !run.outcome.run; });
  std::stable_sort(runs.begin(), runs.end(), [](const ReportedRun& a, const ReportedRun& b) {
    return a.outcome.run->start < b.outcome.run->start;
  });
  for (ReportedRun& run : runs) {
    add_energy(run, accounted, bound);
    add_charge(run, accounted);
    add_partition(run, accounted);
    if (run.energy_source != EnergySource::kNobody || !run.wanted ||
        run.outcome.profile_file.empty())
      continue;
    run.energy = energy_in_profile(run.outcome.profile_file);
    if (run.energy) run.energy_source = EnergySource::kProfile;
  }
  compare(runs, machine);
  JobReport report;
  for (const ReportedRun& run : runs) {
    if (!run.wanted) continue;
    report.add(run);
    report.by_user[run.outcome.user].add(run);
  }
  report.runs = std::move(runs);
  return report;
}

}  // namespace huddle::operations
