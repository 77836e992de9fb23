// huddle balance: what clocks that follow the ranks' loads would save, and what a better
// distribution of work would.

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/balance/balance_study.hpp"
#include "aggregator/balance/balanced_machine.hpp"
#include "aggregator/balance/load_table.hpp"
#include "aggregator/balance/profile_loads.hpp"
#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/file_kind.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/predict/pattern/other_machine.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string loads;
  std::string machine;
  std::string slowdown = "5%";
  std::uint32_t ranks = 0;
  bool json = false;
};

/// The loads that are simulated, and what they stand for.
struct Case {
  balance::LoadTable table;
  Seconds besides;
  double repeats = 1;
};

Case read_case(const Options& options, const Machine& machine) {
  const std::string& file = options.loads;
  expect_kind(file, {FileKind::kProfile, FileKind::kRows, FileKind::kGraph},
              "huddle balance reads profiles, and tables of loads");
  if (kind_of_file(file) != FileKind::kProfile) {
    Case loads{balance::load_load_table(file), {}, 1};
    if (options.ranks > 0) balance::add_idle_ranks(loads.table, options.ranks);
    return loads;
  }
  if (options.ranks > 0) throw UsageError("--ranks: a profile says how many ranks there are");
  const Profile profile = load_profile(file);
  balance::ProfileLoads loads = balance::loads_of_profile(profile);
  if (std::string sign = predict::sign_of_another_machine(profile, machine); !sign.empty())
    loads.table.notes.push_back(std::move(sign));
  return {std::move(loads.table), loads.besides, loads.repeats};
}

bool is_too_short(const Case& loads, const balance::BalanceRow& row) {
  return row.first_acts_after > 0 && loads.table.iterations() <= row.first_acts_after;
}

std::string need_of(const balance::BalanceRow& row) {
  return fmt::format("needs more than {} iterations", row.first_acts_after);
}

std::string hint_of(const balance::BalanceRow& row) {
  const balance::BalanceOutcome& outcome = row.outcome;
  std::string hint;
  const auto say = [&](const std::string& text) { hint += (hint.empty() ? "" : ", ") + text; };
  if (row.as_packages) say("as one for each package");
  if (outcome.rest == balancing::BalanceRest::kBroken ||
      outcome.rest == balancing::BalanceRest::kSelfBalanced ||
      outcome.rest == balancing::BalanceRest::kCost) {
    say("off: " + std::string(text_of(outcome.rest)));
    return hint;
  }
  if (outcome.clock_changes > 0) say(pluralize(outcome.clock_changes, "clock change"));
  if (outcome.moved_ranks > 0) say(pluralize(outcome.moved_ranks, "rank") + " moved");
  if (outcome.moved_objects > 0) say(pluralize(outcome.moved_objects, "object") + " moved");
  return hint;
}

std::vector<std::string> notes_of(const Case& loads, const balance::BalanceStudy& study,
                                  std::uint32_t interval) {
  std::vector<std::string> notes = {"all work is taken to follow the clock"};
  if (study.changes.are_faster_than_looks())
    notes.push_back(fmt::format(
        "loads change faster than they are looked at, every {}: in {:.0f} % of iterations the "
        "longest "
        "load was not foreseen; clocks that followed what was seen would cost {:+.1f} % of time, "
        "so that they mostly stay at the top",
        pluralize(interval, "iteration"), 100 * study.changes.unforeseen,
        100 * study.changes.cost_of_following));
  const std::size_t first = balance::first_balance_point(interval);
  if (loads.table.iterations() <= first)
    notes.push_back(fmt::format(
        "the table is too short: loads are looked at for the first time after {}, and it has {}; "
        "nothing is said of what follows loads",
        pluralize(first, "iteration"), loads.table.iterations()));
  notes.insert(notes.end(), loads.table.notes.begin(), loads.table.notes.end());
  return notes;
}

