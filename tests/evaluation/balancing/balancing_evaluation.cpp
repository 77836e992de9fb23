// Clocks that follow loads, in simulations whose truth is known: tables for docs/evaluation.md.

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/render/table.hpp"
#include "tests/evaluation/balancing/governed_run.hpp"
#include "tests/evaluation/balancing/scenarios.hpp"
#include "tests/evaluation/children.hpp"

namespace huddle::balancing {
namespace {

using Values = std::vector<double>;

double quantile(Values values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

/// Energy saved and time added, relative to the top clocks, over seeds.
struct Gains {
  Values saved;
  Values longer;
  Values imbalance;

  void add(double energy, double time, double reference_energy, double reference_time) {
    saved.push_back(1 - energy / reference_energy);
    longer.push_back(time / reference_time - 1);
  }
  void add(const balance::BalanceOutcome& one, const balance::BalanceOutcome& reference) {
    add(one.energy.value, one.time.value, reference.energy.value, reference.time.value);
    imbalance.push_back(one.last_imbalance);
  }
  [[nodiscard]] std::vector<std::string> row(const std::string& name) const {
    return {name,
            percent(quantile(saved, 0.5)),
            percent(quantile(saved, 0)),
            percent(quantile(longer, 0.5)),
            percent(quantile(longer, 1)),
            imbalance.empty() ? "" : fmt::format("{:.3f}", quantile(imbalance, 1))};
  }
};

render::Table gains_table(const std::string& what) {
  using enum render::Table::Align;
  return render::Table({{what, kLeft},
                        {"saved, median"},
                        {"least"},
                        {"time, median"},
                        {"most"},
                        {"l at the end, most"}});
}

balance::BalanceScheme scheme(bool clocks,
                              balance::TimeBalancer balancer = balance::TimeBalancer::kNone) {
  balance::BalanceScheme result;
  result.clocks = clocks;
  result.time_balancer = balancer;
  return result;
}

void published_scenario(std::uint64_t seeds) {
  const balance::BalancedMachine machine = published_machine();
  std::array<Gains, 6> gains;
  Values beyond_greedy;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const balance::LoadTable table = published_loads(seed);
    const balance::BalanceOutcome top = balance::simulate_balancing(table, machine, scheme(false));
    const balance::BalanceOutcome greedy =
        balance::simulate_balancing(table, machine, scheme(false, balance::TimeBalancer::kGreedy));
    const balance::BalanceOutcome both =
        balance::simulate_balancing(table, machine, scheme(true, balance::TimeBalancer::kGreedy));
    gains[0].add(literal_energylb(table, machine, 10), top);
    gains[1].add(balance::simulate_balancing(table, machine, scheme(true)), top);
    gains[2].add(greedy, top);
    gains[3].add(both, top);
    gains[4].add(
        balance::simulate_balancing(table, machine, scheme(false, balance::TimeBalancer::kRefine)),
        top);
    gains[5].add(
        balance::simulate_balancing(table, machine, scheme(true, balance::TimeBalancer::kRefine)),
        top);
    beyond_greedy.push_back(both.time / greedy.time - 1);
  }
  constexpr std::array kNames = {"equation (1), literally", "clocks alone", "greedy alone",
                                 "clocks and greedy",       "refine alone", "clocks and refine"};
  // Those that have no balancer have no l.
  for (const std::size_t without : {0U, 2U, 4U}) gains[without].imbalance.clear();
  render::Table table = gains_table("the published scenario");
  for (std::size_t i = 0; i < gains.size(); ++i) table.add(gains[i].row(kNames[i]));
  fmt::print("{}Clocks and greedy are {} later than greedy alone, at most.\n\n", table.text(),
             percent(quantile(beyond_greedy, 1)));
}

/// Each simulation by SimGrid in a process of its own, which leaves its result in a file.
void beside_adagio(std::uint64_t seeds) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("balancing-{}", ::getpid());
  std::filesystem::create_directory(folder);
  constexpr std::array kGovernors = {Governor::kNone, Governor::kAdagio, Governor::kHuddle};
  const auto file = [&](std::size_t work) { return folder / std::to_string(work); };
  evaluation::in_children(seeds * kGovernors.size(), 2, [&](std::size_t work) {
    const GovernedRun run =
        simulate_with_simgrid(published_loads(work / kGovernors.size()), published_machine(),
                              kGovernors[work % kGovernors.size()]);
    std::ofstream(file(work)) << fmt::format("{} {}", run.time_s, run.energy_j);
  });
  Gains adagio;
  Gains huddle;
  Values ahead;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::array<GovernedRun, kGovernors.size()> runs;
    for (std::size_t i = 0; i < runs.size(); ++i)
      std::ifstream(file(seed * kGovernors.size() + i)) >> runs[i].time_s >> runs[i].energy_j;
    adagio.add(runs[1].energy_j, runs[1].time_s, runs[0].energy_j, runs[0].time_s);
    huddle.add(runs[2].energy_j, runs[2].time_s, runs[0].energy_j, runs[0].time_s);
    ahead.push_back(1 - runs[2].energy_j / runs[1].energy_j);
  }
  std::filesystem::remove_all(folder);
  render::Table table = gains_table("the same by SimGrid");
  table.add(adagio.row("Adagio"));
  table.add(huddle.row("Huddle"));
  if (quantile(adagio.saved, 1) < 1e-6)
    fmt::print("This SimGrid's Adagio changes no clock: it does in 3.32.\n");
  fmt::print("{}Huddle takes {} less energy than Adagio in the median ({} to {}).\n\n",
             table.text(), percent(quantile(ahead, 0.5)), percent(quantile(ahead, 0)),
             percent(quantile(ahead, 1)));
}

