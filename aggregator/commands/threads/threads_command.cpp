// huddle threads: on how many cores the teams of a program's OpenMP regions would run, and why.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/file_kind.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/show/place_names.hpp"
#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/commands/threads/sizes_consents.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "aggregator/teams/position_parts.hpp"
#include "aggregator/teams/profile_teams.hpp"
#include "aggregator/teams/team_study.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

constexpr std::size_t kMostRows = 20;

struct Options {
  std::string profile;
  std::string machine;
  std::vector<std::string> what_if;
  std::string strategy = "improved";
  std::string objective = "energy";
  std::string slowdown = "5%";
  bool measured = false;
  std::string plan;
  bool json = false;
  ConsentOptions consents;
};

hybrid::TeamStrategyOptions strategy_of(const Options& options) {
  hybrid::TeamStrategyOptions strategy;
  if (options.strategy == "static") strategy.strategy = hybrid::TeamStrategy::kStatic;
  if (options.strategy == "one-phase") strategy.strategy = hybrid::TeamStrategy::kOnePhase;
  if (options.objective == "time-clock") strategy.objective = hybrid::TeamObjective::kTimesClock;
  strategy.slowdown_bound = share_from("--slowdown", options.slowdown);
  return strategy;
}

teams::TeamStudy study(const Options& options, const hybrid::TeamProgram& program) {
  const hybrid::TeamStrategyOptions strategy = strategy_of(options);
  if (options.what_if.empty()) return teams::study_teams(program, strategy, options.measured);
  std::vector<teams::TeamWhatIf> what_if;
  for (const std::string& text : options.what_if) {
    what_if.push_back(teams::parse_team_what_if(text, "--what-if"));
    if (what_if.back().clock.value > 0 && !options.plan.empty())
      throw UsageError(fmt::format(
          "--what-if {}: a clock of a single region can only be predicted, not carried out; leave "
          "it out with --plan",
          shortened(text)));
  }
  return teams::study_what_if(program, what_if, strategy.slowdown_bound);
}

// A choice or the sum of all, by how much it changes: a change is never shown as none.
std::string change(double before, double after) {
  if (!(before > 0)) return "";
  const double percent = 100 * (after / before - 1);
  const bool is_small = std::abs(percent) < 0.05 && std::abs(percent) > 1e-7;
  return is_small ? fmt::format("{:+.1g}", percent) : fmt::format("{:+.1f}", percent);
}

std::string cores_text(const hybrid::TeamConfiguration& configuration) {
  return configuration.packages == 1
             ? fmt::format("{}", configuration.cores)
             : fmt::format("{} of {} pkg", configuration.cores, configuration.packages);
}

std::string threads_text(const hybrid::TeamRow& row) {
  return row.after.threads == row.before.threads
             ? fmt::format("{}", row.before.threads)
             : fmt::format("{}, then {}", row.before.threads, row.after.threads);
}

// Few passes show little.
std::string origin_text(const hybrid::TeamRow& row) {
  if (!row.measured) return "predicted";
  return row.tried > 0 ? fmt::format("measured in {:.0f}", row.tried) : "measured";
}

std::string table_of(const teams::TeamStudy& study) {
  std::vector<std::size_t> order(study.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return study.rows[a].energy_before > study.rows[b].energy_before;
  });
  using enum render::Table::Align;
  render::Table table({{"OpenMP region", kLeft},
                       {"rank"},
                       {"passes"},
                       {"threads"},
                       {"cores"},
                       {"chosen"},
                       {"ms a pass"},
                       {"chosen"},
                       {"at most"},
                       {"", kLeft},
                       {"energy %"}});
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
    const hybrid::TeamRow& row = study.rows[order[i]];
    table.add({row.name + teams::text_of(row.where), fmt::format("{}", row.rank),
               fmt::format("{:.0f}", row.passes), threads_text(row), cores_text(row.before),
               cores_text(row.after), fmt::format("{:.4g}", row.pass_before.value * 1e3),
               fmt::format("{:.4g}", row.pass_after.value * 1e3),
               fmt::format("{:.4g}", row.pass_most.value * 1e3), origin_text(row),
               change(row.energy_before.value, row.energy_after.value)});
  }
  std::string text = table.text();
  if (order.size() > kMostRows)
    text += fmt::format("... and {} more of less energy, see --json\n", order.size() - kMostRows);
  return text;
}

