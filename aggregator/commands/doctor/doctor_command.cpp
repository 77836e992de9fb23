// huddle doctor: what is wrong on a site, and what to do about it.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/doctor/doctor_slurm.hpp"
#include "aggregator/operations/launch/launcher.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/operations/launch/watched_child.hpp"
#include "aggregator/operations/doctor/node_examination.hpp"
#include "aggregator/operations/doctor/plugstack.hpp"
#include "aggregator/operations/doctor/profile_directory_check.hpp"
#include "aggregator/operations/doctor/site_checks.hpp"
#include "aggregator/operations/doctor/site_file_checks.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/plugin_mark.hpp"

namespace huddle {
namespace {

using doctor::Finding;
using doctor::Verdict;

constexpr const char* kDefaultPolicyFile = "/etc/slurm/huddle.toml";

struct Options {
  std::uint32_t nodes = 0;
  std::string partition;
  std::string policy;
  double patience_s = 60;
  bool json = false;
  bool node = false;
  // How the command asks itself on other nodes.
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
  question.output_of = [](const std::vector<std::string>& command) {
    return output_of(command, std::size_t{4} << 20U);
  };
  question.policy_named = !options.policy.empty() && !options.policy_optional;
  question.policy_file = options.policy.empty() ? kDefaultPolicyFile : options.policy;
  return question;
}

// On a node: as a task of the site's own question, or by hand.
void examine_this_node(const Options& options) {
  doctor::NodeQuestion question = question_here(options);
  question.runs_jobs = true;
  question.in_task = !variable(kDoctorVariable).empty();
  question.probe = options.probe;
  if (!options.slurm_version.empty())
    question.plugin_places =
        doctor::PluginPlaces{options.plugstack, options.plugin_directories, options.slurm_version};
  if (const std::string told = variable(kSelfReportVariable); !told.empty())
    question.plugin = doctor::parse_self_report(told);
  const doctor::NodeReport report = examine_node(question);
  if (question.in_task) return put_out(in_pieces(report));
  put_out(options.json ? to_json(report.findings) : to_text(report.findings));
  if (anything_wrong(report.findings)) throw CLI::RuntimeError(1);
}

Finding option_finding(const SlurmHere& slurm) {
  if (slurm.has_option) return {"option", Verdict::kOk, "srun knows --energy-aggregate", "", {}};
  return {"option",
          Verdict::kWrong,
          "srun does not know --energy-aggregate here: the plugin is not loaded",
          "see \"plugin\"",
          {}};
}

Finding slurm_finding(const SlurmHere& slurm) {
  if (!slurm.installed)
    return {"slurm",
            Verdict::kOk,
            "there is no Slurm here: huddle record, show, import, machine, train, recommend, map "
            "and emit work; --energy-aggregate needs Slurm",
            "",
            {}};
  if (slurm.settings.empty())
    return {"slurm",
            Verdict::kWrong,
            fmt::format("Slurm does not answer: {}", slurm.complaint),
            "start slurmctld, or see SLURM_CONF and munge",
            {}};
  return {
      "slurm", Verdict::kOk, fmt::format("Slurm {}", slurm.settings.get("SLURM_VERSION")), "", {}};
}

// The policy that the plugin reads, as this machine's plugstack.conf has it.
void find_policy(doctor::NodeQuestion& question, const SlurmHere& slurm) {
  if (question.policy_named || slurm.settings.empty()) return;
  try {
    const auto line = find_huddle(doctor::read_plugstack(slurm.plugin_places().plugstack));
    const std::string named = line ? policy_argument(*line) : std::string();
    if (named.empty()) return;
    question.policy_file = named;
    question.policy_named = true;
  } catch (const Error&) {  // the check of the plugin tells
  }
}

std::vector<std::string> arguments_for_nodes(const doctor::NodeQuestion& here,
                                             const std::string& probe) {
  std::vector<std::string> arguments = {"--policy=" + here.policy_file.string(),
                                        "--plugstack=" + here.plugin_places->plugstack.string(),
                                        "--plugin-directories=" + here.plugin_places->directories,
                                        "--slurm-version=" + here.plugin_places->slurm_version};
  if (!here.policy_named) arguments.emplace_back("--policy-optional");
  if (!probe.empty()) arguments.push_back("--probe=" + probe);
  return arguments;
}

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

std::vector<Finding> examine_allocation(const Options& options, const SlurmHere& slurm,
                                        const doctor::NodeQuestion& here,
                                        const doctor::NodeReport& report) {
  NodesQuestion question;
  question.nodes = allocated_hosts();
  question.has_option = slurm.has_option;
  question.patience_s = options.patience_s;
  const auto policy = doctor::check_policy({here.policy_file, here.policy_named}).policy;
  std::optional<doctor::Probe> probe;
  if (policy) probe.emplace(*policy);
  question.arguments = arguments_for_nodes(here, probe ? probe->name() : std::string());
  const NodesAnswer answer = ask_nodes(question);
  std::vector<Finding> findings = check_answers(question.nodes, answer.reports, answer.said);
  append(findings, findings_of(answer.reports));
  append(findings, check_alike(report.facts, answer.reports));
  append(findings, check_clocks(answer.reports, answer.asked_s, answer.answered_s));
  return findings;
}

std::vector<std::string> this_command_inside(const Options& options) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "doctor", fmt::format("--patience={}", options.patience_s)};
  if (options.json) command.emplace_back("--json");
  if (!options.policy.empty()) command.push_back("--policy=" + options.policy);
  return command;
}

