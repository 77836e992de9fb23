#include "aggregator/study/site_study.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "aggregator/predict/energy/unused_energy.hpp"
#include "aggregator/study/contention_draws.hpp"
#include "aggregator/study/detail/packing_draws.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::study {
namespace {

constexpr double kSure = 0.95;
constexpr std::size_t kMeasureFirst = 10;

/// Sums of one draw, of each group of one kind. Half the precision is far more than is known.
struct GroupDraw {
  std::vector<float> node_hours;
  std::vector<float> charge;

  explicit GroupDraw(std::size_t groups) : node_hours(groups), charge(groups) {}
  void add(std::size_t group, double hours, double charged) {
    node_hours[group] += static_cast<float>(hours);
    charge[group] += static_cast<float>(charged);
  }
};

/// One draw of all that is not known, and what is freed in it.
struct Draw {
  double node_hours = 0;
  double charge = 0;
  double asleep_kwh = 0;
  double job_kwh = 0;
  double machine_kwh = 0;
  GroupDraw partitions;
  GroupDraw accounts;
  GroupDraw applications;
  GroupDraw sizes;
};

/// Jobs that could use fewer nodes, of one application, account and shape but for its memory.
struct Candidate {
  std::uint32_t application = 0;
  JobGroups groups;
  JobShape shape;
  std::uint32_t fewest = 0;
  JobAmount amount;
  /// False if the one before it is of the same program on the same nodes, or is packed alike, too.
  bool is_other_program = true;
  bool is_other_shape = true;

  // A draw packs candidates alike that have these in common.
  [[nodiscard]] auto program() const { return std::tuple(application, groups.partition); }
  [[nodiscard]] auto packing() const {
    return std::tuple(program(), shape.nodes, shape.step_nodes, shape.tasks, shape.cpus_of_task,
                      fewest);
  }
};

constexpr double kWattsOfKilowatt = 1000;
constexpr double kJoulesOfKilowattHour = 3.6e6;
constexpr double kSecondsOfHour = 3600;

/// Nodes of a partition whose power is known, and what becomes of them while they are free.
struct PoweredNodes {
  PowerFigures power;
  std::vector<FateShare> fates;

  [[nodiscard]] double idle_kwh(double hours) const {
    return hours * power.idle_node.value / kWattsOfKilowatt;
  }
  [[nodiscard]] double asleep_kwh(double hours) const {
    return hours * (power.idle_node.value - power.off_node.value) / kWattsOfKilowatt;
  }
  /// The energy that nodes draw in `hours` that jobs of `hours_of_job` leave free.
  [[nodiscard]] double unused_kwh(double hours, double hours_of_job) const {
    const Seconds time{hours_of_job * kSecondsOfHour};
    if (!(time > Seconds{0})) return 0;
    return predict::energy_of_unused(power, fates, hours / hours_of_job, time).value /
           kJoulesOfKilowattHour;
  }
};

std::optional<PoweredNodes> powered(const NodeSize& node, const std::string& partition) {
  if (!node.machine || !node.machine->power) return std::nullopt;
  const Machine& machine = *node.machine;
  return PoweredNodes{*machine.power, fates_of(machine.unused_nodes, machine.nodes, partition)};
}

Uncertain uncertain(std::vector<double> values) {
  // The order statistics between which a value of the same kind is in 90 of 100 cases.
  constexpr std::size_t kTail = kDraws / 20;
  std::sort(values.begin(), values.end());
  Uncertain result;
  for (const double value : values) result.mean += value / kDraws;
  result.low = values[kTail - 1];
  result.high = values[kDraws - kTail];
  return result;
}

class Study {
 public:
  Study(const SiteTally& tally, const StudyOptions& options) : tally_(tally), options_(options) {
    for (const NodeSize& node : options.nodes) contention_.emplace_back(node);
    for (std::size_t i = 0; i < options.nodes.size(); ++i)
      powered_.push_back(powered(options.nodes[i], tally.partitions()[i].name));
  }

  SiteStudy run() {
    study_.slowdown = options_.slowdown;
    study_.never_ran = tally_.jobs_that_never_ran();
    name_groups();
    sort_jobs();
    draw();
    sum_up();
    return std::move(study_);
  }

 private:
  void name_groups();
  void sort_jobs();
  void unite_candidates();
  void count(const JobGroups& groups, Verdict verdict, const JobAmount& amount);
  void draw();
  static void add_energy(Draw& draw, const PoweredNodes& nodes, const Candidate& jobs,
                         double freed_hours);
  void draw_one(std::uint32_t number, std::vector<std::atomic<std::uint32_t>>& packed);
  [[nodiscard]] Uncertain summary_of(double Draw::*figure) const;
  void sum_up();
  void sum_up_energy();
  void summarize(std::vector<GroupStudy>& groups, GroupDraw Draw::*kind) const;
  void choose_measure_first();

