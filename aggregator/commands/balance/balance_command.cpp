// huddle balance: what clocks that follow the ranks' loads would save, and what a better
// distribution of work would.

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/balance/balance_study.hpp"
#include "aggregator/balance/balanced_machine.hpp"
#include "aggregator/balance/load_table.hpp"
#include "aggregator/balance/profile_loads.hpp"
#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/file_kind.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string loads;
  std::string machine;
  std::string slowdown = "5%";
  bool json = false;
};

/// The loads that are simulated, and what they stand for.
struct Case {
  balance::LoadTable table;
  Seconds besides;
  double repeats = 1;
};

Case read_case(const std::string& file) {
  expect_kind(file, {FileKind::kProfile, FileKind::kRows, FileKind::kGraph},
              "huddle balance reads profiles, and tables of loads");
  if (kind_of_file(file) != FileKind::kProfile) return {balance::load_load_table(file), {}, 1};
  balance::ProfileLoads loads = balance::loads_of_profile(load_profile(file));
  return {std::move(loads.table), loads.besides, loads.repeats};
}

std::string hint_of(const balance::BalanceRow& row) {
  const balance::BalanceOutcome& outcome = row.outcome;
  if (outcome.rest == balancing::BalanceRest::kBroken ||
      outcome.rest == balancing::BalanceRest::kSelfBalanced ||
      outcome.rest == balancing::BalanceRest::kCost)
    return "off: " + std::string(text_of(outcome.rest));
  std::string hint;
  const auto say = [&](const std::string& text) { hint += (hint.empty() ? "" : ", ") + text; };
  if (outcome.clock_changes > 0) say(pluralize(outcome.clock_changes, "clock change"));
  if (outcome.moved_ranks > 0) say(pluralize(outcome.moved_ranks, "rank") + " moved");
  if (outcome.moved_objects > 0) say(pluralize(outcome.moved_objects, "object") + " moved");
  return hint;
}

std::string as_text(const Case& loads, const balance::BalanceHardware& hardware,
                    const balance::BalanceStudy& study) {
  std::string text = fmt::format(
      "{} ranks, {} iterations. The longest load is {} the shortest; all work is {:.0f} % of what "
      "the ranks could do while they wait for the longest.\nClocks can level out {:.2f} ({:.2f} to "
      "{:.2f} "
      "GHz). Power: {}.\n\n",
      loads.table.processors, loads.table.iterations(),
      std::isfinite(study.imbalance) ? fmt::format("{:.2f} times", study.imbalance)
                                     : "without measure longer than",
      100 * study.efficiency, hardware.power.back().clock / hardware.power.front().clock,
      hardware.power.front().clock.value / 1e9, hardware.power.back().clock.value / 1e9,
      hardware.origin);
  using enum render::Table::Align;
  render::Table table({{"", kLeft}, {"time s"}, {"slower"}, {"energy J"}, {"saved"}, {"", kLeft}});
  for (const balance::BalanceRow& row : study.rows)
    table.add({row.name, fmt::format("{:.4g}", row.outcome.time.value * loads.repeats),
               fmt::format("{:+.1f} %", 100 * row.slowdown),
               fmt::format("{:.4g}", row.outcome.energy.value * loads.repeats),
               fmt::format("{:.1f} %", 100 * row.saved), hint_of(row)});
  text += table.text();
  text += "Note: all work is taken to follow the clock.\n";
  for (const std::string& note : loads.table.notes) text += "Note: " + note + ".\n";
  return text;
}

std::string as_json(const Case& loads, const balance::BalanceHardware& hardware,
                    const balance::BalanceStudy& study) {
  using nlohmann::ordered_json;
  const auto number = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
  };
  ordered_json document = {
      {"format", "huddle/balance"},
      {"version", 1},
      {"ranks", loads.table.processors},
      {"objects", loads.table.has_objects ? ordered_json(loads.table.objects()) : ordered_json()},
      {"iterations", loads.table.iterations()},
      {"repeats", loads.repeats},
      {"imbalance", number(study.imbalance)},
      {"efficiency", study.efficiency},
      {"least_clock_hz", hardware.power.front().clock.value},
      {"most_clock_hz", hardware.power.back().clock.value},
      {"power_origin", hardware.origin},
      {"schemes", ordered_json::array()},
      {"notes", loads.table.notes}};
  for (const balance::BalanceRow& row : study.rows)
    document["schemes"].push_back({{"scheme", row.key},
                                   {"time_s", row.outcome.time.value * loads.repeats},
                                   {"slowdown", row.slowdown},
                                   {"energy_j", row.outcome.energy.value * loads.repeats},
                                   {"saved", row.saved},
                                   {"clock_changes", row.outcome.clock_changes},
                                   {"moved_ranks", row.outcome.moved_ranks},
                                   {"moved_objects", row.outcome.moved_objects},
                                   {"settled_at", row.outcome.settled_at},
                                   {"state", text_of(row.outcome.rest)}});
  return document.dump(1) + "\n";
}

void run(const Options& options) {
  const balance::BalanceHardware hardware =
      balance::balance_hardware(machine_named(options.machine));
  const Case loads = read_case(options.loads);
  balancing::BalanceSettings settings;
  settings.slowdown = share_from("--slowdown", options.slowdown);
  const balance::BalanceStudy study =
      balance::study_balancing(loads.table, hardware, loads.besides, settings);
  render::put_out(options.json ? as_json(loads, hardware, study) : as_text(loads, hardware, study));
}

}  // namespace

void add_balance_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "balance",
      "Say what it would save if the clocks of ranks that wait were lower, and if work were "
      "distributed better");
  command
      ->add_option(
          "LOADS", options->loads,
          "a profile, or a table: columns iteration, rank, load (and perhaps object), or a "
          "line of seconds for each iteration")
      ->required();
  command
      ->add_option("-m,--machine", options->machine,
                   "a machine document, or the name of one that comes with Huddle: its clocks and "
                   "what cores draw at each")
      ->value("MACHINE")
      ->required();
  command->add_option("--slowdown", options->slowdown, "what lower clocks may cost, of all time")
      ->value("SHARE");
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("huddle balance profile.json --machine mycluster.json");
  command->add_example("huddle balance loads.csv --machine xeon-x5560 --json");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
