#include "aggregator/predict/computation/contention_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aggregator/predict/computation/detail/simplex_search.hpp"

namespace huddle::predict {
namespace {

constexpr double kFirstTimeTolerance = 0.01;
constexpr double kLargeStep = 0.5;   // of the machine's parameters, from a guess
constexpr double kSmallStep = 0.15;  // from machines found before
constexpr Tolerances kLeast = {0.002, 0.01, 0.03};
constexpr double kNarrower = 0.4;  // log of a die's share over a package's, as a guess

std::size_t index(MachineParameter parameter) {
  return static_cast<std::size_t>(parameter);
}

bool has_misses(const std::vector<TrainingCurve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const TrainingCurve& training) {
    return std::any_of(training.curve.begin(), training.curve.end(),
                       [](const CurvePoint& point) { return point.log_misses.has_value(); });
  });
}

// The path of a die to memory: a narrow one limits its ranks.
enum class DiePath : std::uint8_t { kWide, kNarrow };

// Returns the number of NUMA nodes in a package, as the fullest of them tell; 0 if there is no such
// level.
std::uint32_t numa_nodes_in(const std::vector<TrainingCurve>& curves) {
  Sharing fullest;
  for (const TrainingCurve& training : curves)
    for (const CurvePoint& point : training.curve)
      if (point.sharing.numa_node > 0 && point.sharing.package >= fullest.package)
        fullest = point.sharing;
  return fullest.numa_node == 0 ? 0 : fullest.package / fullest.numa_node;
}

bool has_threads(const std::vector<TrainingCurve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const TrainingCurve& training) {
    return std::any_of(training.curve.begin(), training.curve.end(),
                       [](const CurvePoint& point) { return point.sharing.core > 1; });
  });
}

// The parameters that a shape knows and that these curves can tell.
std::vector<std::size_t> searched(ContentionShape shape, const std::vector<TrainingCurve>& curves,
                                  DiePath path) {
  if (shape == ContentionShape::kPower) return {};
  std::vector<std::size_t> chosen = {index(MachineParameter::kPackageShare),
                                     index(MachineParameter::kNodeShare),
                                     index(MachineParameter::kCacheCurve)};
  if (path == DiePath::kNarrow) chosen.push_back(index(MachineParameter::kDieShare));
  if (shape == ContentionShape::kOverlap) chosen.push_back(index(MachineParameter::kOverlap));
  if (shape == ContentionShape::kQueueing) chosen.push_back(index(MachineParameter::kQueueing));
  if (has_misses(curves)) chosen.push_back(index(MachineParameter::kTraffic));
  if (numa_nodes_in(curves) > 0) chosen.push_back(index(MachineParameter::kNumaShare));
  if (has_threads(curves)) chosen.push_back(index(MachineParameter::kThreadCost));
  return chosen;
}

// Programs that do little but wait for memory show how long a miss takes: the lower end of time
// over misses.
double first_miss_time(const std::vector<TrainingCurve>& curves) {
  std::vector<double> logs;
  for (const TrainingCurve& training : curves)
    for (const CurvePoint& point : training.curve)
      if (point.log_misses) logs.push_back(point.log_time - *point.log_misses);
  if (logs.empty()) return usual_machine()[index(MachineParameter::kTraffic)];
  std::sort(logs.begin(), logs.end());
  return logs[logs.size() / 5];
}

class MachineSearch {
 public:
  MachineSearch(const std::vector<TrainingCurve>& curves, ContentionModel model, DiePath path)
      : curves_(curves),
        model_(std::move(model)),
        usual_(usual_machine()),
        chosen_(searched(model_.shape, curves, path)),
        numa_nodes_(numa_nodes_in(curves)),
        demands_(curves.size()) {
    usual_[index(MachineParameter::kTraffic)] = first_miss_time(curves);
    if (path == DiePath::kNarrow) usual_[index(MachineParameter::kDieShare)] = 0;
    follow_package(usual_);
  }

  void from(const MachineParameters& start, std::size_t evaluations, double step) {
    std::vector<double> at;
    for (const std::size_t i : chosen_) at.push_back(start[i]);
    demands_.assign(curves_.size(), std::nullopt);
    SimplexOptions options;
    options.evaluations = evaluations;
    options.step = step;
    const Minimum found =
        search_minimum([this](const std::vector<double>& p) { return cost_at(p); }, at, options);
    if (!(found.value < best_.value)) return;
    best_ = found;
    best_machine_ = machine_at(found.at);
  }

