// Shows how many further measurements lie in the intervals of a program's forecast, on made-up
// tables of threads on nodes with sockets, second threads of cores and shared memory:
// tests/evaluation/tables.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/parallel.hpp"
#include "tests/evaluation/forecast_tables/table_study.hpp"

namespace {

using namespace huddle;
using namespace huddle::evaluation;

struct Options {
  std::uint64_t seeds = 60;
  std::uint64_t first_seed = 1;
  unsigned threads = 0;
  double least = 0;
  double most = 1;
};

struct Group {
  Effect effect = Effect::sockets;
  Learnt learnt = Learnt::every_other;
  std::vector<JudgedTable> tables;
};

std::vector<Group> judged_groups(const Options& options) {
  std::vector<Group> groups;
  for (const Learnt learnt : kLearnt)
    for (const Effect effect : kEffects)
      groups.push_back({effect, learnt, std::vector<JudgedTable>(options.seeds)});
  const unsigned threads =
      options.threads > 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1U);
  for_each_index(threads, groups.size() * options.seeds, [&](std::size_t i) {
    Group& group = groups[i / options.seeds];
    const std::size_t table = i % options.seeds;
    group.tables[table] = judged_table(group.effect, group.learnt, options.first_seed + table);
  });
  return groups;
}

struct Sum {
  double held = 0;
  std::vector<double> widths;
  std::vector<double> errors;

  void add(const std::vector<JudgedQuantity>& some) {
    for (const JudgedQuantity& one : some) {
      held += one.held;
      widths.push_back(std::expm1(one.half_width));
      errors.push_back(one.error);
    }
  }
  [[nodiscard]] double share() const { return held / static_cast<double>(errors.size()); }
  void append(std::vector<std::string>& row) const {
    row.push_back(fmt::format("{:.1f}", 100 * share()));
    row.push_back(fmt::format("{:.1f}", 100 * forecast::median_of(widths)));
    row.push_back(fmt::format("{:.2f}", 100 * forecast::median_of(errors)));
  }
};

int run(const Options& options) {
  render::Table table({{"asked", render::Table::Align::kLeft},
                       {"what matters", render::Table::Align::kLeft},
                       {"time: held %"},
                       {"width %"},
                       {"error %"},
                       {"energy: held %"},
                       {"width %"},
                       {"error %"}});
  bool within = true;
  Sum all_time;
  Sum all_energy;
  const auto add = [&](std::string_view learnt, std::string_view effect, const Sum& time,
                       const Sum& energy) {
    std::vector<std::string> row = {std::string(learnt), std::string(effect)};
    time.append(row);
    energy.append(row);
    table.add(std::move(row));
    for (const double share : {time.share(), energy.share()})
      within = within && share >= options.least && share <= options.most;
  };
  for (const Group& group : judged_groups(options)) {
    Sum time;
    Sum energy;
    for (const JudgedTable& one : group.tables) {
      time.add(one.time);
      energy.add(one.energy);
      all_time.add(one.time);
      all_energy.add(one.energy);
    }
    add(name_of(group.learnt), name_of(group.effect), time, energy);
  }
  add("all", "", all_time, all_energy);
  fmt::print(
      "{}held: of 20 further measurements at each place asked for. width: how much more than the "
      "middle the upper end is, median. error: of the value predicted against the truth, median.\n",
      table.text());
  if (!within)
    fmt::print(stderr, "forecast_tables: a group's intervals do not hold {} to {} %\n",
               100 * options.least, 100 * options.most);
  return within ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "How many further measurements the 90 % intervals hold on made-up tables of threads"};
  Options options;
  app.add_option("--seeds", options.seeds, "tables of each group")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--first-seed", options.first_seed,
                 "which tables are drawn: others than those that were looked at while the "
                 "intervals were made")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "default: one for each processor");
  app.add_option("--least", options.least, "fail if a group holds less, as a share of 1");
  app.add_option("--most", options.most, "fail if a group holds more");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "forecast_tables: {}\n", error.what());
    return 1;
  }
}
