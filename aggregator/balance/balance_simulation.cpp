#include "aggregator/balance/balance_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "profiles/balancing/clock_regrouping.hpp"
#include "profiles/balancing/work_distribution.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

/// Power of a core at clocks between those that are known.
class PowerCurve {
 public:
  explicit PowerCurve(const std::vector<CorePower>& points) : points_(points) {}

  [[nodiscard]] CorePower at(Hertz clock) const {
    const auto above = std::lower_bound(points_.begin(), points_.end(), clock,
                                        [](const CorePower& a, Hertz b) { return a.clock < b; });
    if (above == points_.begin()) return points_.front();
    if (above == points_.end()) return points_.back();
    const CorePower& below = *std::prev(above);
    const double share = (clock - below.clock) / (above->clock - below.clock);
    return {clock, below.computing * (1 - share) + above->computing * share,
            below.waiting * (1 - share) + above->waiting * share};
  }

 private:
  const std::vector<CorePower>& points_;
};

class Simulation {
 public:
  Simulation(const LoadTable& table, const BalancedMachine& machine, const BalanceScheme& scheme)
      : table_(table),
        machine_(machine),
        scheme_(scheme),
        steps_(machine.steps()),
        curve_(machine.power),
        placement_(table.processor_of),
        core_of_(table.processors),
        work_(table.processors),
        recent_(table.objects(), 0) {
    if (!scheme.domain_of.empty() && scheme.domain_of.size() != table.processors)
      throw Error(fmt::format("clock domains of {} cores; expected: of {}", scheme.domain_of.size(),
                              table.processors));
    if (!scheme.node_of.empty() && scheme.node_of.size() != table.processors)
      throw Error(fmt::format("nodes of {} cores; expected: of {}", scheme.node_of.size(),
                              table.processors));
    if (!machine.sensitivity.empty() && machine.sensitivity.size() != table.objects())
      throw Error(fmt::format("sensitivities of {} objects; expected: of {}",
                              machine.sensitivity.size(), table.objects()));
    std::iota(core_of_.begin(), core_of_.end(), 0U);
    domain_of_ = scheme.domain_of;
    if (domain_of_.empty()) domain_of_ = core_of_;
    const std::uint32_t domains =
        domain_of_.empty() ? 0 : *std::max_element(domain_of_.begin(), domain_of_.end()) + 1;
    clock_.assign(domains, steps_.most());
    lease_.assign(domains, 0);
    balancers_.assign(table.processors, balancing::RankBalancer(steps_, scheme.settings));
  }

  BalanceOutcome run() {
    for (std::size_t iteration = 0; iteration < table_.iterations(); ++iteration) {
      gather_work(iteration);
      run_period();
      if (scheme_.clocks)
        balance_clocks();
      else if (scheme_.time_balancer != TimeBalancer::kNone &&
               is_balance_point(iteration + 1, scheme_.settings.interval))
        move_at_balance_point();
    }
    if (scheme_.clocks && !balancers_.empty()) {
      const balancing::BalanceStatus& status = balancers_.front().status();
      outcome_.rest = status.rest;
      outcome_.last_imbalance = status.imbalance;
    }
    return outcome_;
  }

 private:
  [[nodiscard]] double sensitivity(std::size_t object) const {
    return machine_.sensitivity.empty() ? 1 : machine_.sensitivity[object];
  }

  void gather_work(std::size_t iteration) {
    std::fill(work_.begin(), work_.end(), balancing::Workload{{0}, 0});
    for (std::size_t object = 0; object < table_.objects(); ++object) {
      const double load = table_.load(iteration, object);
      balancing::Workload& work = work_[placement_[object]];
      work.time += Seconds{load};
      work.sensitivity += load * sensitivity(object);
      recent_[object] += load;
    }
    for (balancing::Workload& work : work_)
      work.sensitivity = work.time.value > 0 ? work.sensitivity / work.time.value : 1;
  }

  /// A rank's work in this period, with its clock raised where the lease ends.
  struct RankPeriod {
    double time = 0;
    double low_time = 0;  ///< of it, before the clock was raised
    Hertz achieved;
  };
  [[nodiscard]] RankPeriod period_of(std::uint32_t rank) const {
    const std::uint32_t domain = domain_of_[core_of_[rank]];
    const Hertz clock = clock_[domain];
    const balancing::Workload& work = work_[rank];
    const double slow = balancing::stretch(work.sensitivity, clock, steps_.most());
    const double whole = work.time.value * slow;
    const double lease = lease_[domain];
    if (clock >= steps_.most() || lease <= 0 || whole <= lease) return {whole, whole, clock};
    const double rest = work.time.value - lease / slow;
    const double time = lease + rest;
    return {time, lease, (clock * lease + steps_.most() * rest) * (1 / time)};
  }