std::string as_text(const Case& loads, const Machine& machine,
                    const balance::BalanceHardware& hardware, const balance::BalanceStudy& study,
                    const std::vector<std::string>& notes) {
  std::string text = fmt::format(
      "{}, {}. Over all of these, the longest load is {} the shortest; all work is {:.0f} % of "
      "what "
      "the ranks could do while they wait for the longest of each.\nClocks can level out {:.2f} "
      "({:.2f} to {:.2f} GHz). Power of {}: {}.\n\n",
      pluralize(loads.table.processors, "rank"), pluralize(loads.table.iterations(), "iteration"),
      std::isfinite(study.imbalance) ? fmt::format("{:.2f} times", study.imbalance)
                                     : "without measure longer than",
      100 * study.efficiency, hardware.power.back().clock / hardware.power.front().clock,
      hardware.power.front().clock.value / 1e9, hardware.power.back().clock.value / 1e9,
      shortened(machine.name), hardware.origin);
  using enum render::Table::Align;
  render::Table table({{"", kLeft}, {"time s"}, {"slower"}, {"energy J"}, {"saved"}, {"", kLeft}});
  for (const balance::BalanceRow& row : study.rows) {
    if (is_too_short(loads, row)) {
      table.add({row.name, "", "", "", "", need_of(row)});
      continue;
    }
    table.add({row.name, fmt::format("{:.4g}", row.outcome.time.value * loads.repeats),
               fmt::format("{:+.1f} %", 100 * row.slowdown),
               fmt::format("{:.4g}", row.outcome.energy.value * loads.repeats),
               fmt::format("{:.1f} %", 100 * row.saved), hint_of(row)});
  }
  text += table.text();
  for (const std::string& note : notes) text += "Note: " + note + ".\n";
  return text;
}

nlohmann::ordered_json scheme_json(const Case& loads, const balance::BalanceRow& row) {
  using nlohmann::ordered_json;
  const bool is_known = !is_too_short(loads, row);
  const auto if_known = [&](double value) {
    return is_known ? ordered_json(value) : ordered_json();
  };
  return {{"scheme", row.key},
          {"time_s", if_known(row.outcome.time.value * loads.repeats)},
          {"slowdown", if_known(row.slowdown)},
          {"energy_j", if_known(row.outcome.energy.value * loads.repeats)},
          {"saved", if_known(row.saved)},
          {"clock_changes", row.outcome.clock_changes},
          {"moved_ranks", row.outcome.moved_ranks},
          {"moved_objects", row.outcome.moved_objects},
          {"settled_at", row.outcome.settled_at},
          {"as_packages", row.as_packages},
          {"state", is_known ? std::string(text_of(row.outcome.rest)) : need_of(row)}};
}

std::string as_json(const Case& loads, const Machine& machine,
                    const balance::BalanceHardware& hardware, const balance::BalanceStudy& study,
                    const std::vector<std::string>& notes) {
  using nlohmann::ordered_json;
  const auto number = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
  };
  ordered_json document = {
      {"format", "huddle/balance"},
      {"version", 1},
      {"machine", machine.name},
      {"ranks", loads.table.processors},
      {"objects", loads.table.has_objects ? ordered_json(loads.table.objects()) : ordered_json()},
      {"iterations", loads.table.iterations()},
      {"repeats", loads.repeats},
      {"imbalance", number(study.imbalance)},
      {"efficiency", study.efficiency},
      {"unforeseen", study.changes.unforeseen},
      {"cost_of_following", study.changes.cost_of_following},
      {"faster_than_looks", study.changes.are_faster_than_looks()},
      {"least_clock_hz", hardware.power.front().clock.value},
      {"most_clock_hz", hardware.power.back().clock.value},
      {"power_origin", hardware.origin},
      {"schemes", ordered_json::array()},
      {"notes", notes}};
  for (const balance::BalanceRow& row : study.rows)
    document["schemes"].push_back(scheme_json(loads, row));
  return document.dump(1) + "\n";
}

void run(const Options& options) {
  const Machine machine = machine_named(options.machine);
  const balance::BalanceHardware hardware = balance::balance_hardware(machine);
  const Case loads = read_case(options, machine);
  balancing::BalanceSettings settings;
  settings.slowdown = share_from("--slowdown", options.slowdown);
  const balance::BalanceStudy study =
      balance::study_balancing(loads.table, hardware, loads.besides, settings);
  const std::vector<std::string> notes = notes_of(loads, study, settings.interval);
  render::put_out(options.json ? as_json(loads, machine, hardware, study, notes)
                               : as_text(loads, machine, hardware, study, notes));
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
  command
      ->add_option("--ranks", options->ranks,
                   "so many ranks for a table with objects: those that it does not name have none")
      ->value("N");
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("huddle balance profile.json --machine mycluster.json");
  command->add_example("huddle balance loads.csv --machine xeon-x5560 --json");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
