// Power of nodes: the part of the model that looks at which parts of a node are busy at once.

#include <algorithm>
#include <limits>

#include "aggregator/hybrid/detail/team_model.hpp"

namespace huddle::hybrid::teams {
namespace {

/// Fewer cores are better where the published t x f sees no difference.
constexpr double kCoreCounts = 1e-6;

double between(Watts low, Watts high, double way) {
  return low.value + way * (high.value - low.value);
}

/// The busy cores, dies and packages of a node in one interval.
class BusyClocks {
 public:
  explicit BusyClocks(const hybrid::TeamNode& node)
      : node_(node),
        packages_(node.packages),
        dies_(std::size_t{node.packages} * node.dies_per_package),
        cores_(node.packages) {}

  void clear() {
    std::fill(packages_.begin(), packages_.end(), 0.0);
    std::fill(dies_.begin(), dies_.end(), 0.0);
    for (auto& cores : cores_) cores.clear();
  }
  void add(const Place& place, double clock, bool first_core_only) {
    const std::size_t packages = first_core_only ? 1 : place.packages.size();
    for (std::size_t p = 0; p < packages; ++p) {
      double& package = packages_[place.packages[p]];
      package = std::max(package, clock);
      cores_[place.packages[p]].push_back({clock, first_core_only ? 1 : place.package_cores[p]});
    }
    const std::size_t dies = first_core_only ? 1 : place.dies.size();
    for (std::size_t d = 0; d < dies; ++d) {
      double& die = dies_[place.dies[d]];
      die = std::max(die, clock);
    }
  }
  template <class PowerAt>
  [[nodiscard]] double watts(PowerAt power_at) const {
    double sum = 0;
    for (std::size_t p = 0; p < packages_.size(); ++p) {
      if (packages_[p] == 0) continue;
      sum += power_at(packages_[p]).package.value;
      for (const Cores& cores : cores_[p])
        sum +=
            cores.count * power_at(node_.clock_of_package ? packages_[p] : cores.clock).core.value;
    }
    for (std::size_t d = 0; d < dies_.size(); ++d)
      if (dies_[d] > 0)
        sum += power_at(node_.clock_of_package ? packages_[d / node_.dies_per_package] : dies_[d])
                   .die.value;
    return sum;
  }

 private:
  struct Cores {
    double clock = 0;
    std::uint32_t count = 0;
  };
  const hybrid::TeamNode& node_;
  std::vector<double> packages_;  ///< the highest clock on each; 0: not busy
  std::vector<double> dies_;
  std::vector<std::vector<Cores>> cores_;  ///< by package
};

}  // namespace

hybrid::TeamPowerPoint Model::power_at(double clock) const {
  const std::vector<hybrid::TeamPowerPoint>& points = program_.node.power;
  const auto above = std::lower_bound(
      points.begin(), points.end(), clock,
      [](const hybrid::TeamPowerPoint& point, double hertz) { return point.clock.value < hertz; });
  if (above == points.end()) return points.back();
  if (above == points.begin() || above->clock.value == clock) return *above;
  const hybrid::TeamPowerPoint& low = *(above - 1);
  const double way = (clock - low.clock.value) / (above->clock.value - low.clock.value);
  return {{clock},
          {between(low.package, above->package, way)},
          {between(low.die, above->die, way)},
          {between(low.core, above->core, way)}};
}

double Model::watts(std::size_t rank, State state, bool first_core_only) const {
  const Place& place = places_[rank][state.place];
  if (times_clock_) {
    const double cores = first_core_only ? 1 : static_cast<double>(place.cores.size());
    return state.clock * 1e-9 * (1 + kCoreCounts * cores);
  }
  const hybrid::TeamPowerPoint power = power_at(state.clock);
  if (first_core_only) return power.package.value + power.die.value + power.core.value;
  return static_cast<double>(place.packages.size()) * power.package.value +
         static_cast<double>(place.dies.size()) * power.die.value +
         static_cast<double>(place.cores.size()) * power.core.value;
}

double Model::drawn(std::size_t node, std::span<const RankRun> runs, double length) const {
  if (!times_clock_ && shares_packages_[node]) return drawn_together(node, runs, length);
  double joules = times_clock_ ? 0 : program_.node.idle.value * length;
  for (const std::size_t rank : nodes_[node]) {
    double begin = 0;
    for (const Stretch& stretch : runs[rank].stretches) {
      joules += (stretch.until - begin) * watts(rank, stretch.state, stretch.first_core_only);
      begin = stretch.until;
    }
    // As published, waiting costs nothing.
    if (!times_clock_) joules += std::max(0.0, length - begin) * watts(rank, runs[rank].end, true);
  }
  return joules;
}

double Model::drawn_together(std::size_t node, std::span<const RankRun> runs, double length) const {
  const std::vector<std::size_t>& ranks = nodes_[node];
  double joules = program_.node.idle.value * length;
  BusyClocks busy(program_.node);
  std::vector<std::size_t> at(ranks.size(), 0);
  double begin = 0;
  while (begin < length) {
    double end = length;
    busy.clear();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const RankRun& run = runs[ranks[i]];
      while (at[i] < run.stretches.size() && run.stretches[at[i]].until <= begin) ++at[i];
      const bool works = at[i] < run.stretches.size();
      const Stretch now = works ? run.stretches[at[i]] : Stretch{length, run.end, true};
      end = std::min(end, now.until);
      busy.add(places_[ranks[i]][now.state.place], now.state.clock, now.first_core_only);
    }
    joules += (end - begin) * busy.watts([&](double clock) { return power_at(clock); });
    begin = end;
  }
  return joules;
}

}  // namespace huddle::hybrid::teams