// Clocks of groups of phases, those that last longest first.
std::string clocks_text(const teams::GroupClocks& clocks) {
  if (clocks.reason.empty()) return {};  // not chosen: the user said what is wanted
  if (clocks.rows.empty()) return "Clocks stay: " + clocks.reason + ".\n";
  std::vector<const hybrid::TeamRow*> rows;
  for (const hybrid::TeamRow& row : clocks.rows) rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const hybrid::TeamRow* a, const hybrid::TeamRow* b) {
    return a->passes * a->pass_before.value > b->passes * b->pass_before.value;
  });
  using enum render::Table::Align;
  render::Table table(
      {{"phases", kLeft}, {"rank"}, {"passes"}, {"GHz"}, {"chosen"}, {"ms a pass"}, {"at most"}});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
    table.add({rows[i]->name, fmt::format("{}", rows[i]->rank),
               fmt::format("{:.0f}", rows[i]->passes),
               fmt::format("{:.2f}", rows[i]->before.clock.value / 1e9),
               fmt::format("{:.2f}", rows[i]->after.clock.value / 1e9),
               fmt::format("{:.4g}", rows[i]->pass_before.value * 1e3),
               fmt::format("{:.4g}", rows[i]->pass_most.value * 1e3)});
  std::string text = "\n" + table.text();
  if (rows.size() > kMostRows)
    text += fmt::format("... and {} more that are shorter, see --json\n", rows.size() - kMostRows);
  return text + "Clocks: " + clocks.reason + ".\n";
}

std::string as_text(const Machine& machine, const hybrid::TeamProgram& program,
                    const teams::TeamStudy& study, const ProfileSizes& sizes) {
  const hybrid::TeamPrediction& before = study.plan.before;
  const hybrid::TeamPrediction& after = study.plan.after;
  std::string text = fmt::format(
      "{}, {} of phases. Beside what ran, {} of regions were measured on fewer cores, and {} are "
      "predicted.\nPower of {}: {}.\n\n",
      pluralize(program.ranks.size(), "rank"), pluralize(program.groups.size(), "group"),
      pluralize(study.measured_options, "configuration"), study.predicted_options,
      printable(machine.name), printable(teams::power_origin_of(machine)));
  text += table_of(study);
  text += fmt::format(
      "\nThe whole run, predicted: {:.4g} s as it ran, {:.4g} s so ({} %, at most {} %); {:.4g} J, "
      "{:.4g} J so ({} %).\n",
      before.time.value, after.time.value, change(before.time.value, after.time.value),
      change(before.time.value, after.time_at_most.value), before.energy.value, after.energy.value,
      change(before.energy.value, after.energy.value));
  text += "Why: " + study.plan.reason + "\n";
  text += sizes_sentence(sizes, study.smaller_options);
  text += clocks_text(study.clocks);
  if (!study.plan.within_bound) text += "The slowdown bound does not hold.\n";
  for (const std::string& note : program.notes) text += "Note: " + note + ".\n";
  return text;
}

nlohmann::ordered_json configuration_json(const hybrid::TeamConfiguration& configuration,
                                          Seconds pass, Joules energy, bool clocks_known) {
  const nlohmann::ordered_json clock =
      clocks_known ? nlohmann::ordered_json(configuration.clock.value) : nlohmann::ordered_json();
  return {{"threads", configuration.threads},
          {"cores", configuration.cores},
          {"packages", configuration.packages},
          {"hz", clock},
          {"pass_s", pass.value},
          {"energy_j", energy.value}};
}