  void run_period() {
    std::vector<RankPeriod> periods;
    double length = 0;
    for (std::uint32_t rank = 0; rank < table_.processors; ++rank) {
      periods.push_back(period_of(rank));
      length = std::max(length, periods.back().time);
    }
    length += machine_.besides.value + std::exchange(owed_, 0);
    outcome_.time += Seconds{length};
    const CorePower top = curve_.at(steps_.most());
    for (std::uint32_t rank = 0; rank < table_.processors; ++rank) {
      const RankPeriod& period = periods[rank];
      const CorePower power = curve_.at(clock_[domain_of_[core_of_[rank]]]);
      const bool raised = period.time > period.low_time;
      outcome_.energy += Joules{power.computing.value * period.low_time +
                                top.computing.value * (period.time - period.low_time) +
                                (raised ? top : power).waiting.value * (length - period.time)};
      if (scheme_.clocks) balancers_[rank].period_ended({{period.time}, {length}, period.achieved});
    }
  }

  /// All of them hear of the period before, and then report on this one.
  void balance_clocks() {
    const std::uint32_t points = balancers_.front().status().points;
    if (last_report_)
      for (balancing::RankBalancer& balancer : balancers_) balancer.agreed(*last_report_);
    balancing::BalanceReport report = balancers_.front().report();
    for (std::size_t rank = 1; rank < balancers_.size(); ++rank)
      report.combine(balancers_[rank].report());
    last_report_ = report;
    const balancing::BalanceStatus& status = balancers_.front().status();
    if (status.points > points) {
      if (status.points == 1) outcome_.first_imbalance = status.imbalance;
      if (status.beyond_clocks) ++outcome_.handed_over;
      if (scheme_.time_balancer != TimeBalancer::kNone) hand_over(status.beyond_clocks);
      std::fill(recent_.begin(), recent_.end(), 0);
      if (!scheme_.node_of.empty() && status.points >= 2 &&
          status.rest == balancing::BalanceRest::kNone)
        trade_places();
    }
    set_clocks();
  }

  void move_at_balance_point() {
    const std::vector<balancing::WorkObject> objects = recent_objects();
    move_objects(objects, better_placement(objects));
    std::fill(recent_.begin(), recent_.end(), 0);
  }

  void set_clocks() {
    std::vector<Hertz> asked(clock_.size(), steps_.least());
    std::vector<double> lease(clock_.size(), 0);
    for (std::uint32_t rank = 0; rank < table_.processors; ++rank) {
      const std::uint32_t domain = domain_of_[core_of_[rank]];
      asked[domain] = std::max(asked[domain], balancers_[rank].clock());
      const double mine = balancers_[rank].lease().value;
      if (mine > 0) lease[domain] = lease[domain] > 0 ? std::min(lease[domain], mine) : mine;
    }
    for (std::size_t domain = 0; domain < clock_.size(); ++domain)
      if (asked[domain] != clock_[domain]) {
        ++outcome_.clock_changes;
        outcome_.settled_at = balancers_.front().status().points;
      }
    clock_ = asked;
    lease_ = lease;
  }

  void hand_over(bool beyond_clocks) {
    const std::vector<balancing::WorkObject> objects = recent_objects();
    const balancing::WorkPlacement placement = better_placement(objects);
    const double now = longest_load(objects, placement_);
    const double then = longest_load(objects, placement);
    const double transfers =
        balancing::moved_objects(objects, placement) * machine_.migration.value;
    const bool pays = then < (1 - scheme_.worthwhile) * now && now - then > transfers;
    if ((!beyond_clocks && !pays) || then >= now) return;
    move_objects(objects, placement);
    for (balancing::RankBalancer& balancer : balancers_) balancer.work_was_moved();
    last_report_.reset();
  }

  /// Returns the objects with the time that each took since the last balance point.
  [[nodiscard]] std::vector<balancing::WorkObject> recent_objects() const {
    std::vector<balancing::WorkObject> objects;
    for (std::size_t object = 0; object < table_.objects(); ++object)
      objects.push_back({{recent_[object]}, placement_[object]});
    return objects;
  }