  const SiteTally& tally_;
  const StudyOptions& options_;
  std::vector<NodeContention> contention_;
  /// One for each partition; absent where the power of its nodes is not known.
  std::vector<std::optional<PoweredNodes>> powered_;
  /// Those whose jobs' verdicts depend on their nodes.
  std::set<std::uint32_t> judged_partitions_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> measured_runs_;
  std::vector<Draw> draws_;
  SiteStudy study_;
};

void Study::name_groups() {
  const auto named = [](std::vector<GroupStudy>& groups, const std::vector<std::string>& names) {
    for (const std::string& name : names) groups.push_back({name, {}, {}, {}, {}});
  };
  named(study_.partitions, partition_names(tally_));
  named(study_.accounts, tally_.accounts());
  named(study_.applications, tally_.applications());
  constexpr std::size_t kClasses = 33;
  for (std::size_t size = 0; size < kClasses; ++size) {
    const std::uint64_t most = std::uint64_t{1} << size;
    const std::uint64_t least = size == 0 ? 1 : most / 2 + 1;
    study_.sizes.push_back({most == least ? std::to_string(most)
                                          : std::to_string(least) + " to " + std::to_string(most),
                            {},
                            {},
                            {},
                            {}});
  }
}

void Study::count(const JobGroups& groups, Verdict verdict, const JobAmount& amount) {
  study_.all += amount;
  study_.by_verdict[static_cast<std::size_t>(verdict)] += amount;
  for (GroupStudy* group : {&study_.partitions[groups.partition], &study_.accounts[groups.account],
                            &study_.sizes[groups.size]}) {
    group->all += amount;
    if (verdict == Verdict::kCouldUseFewer) group->could += amount;
  }
}

void Study::sort_jobs() {
  for (const JudgedJobs& jobs : tally_.judged()) count(jobs.groups, jobs.verdict, jobs.amount);
  measured_runs_.resize(study_.applications.size());
  tally_.visit_shaped([&](const ShapedJobs& jobs) {
    FewestNodes fewest = fewest_nodes(jobs.shape, options_.nodes[jobs.groups.partition]);
    GroupStudy& application = study_.applications[jobs.application];
    application.all += jobs.amount;
    if (fewest.verdict == Verdict::kCouldUseFewer) {
      if (jobs.measured_first) {
        fewest.verdict = Verdict::kMeasuredFirst;
        measured_runs_[jobs.application] += jobs.amount.jobs;
      } else {
        application.could += jobs.amount;
        candidates_.push_back(
            {jobs.application, jobs.groups, jobs.shape, fewest.nodes, jobs.amount});
      }
    }
    count(jobs.groups, fewest.verdict, jobs.amount);
    judged_partitions_.insert(jobs.groups.partition);
  });
  for (const std::uint32_t partition : judged_partitions_)
    study_.nodes.push_back({study_.partitions[partition].name, options_.nodes[partition]});
  unite_candidates();
}

void Study::unite_candidates() {
  const auto key = [](const Candidate& candidate) {
    return std::tuple(candidate.packing(), candidate.groups.account);
  };
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  std::size_t united = 0;
  for (const Candidate& candidate : candidates_) {
    if (united > 0 && key(candidates_[united - 1]) == key(candidate))
      candidates_[united - 1].amount += candidate.amount;
    else
      candidates_[united++] = candidate;
  }
  candidates_.resize(united);
  for (std::size_t i = 1; i < united; ++i) {
    Candidate& candidate = candidates_[i];
    candidate.is_other_program = candidate.program() != candidates_[i - 1].program();
    candidate.is_other_shape = candidate.packing() != candidates_[i - 1].packing();
  }
}

void Study::add_energy(Draw& draw, const PoweredNodes& nodes, const Candidate& jobs,
                       double freed_hours) {
  const double hours_of_job =
      jobs.amount.node_hours() / (static_cast<double>(jobs.amount.jobs) * jobs.shape.nodes);
  const double idle = nodes.idle_kwh(freed_hours);
  draw.asleep_kwh += nodes.asleep_kwh(freed_hours);
  draw.job_kwh += idle;
  draw.machine_kwh += idle - nodes.unused_kwh(freed_hours, hours_of_job);
}

void Study::draw_one(std::uint32_t number, std::vector<std::atomic<std::uint32_t>>& packed) {
  Draw& draw = draws_[number];
  std::optional<ProgramContention> program;
  double share = 1;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& jobs = candidates_[i];
    const JobGroups& groups = jobs.groups;
    if (jobs.is_other_program)
      program.emplace(contention_[groups.partition], number,
                      drawn_demand(tally_.applications()[jobs.application], number));
    if (jobs.is_other_shape)
      share = share_of_node_hours(jobs.shape, jobs.fewest, options_.nodes[groups.partition],
                                  *program, options_.slowdown);
    if (share >= 1) continue;
    packed[i].fetch_add(1, std::memory_order_relaxed);
    const double hours = (1 - share) * jobs.amount.node_hours();
    const double charge = (1 - share) * jobs.amount.charge();
    draw.node_hours += hours;
    draw.charge += charge;
    if (const auto& nodes = powered_[groups.partition]) add_energy(draw, *nodes, jobs, hours);
    draw.partitions.add(groups.partition, hours, charge);
    draw.accounts.add(groups.account, hours, charge);
    draw.applications.add(jobs.application, hours, charge);
    draw.sizes.add(groups.size, hours, charge);
  }
}

