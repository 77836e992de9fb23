// huddle doctor: what is wrong on a site, and what to do about it.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/operations/doctor/site_examination.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/vocabulary/environment.hpp"

namespace huddle::cli {
namespace {

constexpr const char* kDefaultPolicyFile = "/etc/slurm/huddle.toml";

struct Options {
  std::uint32_t nodes = 0;
  std::string policy;
  bool json = false;
  bool node = false;
  // Options by which the command asks itself on other nodes.
  bool policy_optional = false;
  std::string probe;
  std::string plugstack;
  std::string plugin_directories;
  std::string slurm_version;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value != nullptr ? value : "";
}

std::string name_of_this_machine() {
  if (const std::string name = variable("SLURMD_NODENAME"); !name.empty()) return name;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

doctor::NodeQuestion question_here(const Options& options) {
  doctor::NodeQuestion question;
  question.node = name_of_this_machine();
  question.policy_named = !options.policy.empty() && !options.policy_optional;
  question.policy_file = options.policy.empty() ? kDefaultPolicyFile : options.policy;
  return question;
}

void print(const std::vector<doctor::Finding>& findings, bool json) {
  render::put_out(json ? to_json(findings) : to_text(findings));
  if (anything_wrong(findings)) cli::end_with(1);
}

// On a node: as a task of the site's own question, or by hand.
void examine_this_node(const Options& options) {
  doctor::NodeQuestion question = question_here(options);
  question.runs_jobs = true;
  const std::string report_of_plugin = variable(kSelfReportVariable);
  question.in_task = !report_of_plugin.empty();
  question.probe = options.probe;
  if (!options.slurm_version.empty())
    question.plugin_places =
        doctor::PluginPlaces{options.plugstack, options.plugin_directories, options.slurm_version};
  if (question.in_task && report_of_plugin != kWhichPlugin)
    question.plugin = doctor::parse_self_report(report_of_plugin);
  const doctor::NodeReport report = examine_node(question);
  if (question.in_task) return render::put_out(in_pieces(report));
  print(report.findings, options.json);
}

// The options of add_options_for_nodes().
std::vector<std::string> command_on_node(const doctor::NodeQuestion& here,
                                         const std::string& probe) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "doctor",
                                      "--node",
                                      "--policy=" + here.policy_file.string(),
                                      "--plugstack=" + here.plugin_places->plugstack.string(),
                                      "--plugin-directories=" + here.plugin_places->directories,
                                      "--slurm-version=" + here.plugin_places->slurm_version};
  if (!here.policy_named) command.emplace_back("--policy-optional");
  if (!probe.empty()) command.push_back("--probe=" + probe);
  return command;
}

std::vector<std::string> command_inside(const Options& options) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "doctor"};
  if (options.json) command.emplace_back("--json");
  if (!options.policy.empty()) command.push_back("--policy=" + options.policy);
  return command;
}

void examine_the_site(const Options& options) {
  const doctor::SiteQuestion question{options.nodes, question_here(options),
                                      command_inside(options), command_on_node};
  print(examine_site(question), options.json);
}

void add_options_for_nodes(cli::App& command, Options& options) {
  command.add_flag("--node", options.node)->hide();
  command.add_flag("--policy-optional", options.policy_optional)->hide();
  command.add_option("--probe", options.probe)->hide();
  command.add_option("--plugstack", options.plugstack)->hide();
  command.add_option("--plugin-directories", options.plugin_directories)->hide();
  command.add_option("--slurm-version", options.slurm_version)->hide();
}

}  // namespace

void add_doctor_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "doctor",
      "Say what is wrong on this site and what to do about it: Slurm's settings, the plugin, the "
      "recorders, the policy, the profile directory, counters, frequencies, meters and clocks, "
      "here "
      "and on the nodes of an allocation. Changes nothing. Status 1 if something is wrong");
  command
      ->add_option("--nodes", options->nodes,
                   "examine so many nodes, in a short allocation (default: those of the "
                   "allocation that this runs in; without one, this machine only)")
      ->check(cli::Range(1U, 1U << 20U));
  command
      ->add_option("--policy", options->policy,
                   "the site's policy (default: what plugstack.conf says, else "
                   "/etc/slurm/huddle.toml)")
      ->value("FILE");
  command->add_flag("--json", options->json, "print the findings as JSON");
  add_options_for_nodes(*command, *options);
  command->add_example("huddle doctor --nodes 8", "all nodes of a site of 8");
  command->add_example("salloc --partition=gpu --nodes=4 huddle doctor", "some of a partition's");
  command->callback([options] {
    if (options->node)
      examine_this_node(*options);
    else
      examine_the_site(*options);
  });
}

}  // namespace huddle::cli