nlohmann::ordered_json clocks_json(const teams::GroupClocks& clocks) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const hybrid::TeamRow& row : clocks.rows)
    groups.push_back({{"rank", row.rank},
                      {"group", row.group},
                      {"passes", row.passes},
                      {"before_hz", row.before.clock.value},
                      {"chosen_hz", row.after.clock.value},
                      {"pass_before_s", row.pass_before.value},
                      {"pass_at_most_s", row.pass_most.value},
                      {"reason", row.reason}});
  return {{"reason", clocks.reason},
          {"longer_at_most_s", clocks.longer_at_most.value},
          {"saved_j", clocks.saved.value},
          {"groups", std::move(groups)}};
}

nlohmann::ordered_json sizes_json(const ProfileSizes& sizes) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < sizes.programs.builds.size(); ++i)
    programs.push_back(
        {{"build_id", sizes.programs.builds[i]}, {"state", word_of(sizes.states[i])}});
  return programs;
}

std::string as_json(const Machine& machine, const hybrid::TeamProgram& program,
                    const teams::TeamStudy& study, const ProfileSizes& sizes) {
  using nlohmann::ordered_json;
  const bool clocks_known = teams::knows_clocks(machine);
  const hybrid::TeamPrediction& before = study.plan.before;
  const hybrid::TeamPrediction& after = study.plan.after;
  ordered_json document = {{"format", "huddle/threads"},
                           {"version", 1},
                           {"machine", machine.name},
                           {"power_origin", teams::power_origin_of(machine)},
                           {"ranks", program.ranks.size()},
                           {"changes", study.plan.changes || !study.clocks.rows.empty()},
                           {"within_bound", study.plan.within_bound},
                           {"reason", study.plan.reason},
                           {"time_before_s", before.time.value},
                           {"time_after_s", after.time.value},
                           {"time_at_most_s", after.time_at_most.value},
                           {"energy_before_j", before.energy.value},
                           {"energy_after_j", after.energy.value},
                           {"switches", after.switches},
                           {"measured_configurations", study.measured_options},
                           {"predicted_configurations", study.predicted_options},
                           {"smaller_configurations", study.smaller_options},
                           {"sizes", sizes_json(sizes)},
                           {"teams", text_of(study.chosen)},
                           {"regions", ordered_json::array()},
                           {"notes", program.notes}};
  for (const hybrid::TeamRow& row : study.rows) {
    ordered_json chosen =
        configuration_json(row.after, row.pass_after, row.energy_after, clocks_known);
    chosen["pass_at_most_s"] = row.pass_most.value;
    chosen["measured"] = row.measured;
    chosen["tried_passes"] = row.tried;
    document["regions"].push_back({{"rank", row.rank},
                                   {"group", row.group},
                                   {"region", row.region},
                                   {"place", row.name},
                                   {"passes", row.passes},
                                   {"before", configuration_json(row.before, row.pass_before,
                                                                 row.energy_before, clocks_known)},
                                   {"chosen", chosen},
                                   {"reason", row.reason}});
    if (row.where.length == 0) continue;
    document["regions"].back()["position"] = row.where.position;
    document["regions"].back()["positions"] = row.where.length;
    document["regions"].back()["context"] = row.where.context;
  }
  document["clocks"] = clocks_json(study.clocks);
  return document.dump(1) + "\n";
}

// Functions' names, where the program is there to ask.
void name_regions(hybrid::TeamProgram& program, const Profile& profile) {
  const PlaceNames names(profile);
  for (hybrid::TeamRank& rank : program.ranks)
    for (hybrid::TeamGroupOfRank& group : rank.groups)
      for (hybrid::TeamRegion& region : group.regions)
        region.name = printable(names.named_region(region.name));
}

void add_to_plan(const std::string& file, const throttling::ChosenByRank& chosen,
                 const TeamPrograms& programs) {
  Plan plan = load_plan(file);
  for (const throttling::TeamsOfRanks& part : chosen.teams)
    if (part.ranks.runs().back().last >= plan.ranks)
      throw Error(
          fmt::format("{} is for {}, and rank {} has teams in the profile: expected a plan "
                      "for the same number of ranks",
                      file, pluralize(plan.ranks, "rank"), part.ranks.runs().back().last));
  plan.teams = chosen.teams;
  plan.teams_programs = programs;
  if (!plan.slowdown_bound) plan.slowdown_bound = chosen.bound;
  save_plan(plan, file);
}

