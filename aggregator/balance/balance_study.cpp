#include "aggregator/balance/balance_study.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "profiles/balancing/clock_choice.hpp"

namespace huddle::balance {
namespace {

class Study {
 public:
  Study(const LoadTable& table, const BalanceHardware& hardware, Seconds besides,
        const balancing::BalanceSettings& settings)
      : table_(table), hardware_(hardware), settings_(settings) {
    machine_.power = hardware.power;
    machine_.besides = besides;
  }

  BalanceStudy run() {
    note_loads();
    study_.changes = changes_between_looks(table_, machine_, settings_.interval);
    add("none", "as it is", table_, scheme(false));
    add("fg", "clocks, one for each core", table_, scheme(true));
    if (hardware_.cores_per_package > 1) {
      add_coarse();
      contain_packages();
    }
    if (table_.has_objects)
      add_time_balancers();
    else
      add("even", "work divided evenly", evened(), scheme(false));
    return std::move(study_);
  }

 private:
  [[nodiscard]] BalanceScheme scheme(bool clocks,
                                     TimeBalancer balancer = TimeBalancer::kNone) const {
    BalanceScheme result;
    result.clocks = clocks;
    result.time_balancer = balancer;
    result.settings = settings_;
    return result;
  }

  void add(std::string key, std::string name, const LoadTable& table, const BalanceScheme& how) {
    BalanceRow row;
    row.key = std::move(key);
    row.name = std::move(name);
    row.outcome = simulate_balancing(table, machine_, how);
    row.first_acts_after = first_acts_after(how);
    const BalanceOutcome& as_is = study_.rows.empty() ? row.outcome : study_.rows.front().outcome;
    if (as_is.energy.value > 0) row.saved = 1 - row.outcome.energy / as_is.energy;
    if (as_is.time.value > 0) row.slowdown = row.outcome.time / as_is.time - 1;
    study_.rows.push_back(std::move(row));
  }

  /// Ranks trade places from the second balance point on.
  [[nodiscard]] std::size_t first_acts_after(const BalanceScheme& how) const {
    if (!how.clocks && how.time_balancer == TimeBalancer::kNone) return 0;
    const std::size_t first = first_balance_point(settings_.interval);
    return how.node_of.empty() ? first : first + settings_.interval;
  }

  /// Cores that have clocks of their own can have those that packages would have, also of ranks
  /// that would trade places for it.
  void contain_packages() {
    const auto cores = std::ranges::find(study_.rows, "fg", &BalanceRow::key);
    for (const BalanceRow& row : study_.rows) {
      if (!row.key.starts_with("cg") || row.saved <= cores->saved) continue;
      cores->outcome = row.outcome;
      cores->outcome.moved_ranks = 0;
      cores->saved = row.saved;
      cores->slowdown = row.slowdown;
      cores->as_packages = true;
    }
  }

  void add_coarse() {
    BalanceScheme coarse = scheme(true);
    BalanceScheme in_node = coarse;
    for (std::uint32_t core = 0; core < table_.processors; ++core) {
      coarse.domain_of.push_back(core / hardware_.cores_per_package);
      in_node.node_of.push_back(core / hardware_.cores_per_node);
    }
    in_node.domain_of = coarse.domain_of;
    add("cg", "clocks, one for each package", table_, coarse);
    if (hardware_.cores_per_node > hardware_.cores_per_package)
      add("cg_regrouped", "  and like loads on one package", table_, in_node);
    if (table_.processors > hardware_.cores_per_node) {
      in_node.node_of.assign(table_.processors, 0);
      add("cg_replaced", "  and like loads on one node", table_, in_node);
    }
  }

  void add_time_balancers() {
    add("greedy", "objects moved greedily", table_, scheme(false, TimeBalancer::kGreedy));
    add("greedy_fg", "  and clocks, one for each core", table_,
        scheme(true, TimeBalancer::kGreedy));
    add("refine", "as few objects moved as possible", table_, scheme(false, TimeBalancer::kRefine));
    add("refine_fg", "  and clocks, one for each core", table_,
        scheme(true, TimeBalancer::kRefine));
  }

  [[nodiscard]] LoadTable evened() const {
    LoadTable even = table_;
    const std::size_t ranks = even.objects();
    for (std::size_t begin = 0; begin < even.loads.size(); begin += ranks) {
      double sum = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) sum += even.loads[begin + rank];
      std::fill_n(even.loads.begin() + static_cast<std::ptrdiff_t>(begin), ranks,
                  sum / static_cast<double>(ranks));
    }
    return even;
  }

  void note_loads() {
    std::vector<balancing::Workload> all(table_.processors, balancing::Workload{{0}, 1});
    double sum = 0;
    double longest = 0;
    for (std::size_t iteration = 0; iteration < table_.iterations(); ++iteration) {
      const std::vector<double> loads = processor_loads(table_, iteration);
      for (std::size_t rank = 0; rank < loads.size(); ++rank) {
        all[rank].time += Seconds{loads[rank]};
        sum += loads[rank];
      }
      longest += *std::ranges::max_element(loads);
    }
    study_.imbalance = balancing::imbalance_of(all);
    study_.efficiency = longest > 0 ? sum / (longest * table_.processors) : 1;
  }

  const LoadTable& table_;
  const BalanceHardware& hardware_;
  balancing::BalanceSettings settings_;
  BalancedMachine machine_;
  BalanceStudy study_;
};

}  // namespace

BalanceStudy study_balancing(const LoadTable& table, const BalanceHardware& hardware,
                             Seconds besides, const balancing::BalanceSettings& settings) {
  return Study(table, hardware, besides, settings).run();
}

}  // namespace huddle::balance