void coarse_grained(std::uint64_t seeds) {
  balance::BalancedMachine machine = published_machine();
  constexpr std::uint32_t kCores = 24 * 8;
  constexpr std::uint32_t kChares = 1600;
  std::array<Gains, 3> gains;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> load(0.005, 0.8);
    std::vector<double> ranks(kCores, 0);
    for (std::uint32_t chare = 0; chare < kChares; ++chare)
      ranks[chare * kCores / kChares] += load(random);
    const balance::LoadTable table =
        rank_loads(kCores, 250, [&](std::size_t, std::uint32_t rank) { return ranks[rank]; });
    const balance::BalanceOutcome top = balance::simulate_balancing(table, machine, scheme(false));
    balance::BalanceScheme coarse = scheme(true);
    for (std::uint32_t core = 0; core < kCores; ++core) coarse.domain_of.push_back(core / 8);
    balance::BalanceScheme regrouped = coarse;
    regrouped.node_of.assign(kCores, 0);
    gains[0].add(balance::simulate_balancing(table, machine, scheme(true)), top);
    gains[1].add(balance::simulate_balancing(table, machine, coarse), top);
    gains[2].add(balance::simulate_balancing(table, machine, regrouped), top);
  }
  render::Table table = gains_table("24 x 8 cores, 8 share a clock");
  table.add(gains[0].row("FG: each core its own clock"));
  table.add(gains[1].row("CG"));
  table.add(gains[2].row("CG, like loads on one clock"));
  fmt::print("{}Regrouped, CG saves {} of what FG does, in the median.\n\n", table.text(),
             percent(quantile(gains[2].saved, 0.5) / quantile(gains[0].saved, 0.5)));
}

/// Loads of 24 ranks, for a seed.
using Draw = std::function<balance::LoadTable(std::uint64_t seed)>;

struct Kind {
  std::string name;
  /// The sensitivity of each rank; one value stands for all; negative: drawn for each rank.
  double sensitivity = 1;
  Draw draw;
};

double noisy(std::mt19937_64& random, double noise) {
  return 1 + noise * std::normal_distribution<double>()(random);
}

std::vector<double> base_loads(std::uint64_t seed, double least, double most) {
  std::mt19937_64 random(seed);
  std::vector<double> loads(24);
  for (double& load : loads) load = std::uniform_real_distribution<double>(least, most)(random);
  return loads;
}

