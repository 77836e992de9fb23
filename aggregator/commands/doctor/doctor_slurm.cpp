#include "aggregator/commands/doctor/doctor_slurm.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "profiles/processes/interruption.hpp"
#include "aggregator/operations/launch/recorded_run.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/plugin_mark.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr double kSlurmPatience = 10;
constexpr std::uint64_t kMostAnswers = std::uint64_t{256} << 20U;
constexpr const char* kOptionOff = "--energy-aggregate=off";

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A file that is gone with the object.
class ScratchFile {
 public:
  ScratchFile() {
    path_ = (fs::temp_directory_path() / "huddle-doctor-XXXXXX").string();
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

// What a command says on both its streams; empty if it can't be started. One that takes too long is
// ended: Slurm's commands try for a minute to reach a slurmctld that is not there.
std::string output_within(const std::vector<std::string>& command, double patience_s) {
  const ScratchFile output;
  RunRequest request;
  request.command = command;
  request.output = output.path();
  request.patience = Seconds{patience_s};
  const Interruption interruption;
  try {
    if (run_to_end(request, interruption).lost_patience)
      return fmt::format("no answer within {} s", patience_s);
  } catch (const SystemError&) {
    return {};
  }
  return read_file(output.path(), kMostAnswers);
}

}  // namespace

doctor::PluginPlaces SlurmHere::plugin_places() const {
  return {settings.get("PlugStackConfig"), settings.get("PluginDir"),
          settings.get("SLURM_VERSION")};
}

SlurmHere ask_slurm() {
  SlurmHere here;
  const std::string config = output_within({"scontrol", "show", "config"}, kSlurmPatience);
  here.installed = !config.empty();
  here.settings = doctor::SlurmSettings(config);
  if (here.settings.get("SLURM_VERSION").empty()) {
    here.complaint = config.substr(0, config.find('\n'));
    here.settings = {};
    return here;
  }
  here.has_option = output_within({"srun", "--help"}, kSlurmPatience).find("--energy-aggregate") !=
                    std::string::npos;
  return here;
}

NodesAnswer ask_nodes(const NodesQuestion& question) {
  const ScratchFile output;
  const std::string count = fmt::format("{}", question.nodes.size());
  RunRequest request;
  request.command = {"srun",
                     "--overlap",
                     "--nodes=" + count,
                     "--ntasks=" + count,
                     "--ntasks-per-node=1",
                     "--cpus-per-task=1",
                     "--mpi=none",
                     "--cpu-bind=none",
                     "--kill-on-bad-exit=0"};
  if (question.has_option) request.command.emplace_back(kOptionOff);
  for (const std::string& word :
       {fs::read_symlink("/proc/self/exe").string(), std::string("doctor"), std::string("--node")})
    request.command.push_back(word);
  request.command.insert(request.command.end(), question.arguments.begin(),
                         question.arguments.end());
  request.variables = {{kDoctorVariable, "1"}};
  request.output = output.path();
  request.patience = Seconds{question.patience_s};
  NodesAnswer answer;
  answer.asked_s = now_s();
  const Interruption interruption;
  run_to_end(request, interruption);
  answer.answered_s = now_s();
  answer.said = read_file(output.path(), kMostAnswers);
  answer.reports = doctor::collect_reports(answer.said);
  return answer;
}

void become_allocation(std::uint32_t nodes, const std::string& partition, bool has_option,
                       double patience_s, const std::vector<std::string>& command) {
  std::vector<std::string> words = {
      "salloc",
      "--quiet",
      fmt::format("--nodes={}", nodes),
      fmt::format("--immediate={}", std::lround(std::ceil(patience_s))),
      "--time=5",
      "--job-name=huddle-doctor"};
  if (!partition.empty()) words.push_back("--partition=" + partition);
  if (has_option) words.emplace_back(kOptionOff);
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw SystemError("start", "salloc", errno);
}

}  // namespace huddle
