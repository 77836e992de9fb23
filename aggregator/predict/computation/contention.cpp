#include "aggregator/predict/computation/contention.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::predict {
namespace {

constexpr std::array<std::string_view, kContentionShapes> kShapeNames = {
    "roofline", "serial", "overlap", "queueing", "power"};

double of(const MachineParameters& machine, MachineParameter parameter) {
  return machine[static_cast<std::size_t>(parameter)];
}

double of(const DemandParameters& demand, DemandParameter parameter) {
  return demand[static_cast<std::size_t>(parameter)];
}

// Box-Cox: logarithmic at h = 0, linear at h = -1.
double curve(double ranks, double h) {
  if (std::abs(h) < 1e-6) return std::log(ranks);
  return (1 - std::pow(ranks, -h)) / h;
}

// Parts of a die's, a NUMA node's, a package's and a node's bandwidth that the ranks would take if
// they did nothing else.
using Load = std::array<double, 4>;

Load load_of(const MachineParameters& machine, const DemandParameters& demand,
             const Sharing& sharing) {
  const double rate = 1 / (1 + std::exp(-of(demand, DemandParameter::kRate)));
  return {rate * sharing.die * std::exp(of(machine, MachineParameter::kDieShare)),
          rate * sharing.numa_node * std::exp(of(machine, MachineParameter::kNumaShare)),
          rate * sharing.package * std::exp(of(machine, MachineParameter::kPackageShare)),
          rate * sharing.node * std::exp(of(machine, MachineParameter::kNodeShare))};
}

// T = 1 + m (1 + g (u/(1-u) of the die + of each level outside)), with m the memory time, g
// the strength and u = load m / T: the longer everything takes, the less crowded the memory is. The
// right side falls with T, and so there is one T. With the fullest of them alone it is the root of
// (T - 1 - m) (T - load m) = g load m^2; from there, left of the solution, Newton's steps on a
// convex function never go too far.
double queueing_time(double memory, Load loads, double strength) {
  for (double& load : loads) load *= memory;
  const double alone = 1 + memory;
  const double fullest = *std::max_element(loads.begin(), loads.end());
  double time =
      (alone + fullest + std::hypot(alone - fullest, 2 * std::sqrt(strength * fullest * memory))) /
      2;
  constexpr int kSteps = 20;
  for (int i = 0; i < kSteps; ++i) {
    double excess = alone - time;
    double slope = -1;
    for (const double full : loads) {
      const double room = time - full;
      excess += memory * strength * full / room;
      slope -= memory * strength * full / (room * room);
    }
    const double step = -excess / slope;
    time += std::max(step, 0.0);
    if (!(step > 1e-9 * time)) break;
  }
  return time;
}

double p_norm(double memory, double p) {
  const double larger = std::max(1.0, memory);
  const double smaller = std::min(1.0, memory);
  return larger * std::pow(1 + std::pow(smaller / larger, p), 1 / p);
}

}  // namespace

const std::array<std::string_view, kMachineParameters> kMachineParameterNames = {
    "log_package_share", "log_node_share", "cache_curve",    "log_overlap",    "log_queueing",
    "log_miss_time_s",   "log_die_share",  "log_numa_share", "log_thread_cost"};

std::string_view name_of(ContentionShape shape) {
  return kShapeNames[static_cast<std::size_t>(shape)];
}

MachineParameters usual_machine() {
  // Two ranks on a core get done 1.25 times as much as one.
  constexpr double kUsualThreadCost = -0.51;
  return {-1, -1.7, 0, 0.5, -1, -18, kWidePath, kWidePath, kUsualThreadCost};
}

double thread_slowdown(const MachineParameters& machine, const Sharing& sharing) {
  return 1 + (sharing.core - 1.0) * std::exp(of(machine, MachineParameter::kThreadCost));
}

double cache_growth(const MachineParameters& machine, const DemandParameters& demand, double die) {
  const double sensitivity = std::log1p(std::exp(of(demand, DemandParameter::kCache)));
  return 1 + sensitivity * curve(die, of(machine, MachineParameter::kCacheCurve));
}

namespace {

// `slowdown`: how many times longer the cores compute. Memory is as fast as it was, and so, in
// units of the longer computing time, faster.
double time_with_slower_cores(ContentionShape shape, const MachineParameters& machine,
                              DemandParameters demand, const Sharing& sharing, double slowdown) {
  const double die = sharing.die;
  const double package = sharing.package;
  if (shape == ContentionShape::kPower)
    return slowdown * std::pow(die, demand[0]) * std::pow(package / die, demand[1]) *
           std::pow(sharing.node / package, demand[2]);
  const double memory = std::exp(of(demand, DemandParameter::kIntensity)) / slowdown *
                        cache_growth(machine, demand, die);
  const Load load = load_of(machine, demand, sharing);
  if (shape == ContentionShape::kQueueing)
    return slowdown *
           queueing_time(memory, load, std::exp(of(machine, MachineParameter::kQueueing)));
  const double shared = memory * std::max(1.0, *std::max_element(load.begin(), load.end()));
  switch (shape) {
    case ContentionShape::kRoofline:
      return slowdown * std::max(1.0, shared);
    case ContentionShape::kOverlap:
      return slowdown * p_norm(shared, 1 + std::exp(of(machine, MachineParameter::kOverlap)));
    default:
      return slowdown * (1 + shared);
  }
}

}  // namespace

double slower_time(ContentionShape shape, const MachineParameters& machine,
                   const DemandParameters& demand, const Sharing& sharing, double core_slowdown) {
  return time_with_slower_cores(shape, machine, demand, sharing,
                                core_slowdown * thread_slowdown(machine, sharing));
}

}  // namespace huddle::predict