  [[nodiscard]] balancing::WorkPlacement better_placement(
      const std::vector<balancing::WorkObject>& objects) const {
    return scheme_.time_balancer == TimeBalancer::kGreedy
               ? balancing::greedy_placement(objects, table_.processors)
               : balancing::refined_placement(objects, table_.processors);
  }

  [[nodiscard]] double longest_load(const std::vector<balancing::WorkObject>& objects,
                                    const balancing::WorkPlacement& placement) const {
    double longest = 0;
    for (const Seconds load : balancing::loads_of(objects, {}, placement, table_.processors))
      longest = std::max(longest, load.value);
    return longest;
  }

  void move_objects(const std::vector<balancing::WorkObject>& objects,
                    const balancing::WorkPlacement& placement) {
    const std::uint32_t moved = balancing::moved_objects(objects, placement);
    placement_ = placement;
    outcome_.moved_objects += moved;
    owed_ += moved * machine_.migration.value;
  }

  /// Once loads are known, and again when that would save a good part of what is left.
  void trade_places() {
    double length = 0;
    for (const balancing::RankBalancer& balancer : balancers_)
      length = std::max(length, balancer.workload().time.value);
    std::map<std::uint32_t, std::vector<std::uint32_t>> ranks_of_node;
    for (std::uint32_t rank = 0; rank < table_.processors; ++rank)
      ranks_of_node[scheme_.node_of[core_of_[rank]]].push_back(rank);
    for (const auto& [node, ranks] : ranks_of_node) {
      std::vector<balancing::Workload> work;
      std::vector<std::uint32_t> domains;
      for (const std::uint32_t rank : ranks) {
        work.push_back(balancers_[rank].workload());
        domains.push_back(domain_of_[core_of_[rank]]);
      }
      const balancing::ClockRegrouping grouping =
          balancing::regroup_by_load(work, domains, {length}, steps_);
      constexpr double kWorthwhile = 0.97;
      if (grouping.clocks_after > kWorthwhile * grouping.clocks_before) continue;
      std::vector<std::uint32_t> cores;
      for (const std::uint32_t rank : ranks) cores.push_back(core_of_[rank]);
      for (std::size_t i = 0; i < ranks.size(); ++i)
        core_of_[ranks[i]] = cores[grouping.core_of[i]];
      outcome_.moved_ranks += grouping.moved;
      owed_ += grouping.moved * machine_.migration.value;
    }
  }

  const LoadTable& table_;
  const BalancedMachine& machine_;
  const BalanceScheme& scheme_;
  balancing::ClockSteps steps_;
  PowerCurve curve_;
  std::vector<std::uint32_t> domain_of_;   // by core
  balancing::WorkPlacement placement_;     // of objects on ranks
  std::vector<std::uint32_t> core_of_;     // by rank
  std::vector<balancing::Workload> work_;  // by rank, in this iteration
  std::vector<double> recent_;             // by object, since objects were moved last
  std::vector<Hertz> clock_;               // by domain
  std::vector<double> lease_;              // by domain; 0: none
  std::vector<balancing::RankBalancer> balancers_;
  std::optional<balancing::BalanceReport> last_report_;
  double owed_ = 0;  // what migrations cost the next iteration
  BalanceOutcome outcome_;
};

}  // namespace

std::string_view name_of(TimeBalancer balancer) {
  switch (balancer) {
    case TimeBalancer::kNone:
      return "none";
    case TimeBalancer::kGreedy:
      return "greedy";
    case TimeBalancer::kRefine:
      return "refine";
  }
  return "";
}

balancing::ClockSteps BalancedMachine::steps() const {
  std::vector<Hertz> clocks;
  for (const CorePower& point : power) clocks.push_back(point.clock);
  return balancing::ClockSteps(std::move(clocks));
}

std::size_t first_balance_point(std::uint32_t interval) {
  return std::min(interval, balancing::kFirstPeriods);
}

bool is_balance_point(std::size_t iterations, std::uint32_t interval) {
  const std::size_t first = first_balance_point(interval);
  return iterations >= first && (iterations - first) % interval == 0;
}

BalanceOutcome simulate_balancing(const LoadTable& table, const BalancedMachine& machine,
                                  const BalanceScheme& scheme) {
  return Simulation(table, machine, scheme).run();
}

}  // namespace huddle::balance