  /// Usual machines first, then those of a coarse grid that explain most: where bandwidth is far
  /// from usual, the way there leads over machines that explain less.
  std::vector<MachineParameters> promising() {
    constexpr std::size_t kMost = 2;
    std::vector<std::pair<double, MachineParameters>> ranked;
    for (const double package : {-2.5, -1.75, -1.0, -0.25, 0.5})
      for (const double less : {0.2, 0.9}) {  // of a node, than of a package
        MachineParameters machine = usual_;
        machine[index(MachineParameter::kPackageShare)] = package;
        machine[index(MachineParameter::kNodeShare)] = package - less;
        follow_package(machine);
        std::vector<double> at;
        for (const std::size_t i : chosen_) at.push_back(machine[i]);
        demands_.assign(curves_.size(), std::nullopt);
        ranked.emplace_back(cost_at(at), machine);
      }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<MachineParameters> starts = {usual_};
    for (std::size_t i = 0; i < kMost; ++i) starts.push_back(ranked[i].second);
    return starts;
  }

  [[nodiscard]] const MachineParameters& best() const { return best_machine_; }
  [[nodiscard]] double cost() const { return best_.value; }

 private:
  // Derives from a package's bandwidth that of its NUMA nodes, which share it evenly, and its dies.
  void follow_package(MachineParameters& machine) const {
    const double package = machine[index(MachineParameter::kPackageShare)];
    if (machine[index(MachineParameter::kDieShare)] > kWidePath)
      machine[index(MachineParameter::kDieShare)] = package + kNarrower;
    if (numa_nodes_ > 0)
      machine[index(MachineParameter::kNumaShare)] = package + std::log(numa_nodes_);
  }

  [[nodiscard]] MachineParameters machine_at(const std::vector<double>& at) const {
    MachineParameters machine = usual_;
    for (std::size_t i = 0; i < chosen_.size(); ++i) machine[chosen_[i]] = at[i];
    return machine;
  }

  // Machines far from usual cost something, so that what no program shows stays usual.
  double cost_at(const std::vector<double>& at) {
    constexpr double kFarthest = 6;
    double cost = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double away = at[i] - usual_[chosen_[i]];
      if (std::abs(away) > kFarthest) return 1e9 * std::abs(away);
      cost += away * away / 2;
    }
    model_.machine = machine_at(at);
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      demands_[i] = fit_demand(model_, curves_[i].curve, demands_[i]);
      cost += demands_[i]->cost;
    }
    return cost;
  }

  const std::vector<TrainingCurve>& curves_;
  ContentionModel model_;
  MachineParameters usual_;
  std::vector<std::size_t> chosen_;
  std::uint32_t numa_nodes_;
  std::vector<std::optional<FittedDemand>> demands_;
  Minimum best_{{}, std::numeric_limits<double>::infinity()};
  MachineParameters best_machine_ = usual_machine();
};

// Mean and spread of the demands, each with its own uncertainty, and of a few usual programs: so
// few training programs leave the prior wide.
DemandPrior prior_of(const std::vector<FittedDemand>& demands, const DemandPrior& usual) {
  constexpr double kUsualPrograms = 1;
  const double n = kUsualPrograms + static_cast<double>(demands.size());
  DemandPrior prior;
  for (std::size_t i = 0; i < kDemandParameters; ++i) {
    prior.mean[i] = kUsualPrograms * usual.mean[i] / n;
    for (const FittedDemand& fitted : demands) prior.mean[i] += fitted.demand[i] / n;
  }
  for (std::size_t i = 0; i < kDemandParameters; ++i)
    for (std::size_t k = i; k < kDemandParameters; ++k) {
      const std::size_t at = i * kDemandParameters + k;
      double& covariance = prior.covariance[at];
      covariance = kUsualPrograms * (usual.covariance[at] + (usual.mean[i] - prior.mean[i]) *
                                                                (usual.mean[k] - prior.mean[k]));
      for (const FittedDemand& fitted : demands)
        covariance += fitted.covariance[at] +
                      (fitted.demand[i] - prior.mean[i]) * (fitted.demand[k] - prior.mean[k]);
      covariance /= n;
      prior.covariance[k * kDemandParameters + i] = covariance;  // symmetric to the last bit
    }
  return prior;
}