void examine_site(const Options& options) {
  const SlurmHere slurm = ask_slurm();
  const bool in_job = !variable("SLURM_JOB_ID").empty();
  if (!in_job && options.nodes > 0 && !slurm.settings.empty())
    become_allocation(options.nodes, options.partition, slurm.has_option, options.patience_s,
                      this_command_inside(options));
  doctor::NodeQuestion here = question_here(options);
  std::vector<Finding> findings = {slurm_finding(slurm)};
  if (!slurm.settings.empty()) {
    here.plugin_places = slurm.plugin_places();
    append(findings, check_slurm(slurm.settings));
    findings.push_back(option_finding(slurm));
  }
  find_policy(here, slurm);
  const doctor::NodeReport report = examine_node(here);
  append(findings, report.findings);
  if (!slurm.settings.empty() && in_job)
    append(findings, examine_allocation(options, slurm, here, report));
  else if (!slurm.settings.empty())
    findings.push_back({"nodes",
                        Verdict::kWarning,
                        "no node was examined",
                        "add --nodes N, or run this inside an allocation",
                        {}});
  findings = merged(findings);
  put_out(options.json ? to_json(findings) : to_text(findings));
  if (anything_wrong(findings)) throw CLI::RuntimeError(1);
}

void add_options_for_nodes(CLI::App& command, Options& options) {
  const std::string hidden;
  command.add_flag("--policy-optional", options.policy_optional)->group(hidden);
  command.add_option("--probe", options.probe)->group(hidden);
  command.add_option("--plugstack", options.plugstack)->group(hidden);
  command.add_option("--plugin-directories", options.plugin_directories)->group(hidden);
  command.add_option("--slurm-version", options.slurm_version)->group(hidden);
}

}  // namespace

void add_doctor_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Say what is wrong on this site and what to do about it: Slurm's settings, the plugin, the "
      "recorders, the policy, the profile directory, counters, frequencies, meters and clocks, "
      "here "
      "and on the nodes of an allocation. Changes nothing. Status 1 if something is wrong");
  CLI::Option* nodes =
      command
          ->add_option("--nodes", options->nodes,
                       "examine so many nodes, in a short allocation (default: those of the "
                       "allocation that this runs in; without one, this machine only)")
          ->check(CLI::Range(1U, 1U << 20U));
  command->add_option("--partition", options->partition, "where to take them from")->needs(nodes);
  command->add_option("--policy", options->policy,
                      "the site's policy (default: what plugstack.conf says, else "
                      "/etc/slurm/huddle.toml)");
  command
      ->add_option("--patience", options->patience_s,
                   "how long to wait for nodes to be free, and for their answers, in s")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  command->add_flag("--node", options->node,
                    "examine this machine only, as a node that jobs run on");
  command->add_flag("--json", options->json, "print the findings as JSON");
  add_options_for_nodes(*command, *options);
  command->callback([options] {
    if (options->node)
      examine_this_node(*options);
    else
      examine_site(*options);
  });
}

}  // namespace huddle
