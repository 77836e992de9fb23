#include "aggregator/operations/doctor/site_examination.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "aggregator/operations/doctor/plugstack.hpp"
#include "aggregator/operations/doctor/profile_directory_check.hpp"
#include "aggregator/operations/doctor/site_checks.hpp"
#include "aggregator/operations/doctor/site_file_checks.hpp"
#include "aggregator/operations/doctor/slurm_settings.hpp"
#include "aggregator/operations/launch/launcher.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::doctor {
namespace {

constexpr const char* kOptionOff = "--energy-aggregate=off";
// For nodes to be free, and for their answers.
constexpr Seconds kPatienceWithNodes{60};

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

// Answers of Slurm that can be had from where this process runs.
struct SlurmHere {
  /// True if Slurm's commands are installed.
  bool installed = false;
  /// Empty if slurmctld does not answer.
  SlurmSettings settings;
  /// Text that Slurm's command printed instead.
  std::string complaint;
  /// True if srun knows --energy-aggregate.
  bool has_option = false;
  /// Text that srun and sbatch printed when the plugin in them was asked what Slurm lacks.
  std::string said;

  [[nodiscard]] bool answers() const { return !settings.empty(); }
};

// Returns the text that a command prints on both its outputs; empty if it can't be started. One
// that takes too long is ended: Slurm's commands try for a minute to reach a slurmctld that is not
// there.
std::string answer_of(const std::string& command, const std::string& argument,
                      const std::string& more = {}) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  constexpr int kNotThere = 127;  // of env
  std::vector<std::string> words = {"/usr/bin/env", command, argument};
  if (!more.empty()) words.push_back(more);
  const processes::ChildResult result = processes::run_child(words, kPatience, {}, kMostBytes);
  if (result.timed_out) return fmt::format("no answer within {} s", kPatience.count());
  return result.status == kNotThere ? std::string() : result.output + result.errors;
}

SlurmHere ask_slurm() {
  SlurmHere here;
  const std::string config = answer_of("scontrol", "show", "config");
  here.installed = !config.empty();
  here.settings = SlurmSettings(config);
  if (here.settings.get("SLURM_VERSION").empty()) {
    here.complaint = config.substr(0, config.find('\n'));
    here.settings = {};
    return here;
  }
  const std::string question = fmt::format("{}={}", kSelfReportVariable, kWhichPlugin);
  here.said = answer_of(question, "srun", "--help");  // env takes it for a variable
  here.has_option = here.said.find("--energy-aggregate") != std::string::npos;
  here.said += answer_of(question, "sbatch", "--help");
  return here;
}

Finding option_finding(const SlurmHere& slurm) {
  if (slurm.has_option) return ok("option", "srun knows --energy-aggregate");
  return wrong("option", "srun does not know --energy-aggregate here: the plugin is not loaded",
               "see \"plugin\"");
}

Finding slurm_finding(const SlurmHere& slurm) {
  if (!slurm.installed)
    return ok("slurm",
              "there is no Slurm here: huddle record, show, import, machine, train, recommend, map "
              "and emit work; --energy-aggregate needs Slurm");
  if (!slurm.answers())
    return wrong("slurm", fmt::format("Slurm does not answer: {}", slurm.complaint),
                 "start slurmctld, or see SLURM_CONF and munge");
  return ok("slurm", fmt::format("Slurm {}", slurm.settings.get("SLURM_VERSION")));
}

// The policy that the plugin reads, as this machine's plugstack.conf has it.
void find_policy(NodeQuestion& question) {
  if (question.policy_named || !question.plugin_places) return;
  const std::string named = policy_in(question.plugin_places->plugstack);
  if (named.empty()) return;
  question.policy_file = named;
  question.policy_named = true;
}