void run(const Options& options) {
  if (options.consents.any())
    return render::put_out(change_consents(options.consents, options.json));
  if (options.profile.empty()) throw UsageError("PROFILE is required");
  if (options.machine.empty()) throw UsageError("--machine is required");
  expect_kind(options.profile, {FileKind::kProfile}, "huddle threads reads profiles");
  const Profile profile = load_profile(options.profile);
  const Machine machine = machine_named(options.machine);
  const ProfileSizes sizes = sizes_of_profile(profile, options.consents);
  hybrid::TeamProgram program = teams::teams_of_profile(
      profile, machine, teams::untrained_predictor(machine), sizes.may_shrink);
  name_regions(program, profile);
  const teams::TeamStudy result = study(options, program);
  if (!options.plan.empty()) add_to_plan(options.plan, result.chosen, sizes.programs);
  render::put_out(options.json ? as_json(machine, program, result, sizes)
                               : as_text(machine, program, result, sizes));
}

}  // namespace

void add_threads_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "threads",
      "Say on how many cores the threads of each OpenMP region should run, and what that saves");
  command->add_option("PROFILE", options->profile,
                      "a profile of a hybrid program; best one of a run with --threads pack, which "
                      "tried fewer cores");
  command
      ->add_option(
          "-m,--machine", options->machine,
          "a machine document, or the name of one that comes with Huddle: what busy cores, "
          "dies and packages draw")
      ->value("MACHINE");
  command
      ->add_option("--what-if", options->what_if,
                   "what would become of it if regions with REGION in their name ran on so many "
                   "cores; may be given several times")
      ->value("REGION=CORES[@GHZ]");
  command
      ->add_option("--strategy", options->strategy,
                   "static: each region by itself; one-phase: one configuration for each rank; "
                   "improved (the default): no rank becomes later than the critical one")
      ->value("NAME")
      ->check(cli::IsMember({"static", "one-phase", "improved"}).without_description());
  command
      ->add_option("--objective", options->objective,
                   "what is to be least: energy (the default), or time-clock, the sum of time x "
                   "clock as published")
      ->value("WHAT")
      ->check(cli::IsMember({"energy", "time-clock"}).without_description());
  command->add_option("--slowdown", options->slowdown, "what fewer cores may cost, of all time")
      ->value("SHARE");
  command->add_flag("--measured", options->measured, "choose nothing whose time is only predicted");
  command
      ->add_option("--plan", options->plan,
                   "also write what was chosen into this plan, for jobs with threads=pack")
      ->value("PLAN");
  command
      ->add_option("--consent-sizes", options->consents.consent,
                   "allow teams of this program to have fewer threads, of its own regions that do "
                   "not say how many: the next run with threads=pack tries that. It may crash, "
                   "hang, or compute wrong results without a word: compare what that run computes")
      ->value("PROGRAM");
  command->add_option("--withdraw-sizes", options->consents.withdraw, "take that back")
      ->value("PROGRAM");
  command->add_flag("--consents", options->consents.list,
                    "list the programs for which that is allowed, and what became of it");
  command
      ->add_option("--store", options->consents.store,
                   "root of the stored profiles, where that is noted (default: the site's, by "
                   "/etc/slurm/huddle.toml or the policy that plugstack.conf names; else "
                   "~/.huddle)")
      ->value("DIR");
  command->add_flag("--json", options->json,
                    "print JSON; teams is the line that says it to ranks (HUDDLE_TEAMS)");
  command->add_example("huddle threads profile.json --machine mycluster.json");
  command->add_example("huddle threads profile.json -m mycluster.json --what-if solve=4");
  command->add_example("huddle threads profile.json -m mycluster.json --json | jq -r .teams",
                       "for huddle record --threads pack --teams");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
