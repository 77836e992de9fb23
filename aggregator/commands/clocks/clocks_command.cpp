// huddle clocks: which clocks of this node Huddle limits, and putting them back.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/files/installation.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string action;
  std::string policy;
  std::string sysfs;
  bool all = false;
  bool json = false;
};

// The plugin's program knows journals and cpufreq; this floor does not.
std::string ask_program(const Options& options) {
  constexpr std::chrono::seconds kPatience{30};
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  const std::string program = files::installation().modules / "huddle_clocks";
  std::vector<std::string> command = {program, options.action};
  if (options.all) command.emplace_back("--all");
  if (!options.policy.empty()) command.insert(command.end(), {"--policy", options.policy});
  if (!options.sysfs.empty()) command.insert(command.end(), {"--sysfs", options.sysfs});
  processes::ChildResult result = processes::run_child(command, kPatience, {}, kMostBytes);
  if (result.timed_out)
    throw Error(fmt::format("{} has not answered within {} s", program, kPatience.count()));
  if (!result.errors.empty()) fmt::print(stderr, "{}", result.errors);
  if (result.status != 0)
    throw Error(fmt::format("{} failed with status {}", program, result.status));
  return std::move(result.output);
}

// "1.2-2.4 GHz"; "-" for null.
std::string range_of(const Json& khz) {
  if (!khz.is_array()) return "-";
  const double least = khz.at(0).get<double>() / 1e6;
  const double most = khz.at(1).get<double>() / 1e6;
  return least == most ? fmt::format("{:.4g} GHz", most)
                       : fmt::format("{:.4g}-{:.4g} GHz", least, most);
}

std::string words_of(const Json& list) {
  const auto words = list.get<std::vector<std::string>>();
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, ", "));
}

std::string text_of_show(const Json& document) {
  using Align = render::Table::Align;
  render::Table table({{"clock"},
                       {"PUs", Align::kLeft},
                       {"hardware", Align::kLeft},
                       {"limits", Align::kLeft},
                       {"before Huddle", Align::kLeft},
                       {"for steps", Align::kLeft}});
  for (const Json& clock : document.at("clocks"))
    table.add({std::to_string(clock.at("policy").get<std::uint32_t>()),
               clock.at("pus").get<std::string>(), range_of(clock.at("hardware_khz")),
               range_of(clock.at("limits_khz")), range_of(clock.at("before_huddle_khz")),
               words_of(clock.at("steps"))});
  std::string text = table.text();
  if (document.at("clocks").empty()) text = "Linux shows no cpufreq on this node\n";
  const auto add = [&](const std::string& line) { text += line + "\n"; };
  if (!document.at("journal_readable").get<bool>())
    add(fmt::format("the journal in {} can be read by root only: what Huddle limits is not shown",
                    document.at("journal").get<std::string>()));
  for (const Json& watcher : document.at("watchers"))
    add(fmt::format("process {} watches over step {}", watcher.at("pid").get<std::uint32_t>(),
                    watcher.at("step").get<std::string>()));
  // One of another version writes none.
  for (const Json& keeper : document.value("keepers", Json::array()))
    for (const Json& clock : keeper.at("clocks"))
      add(fmt::format(
          "process {} moves the clocks of PUs {} within {}, as the ranks of step {} ask",
          keeper.at("pid").get<std::uint32_t>(), clock.at("pus").get<std::string>(),
          range_of(clock.at("limits_khz")), keeper.at("step").get<std::string>()));
  if (document.at("journal_readable").get<bool>() && !document.at("slurmd_has_plugin").get<bool>())
    add("no slurmd with the plugin runs here: no step is limited");
  if (const auto why = document.at("switched_off").get<std::string>(); !why.empty()) add(why);
  return text;
}

// Why a clock is as it is afterwards.
std::string outcome_of(const Json& clock) {
  const bool widest = clock.at("after_khz") == clock.at("hardware_khz");
  if (clock.at("before_khz") != clock.at("after_khz")) return "put back";
  if (clock.at("by_huddle").get<bool>()) return "not put back";
  return widest ? "as it was" : "left: not limited by Huddle";
}

std::string text_of_restore(const Json& document) {
  using Align = render::Table::Align;
  render::Table table({{"clock"},
                       {"PUs", Align::kLeft},
                       {"hardware", Align::kLeft},
                       {"before", Align::kLeft},
                       {"now", Align::kLeft},
                       {"", Align::kLeft}});
  for (const Json& clock : document.at("clocks"))
    table.add({std::to_string(clock.at("policy").get<std::uint32_t>()),
               clock.at("pus").get<std::string>(), range_of(clock.at("hardware_khz")),
               range_of(clock.at("before_khz")), range_of(clock.at("after_khz")),
               outcome_of(clock)});
  std::string text =
      document.at("clocks").empty() ? "no clock of this node is limited\n" : table.text();
  if (const auto ended = document.at("watchers_ended").get<std::uint32_t>(); ended > 0)
    text += fmt::format("{} watcher(s) of steps ended; these steps run on without limits\n", ended);
  return text;
}

void run(const Options& options) {
  if (options.all && options.action != "restore")
    throw UsageError("--all is for huddle clocks restore");
  const std::string answer = ask_program(options);
  const Json document = Json::parse(answer);
  if (options.json)
    render::put_out(answer);
  else
    render::put_out(options.action == "show" ? text_of_show(document) : text_of_restore(document));
  if (options.action == "show") return;
  for (const std::string& line : document.at("messages").get<std::vector<std::string>>())
    fmt::print(stderr, "huddle: {}\n", line);
  if (!document.at("messages").empty()) cli::end_with(1);
}

}  // namespace

void add_clocks_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "clocks",
      "Show which clocks of this node Huddle limits, or put them back:\n  show     each clock, its "
      "limits, and the steps that it is limited for\n  restore  ends the watchers of steps and "
      "puts "
      "back every clock that Huddle limited, as before an upgrade; root only");
  command->add_option("ACTION", options->action, "show or restore")
      ->required()
      ->check(cli::IsMember({"show", "restore"}));
  command->add_flag("--all", options->all,
                    "restore: every clock that has limits gets the hardware's own, whoever set "
                    "them");
  command
      ->add_option("--policy", options->policy,
                   "the site's policy, which says where the journal is (default: "
                   "/etc/slurm/huddle.toml)")
      ->value("FILE");
  command->add_option("--sysfs", options->sysfs)->hide();
  command->add_flag("--json", options->json, "print the answer as JSON");
  command->add_example("huddle clocks show");
  command->add_example("clush -a huddle clocks restore", "on all nodes");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