/// A file that is gone with the object.
class ScratchFile {
 public:
  ScratchFile() {
    path_ = (std::filesystem::temp_directory_path() / "huddle-doctor-XXXXXX").string();
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) throw SystemError("create", path_, errno);
    ::close(descriptor);
  }
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Asks each node of this allocation by one srun.
std::vector<Finding> examine_allocation(const SiteQuestion& question, bool has_option,
                                        const NodeReport& here) {
  constexpr std::uint64_t kMostAnswers = std::uint64_t{256} << 20U;
  const std::vector<std::string> nodes = operations::allocated_hosts();
  const auto policy = check_policy({question.here.policy_file, question.here.policy_named}).policy;
  std::optional<Probe> probe;
  if (policy) probe.emplace(*policy);
  const ScratchFile output;
  const std::string count = fmt::format("{}", nodes.size());
  operations::RunRequest request;
  request.command = {"srun",
                     "--overlap",
                     "--nodes=" + count,
                     "--ntasks=" + count,
                     "--ntasks-per-node=1",
                     "--cpus-per-task=1",
                     "--mpi=none",
                     "--cpu-bind=none",
                     "--kill-on-bad-exit=0"};
  if (has_option) request.command.emplace_back(kOptionOff);
  for (std::string& word :
       question.command_on_node(question.here, probe ? probe->name() : std::string()))
    request.command.push_back(std::move(word));
  request.variables = {{kSelfReportVariable, kWhichPlugin}};
  request.output = output.path();
  request.patience = kPatienceWithNodes;
  const double asked_s = now_s();
  operations::run_to_end(request);
  const double answered_s = now_s();
  const std::string said = files::read_file(output.path(), kMostAnswers);
  const std::vector<NodeReport> reports = collect_reports(said);
  std::vector<Finding> findings = check_answers(nodes, reports, said);
  append(findings, findings_of(reports));
  append(findings, check_alike(here.facts, reports));
  append(findings, check_clocks(reports, asked_s, answered_s));
  return findings;
}

[[noreturn]] void become_allocation(const SiteQuestion& question, bool has_option) {
  std::vector<std::string> words = {"salloc",
                                    "--quiet",
                                    fmt::format("--nodes={}", question.nodes),
                                    fmt::format("--immediate={}", kPatienceWithNodes.value),
                                    "--time=5",
                                    "--job-name=huddle-doctor"};
  if (has_option) words.emplace_back(kOptionOff);
  words.insert(words.end(), question.command_inside.begin(), question.command_inside.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw SystemError("start", "salloc", errno);
}

}  // namespace

std::vector<Finding> examine_site(SiteQuestion question) {
  const SlurmHere slurm = ask_slurm();
  const char* const job = std::getenv("SLURM_JOB_ID");  // NOLINT(concurrency-mt-unsafe)
  const bool in_job = job != nullptr && *job != '\0';
  if (!in_job && question.nodes > 0 && slurm.answers())
    become_allocation(question, slurm.has_option);
  std::vector<Finding> findings = {slurm_finding(slurm)};
  if (slurm.answers()) {
    question.here.plugin_places =
        PluginPlaces{slurm.settings.get("PlugStackConfig"), slurm.settings.get("PluginDir"),
                     slurm.settings.get("SLURM_VERSION")};
    append(findings, check_slurm(slurm.settings));
    findings.push_back(option_finding(slurm));
    if (slurm.has_option) findings.push_back(check_symbols(slurm.said));
  }
  find_policy(question.here);
  const auto policy = check_policy({question.here.policy_file, question.here.policy_named}).policy;
  if (policy) append(findings, check_privacy(slurm.settings, *policy));
  const NodeReport report = examine_node(question.here);
  append(findings, report.findings);
  if (slurm.answers() && in_job)
    append(findings, examine_allocation(question, slurm.has_option, report));
  else if (slurm.answers())
    findings.push_back(warning("nodes", "no node was examined",
                               "add --nodes N, or run this inside an allocation"));
  return merged(findings);
}

}  // namespace huddle::doctor