std::vector<Kind> kinds() {
  std::vector<Kind> kinds;
  for (const double noise : {0.0, 0.01, 0.03})
    for (const double sensitivity : {1.0, 0.5, -1.0})
      kinds.push_back({fmt::format("l < 2, {}, loads vary by {:.0f} %",
                                   sensitivity < 0    ? "any sensitivity"
                                   : sensitivity == 1 ? "computing"
                                                      : "half memory",
                                   100 * noise),
                       sensitivity, [noise](std::uint64_t seed) {
                         std::vector<double> loads = base_loads(seed, 0.515, 1);
                         loads[0] = 1;
                         auto random = std::make_shared<std::mt19937_64>(seed + 1);
                         return rank_loads(24, 250, [=](std::size_t, std::uint32_t rank) {
                           return loads[rank] * noisy(*random, noise);
                         });
                       }});
  const auto add =
      [&](const std::string& name, std::size_t iterations,
          const std::function<double(std::size_t, std::uint32_t, double, std::uint64_t)>& load) {
        kinds.push_back({name, 1, [=](std::uint64_t seed) {
                           const std::vector<double> loads = base_loads(seed, 0.3, 0.6);
                           auto random = std::make_shared<std::mt19937_64>(seed + 1);
                           return rank_loads(
                               24, iterations, [=](std::size_t i, std::uint32_t rank) {
                                 return load(i, rank, loads[rank], seed) * noisy(*random, 0.02);
                               });
                         }});
      };
  add("a load that moves every 50 iterations", 1000,
      [](std::size_t i, std::uint32_t rank, double load, std::uint64_t seed) {
        return (i / 50 + seed) % 24 == rank ? 1.0 : load;
      });
  add("a load that doubles", 250,
      [](std::size_t i, std::uint32_t rank, double load, std::uint64_t seed) {
        return load * (rank == seed % 24 && i > 120 ? 2 : 1);
      });
  add("the longest load shrinks", 250,
      [](std::size_t i, std::uint32_t rank, double load, std::uint64_t) {
        return rank == 0 ? (i > 120 ? 0.3 : 1.0) : load;
      });
  add("a rank stalls 10 s", 250,
      [](std::size_t i, std::uint32_t rank, double load, std::uint64_t seed) {
        return (rank == 0 ? 1.0 : load) + (i == 133 && rank == seed % 24 ? 10 : 0);
      });
  add("a peak that travels over the ranks", 1000,
      [](std::size_t i, std::uint32_t rank, double load, std::uint64_t) {
        const double away = std::abs(std::fmod(static_cast<double>(i) / 1000 * 24, 24) - rank);
        return load + 0.5 * std::max(0.0, 1 - away / 4);
      });
  add("all loads alike", 250,
      [](std::size_t, std::uint32_t, double, std::uint64_t) { return 1.0; });
  return kinds;
}

void changing_loads(std::uint64_t seeds) {
  render::Table table({{"24 ranks", render::Table::Align::kLeft},
                       {"saved, median"},
                       {"time, median"},
                       {"most"},
                       {"clock changes"},
                       {"handed over"}});
  for (const Kind& kind : kinds()) {
    Gains gains;
    Values changes;
    std::uint64_t handed_over = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      balance::BalancedMachine machine = published_machine();
      machine.besides = {0.005};
      machine.sensitivity = std::vector<double>(24, kind.sensitivity);
      if (kind.sensitivity < 0) machine.sensitivity = base_loads(seed + 7, 0, 1);
      const balance::LoadTable loads = kind.draw(seed);
      const balance::BalanceOutcome outcome =
          balance::simulate_balancing(loads, machine, scheme(true));
      gains.add(outcome, balance::simulate_balancing(loads, machine, scheme(false)));
      changes.push_back(static_cast<double>(outcome.clock_changes));
      if (outcome.handed_over > 0) ++handed_over;
    }
    table.add({kind.name, percent(quantile(gains.saved, 0.5)), percent(quantile(gains.longer, 0.5)),
               percent(quantile(gains.longer, 1)), fmt::format("{:.0f}", quantile(changes, 0.5)),
               percent(static_cast<double>(handed_over) / static_cast<double>(seeds))});
  }
  fmt::print("{}", table.text());
}

}  // namespace
}  // namespace huddle::balancing

int main(int argc, char** argv) {
  using namespace huddle::balancing;
  CLI::App app("Clocks that follow loads, in simulations whose truth is known");
  std::uint64_t seeds = 100;
  app.add_option("--seeds", seeds, "how many draws of each kind (100)")
      ->check(CLI::Range(1, 10000));
  CLI11_PARSE(app, argc, argv);
  published_scenario(seeds);
  std::fflush(stdout);
  beside_adagio(seeds);
  coarse_grained(std::min<std::uint64_t>(seeds, 30));
  changing_loads(seeds);
  return 0;
}