// Root mean square, over `own` residuals fewer for each fit: so many went into its parameters.
double left_unexplained(const std::vector<FittedDemand>& demands,
                        std::vector<double> FittedDemand::*residuals, double own, double least) {
  double squares = 0;
  double freedom = 0;
  for (const FittedDemand& fitted : demands) {
    if ((fitted.*residuals).empty()) continue;
    for (const double residual : fitted.*residuals) squares += residual * residual;
    freedom += std::max(static_cast<double>((fitted.*residuals).size()) - own, 0.5);
  }
  return freedom > 0 ? std::max(least, std::sqrt(squares / freedom)) : 0;
}

Tolerances tolerances_of(const std::vector<FittedDemand>& demands, const Tolerances& before) {
  const auto or_before = [](double found, double otherwise) {
    return found > 0 ? found : otherwise;
  };
  return {
      or_before(left_unexplained(demands, &FittedDemand::residuals, 3, kLeast.time), before.time),
      or_before(left_unexplained(demands, &FittedDemand::growth_residuals, 1, kLeast.growth),
                before.growth),
      or_before(left_unexplained(demands, &FittedDemand::traffic_residuals, 0.5, kLeast.traffic),
                before.traffic)};
}

std::vector<FittedDemand> demands_under(const ContentionModel& model,
                                        const std::vector<TrainingCurve>& curves) {
  std::vector<FittedDemand> demands;
  for (const TrainingCurve& training : curves) demands.push_back(fit_demand(model, training.curve));
  return demands;
}

// Half the units of a log likelihood that a narrow path has to explain more than a wide one: there
// must be a reason to give each die a bottleneck of its own.
constexpr double kReason = 6;

MachineParameters search_machine(const ContentionModel& model,
                                 const std::vector<TrainingCurve>& curves,
                                 const ContentionFitOptions& options) {
  if (options.start) {
    const bool narrow = options.start->machine[index(MachineParameter::kDieShare)] > kWidePath;
    MachineSearch search(curves, model, narrow ? DiePath::kNarrow : DiePath::kWide);
    search.from(options.start->machine, options.evaluations, kSmallStep);
    return search.best();
  }
  const auto searched_all = [&](DiePath path) {
    MachineSearch search(curves, model, path);
    for (const MachineParameters& start : search.promising())
      search.from(start, options.evaluations, kLargeStep);
    return std::pair(search.cost(), search.best());
  };
  const auto wide = searched_all(DiePath::kWide);
  const auto narrow = searched_all(DiePath::kNarrow);
  return narrow.first + kReason < wide.first ? narrow.second : wide.second;
}

// Twice: demands that a curve does not determine are drawn to the other programs' instead of to
// usual.
void learn_programs(ContentionModel& model, const std::vector<TrainingCurve>& curves) {
  const DemandPrior usual = usual_demand(model.shape);
  for (int round = 0; round < 2; ++round) {
    const std::vector<FittedDemand> demands = demands_under(model, curves);
    model.prior = prior_of(demands, usual);
    model.tolerances = tolerances_of(demands, model.tolerances);
  }
}

}  // namespace

ContentionModel fit_contention(ContentionShape shape, const std::vector<TrainingCurve>& curves,
                               const ContentionFitOptions& options) {
  ContentionModel model{shape, usual_machine(), usual_demand(shape), {}, options.clock};
  model.tolerances.time = kFirstTimeTolerance;
  if (options.start) model = *options.start;
  if (curves.empty()) return model;
  if (shape != ContentionShape::kPower) model.machine = search_machine(model, curves, options);
  learn_programs(model, curves);
  if (options.start || shape == ContentionShape::kPower) return model;
  // Once more, now that it is known how exact the shape and the events are.
  ContentionFitOptions again = options;
  again.start = model;
  model.machine = search_machine(model, curves, again);
  learn_programs(model, curves);
  return model;
}

std::vector<TrainingCurve> training_curves(const std::vector<ProgramSamples>& programs,
                                           std::size_t most) {
  std::vector<std::pair<double, TrainingCurve>> ranked;
  for (const ProgramSamples& program : programs) {
    double all = 0;
    for (const PhaseGroupSamples& group : program.groups) all += group.samples.front().time.value;
    for (const PhaseGroupSamples& group : program.groups)
      if (group.samples.size() > 1)
        ranked.push_back({group.samples.front().time.value / all,
                          {program.program, curve_of(group, counts_misses(program))}});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<TrainingCurve> curves;
  for (auto& [share, training] : ranked)
    if (curves.size() < most) curves.push_back(std::move(training));
  return curves;
}

}  // namespace huddle::predict