void Study::draw() {
  draws_.assign(kDraws, {0, 0, 0, 0, 0, GroupDraw(study_.partitions.size()),
                         GroupDraw(study_.accounts.size()), GroupDraw(study_.applications.size()),
                         GroupDraw(study_.sizes.size())});
  std::vector<std::atomic<std::uint32_t>> packed(candidates_.size());
  for_each_index(options_.threads, kDraws,
                 [&](std::size_t number) { draw_one(static_cast<std::uint32_t>(number), packed); });
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    const double probability = static_cast<double>(packed[i]) / kDraws;
    study_.shapes.push_back(
        {candidate.application, candidate.shape, candidate.amount, probability});
    if (probability >= kSure) study_.packable += candidate.amount;
  }
}

void Study::summarize(std::vector<GroupStudy>& groups, GroupDraw Draw::*kind) const {
  std::vector<double> values(kDraws);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t i = 0; i < kDraws; ++i) values[i] = (draws_[i].*kind).node_hours[group];
    groups[group].freed_node_hours = uncertain(values);
    for (std::size_t i = 0; i < kDraws; ++i) values[i] = (draws_[i].*kind).charge[group];
    groups[group].freed_charge = uncertain(values);
  }
}

void Study::choose_measure_first() {
  for (std::size_t i = 0; i < study_.applications.size(); ++i) {
    const GroupStudy& application = study_.applications[i];
    if (application.freed_node_hours.mean > 0)
      study_.measure_first.push_back(
          {application.name, application.freed_node_hours, measured_runs_[i]});
  }
  const auto per_run = [](const MeasureFirst& one) {
    return one.freed_node_hours.mean /
           static_cast<double>(std::max<std::uint64_t>(one.measured_runs, 1));
  };
  std::stable_sort(study_.measure_first.begin(), study_.measure_first.end(),
                   [&](const auto& a, const auto& b) { return per_run(a) > per_run(b); });
  if (study_.measure_first.size() > kMeasureFirst) study_.measure_first.resize(kMeasureFirst);
}

Uncertain Study::summary_of(double Draw::*figure) const {
  std::vector<double> values(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) values[i] = draws_[i].*figure;
  return uncertain(std::move(values));
}

void Study::sum_up_energy() {
  bool is_known = false;
  bool is_used = true;
  for (const std::uint32_t partition : judged_partitions_) {
    const auto& nodes = powered_[partition];
    if (!nodes) continue;
    is_known = true;
    is_used = is_used && are_used_by_others(nodes->fates);
  }
  if (!is_known) return;
  study_.asleep_kwh = summary_of(&Draw::asleep_kwh);
  study_.job_kwh = summary_of(&Draw::job_kwh);
  if (!is_used) study_.machine_kwh = summary_of(&Draw::machine_kwh);
}

void Study::sum_up() {
  study_.freed_node_hours = summary_of(&Draw::node_hours);
  study_.freed_charge = summary_of(&Draw::charge);
  sum_up_energy();
  summarize(study_.partitions, &Draw::partitions);
  summarize(study_.accounts, &Draw::accounts);
  summarize(study_.applications, &Draw::applications);
  summarize(study_.sizes, &Draw::sizes);
  choose_measure_first();
  const auto most_first = [](const GroupStudy& a, const GroupStudy& b) {
    return a.freed_node_hours.mean > b.freed_node_hours.mean;
  };
  for (auto* groups : {&study_.partitions, &study_.accounts, &study_.applications})
    std::stable_sort(groups->begin(), groups->end(), most_first);
  std::erase_if(study_.sizes, [](const GroupStudy& size) { return size.all.jobs == 0; });
}

}  // namespace

std::vector<std::string> partition_names(const SiteTally& tally) {
  std::set<std::string> clusters;
  for (const Partition& partition : tally.partitions()) clusters.insert(partition.cluster);
  std::vector<std::string> names;
  for (const Partition& partition : tally.partitions())
    names.push_back(clusters.size() > 1 ? partition.cluster + "/" + partition.name
                                        : partition.name);
  return names;
}

SiteStudy study_site(const SiteTally& tally, const StudyOptions& options) {
  return Study(tally, options).run();
}

}  // namespace huddle::study
