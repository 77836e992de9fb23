#include "tests/evaluation/huddle_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiles/vocabulary/error.hpp"

namespace huddle::evaluation {
namespace {

// The file for what huddle says on stderr, which would be said hundreds of times.
std::string remarks_of(const std::string& output) {
  return output + ".stderr";
}

void redirect(int descriptor, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

[[noreturn]] void become(const std::string& executable, const std::vector<std::string>& arguments,
                         const std::string& output) {
  redirect(STDOUT_FILENO, output);
  redirect(STDERR_FILENO, remarks_of(output));
  std::vector<std::string> words = {executable};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(executable.c_str(), argv.data());
  _exit(127);
}

[[noreturn]] void fail(const std::string& subcommand, const std::string& output) {
  std::ifstream file(remarks_of(output));
  std::string line;
  std::string last;
  while (std::getline(file, line)) last = line;
  throw Error(fmt::format("huddle {} failed, see {}: {}", subcommand, remarks_of(output), last));
}

void add_paths(std::vector<std::string>& arguments,
               const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths) arguments.push_back(path.string());
}

Answer answer_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json document = nlohmann::json::parse(stream);
  Answer answer;
  if (document.at("chosen").is_string()) answer.chosen = document.at("chosen");
  answer.reference = document.at("reference");
  const auto number_or_nan = [](const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>()
                                                       : std::numeric_limits<double>::quiet_NaN();
  };
  for (const nlohmann::json& pattern : document.at("patterns"))
    answer.patterns[pattern.at("pattern")] = {
        pattern.at("computation_s"),          pattern.at("time_s"),
        number_or_nan(pattern, "time_low_s"), number_or_nan(pattern, "time_high_s"),
        number_or_nan(pattern, "energy_j"),   pattern.at("feasible")};
  return answer;
}

}  // namespace

bool HuddleCommand::succeeds(const std::vector<std::string>& arguments,
                             const std::filesystem::path& output) const {
  const pid_t child = fork();
  if (child == 0) become(executable_.string(), arguments, output.string());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) throw Error("huddle could not be started");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool HuddleCommand::can_train(const std::filesystem::path& help) const {
  // Without such a subcommand the help is that of the whole command, and no failure.
  if (!succeeds({"train", "--help"}, help)) return false;
  std::ifstream file(help);
  for (std::string line; std::getline(file, line);)
    if (line.find("--output") != std::string::npos) return true;
  return false;
}

void HuddleCommand::train(const std::vector<std::filesystem::path>& profiles,
                          const std::filesystem::path& machine,
                          const std::vector<predict::Pattern>& samples,
                          const std::filesystem::path& model, Threads threads) const {
  std::vector<std::string> arguments = {"train"};
  add_paths(arguments, profiles);
  std::vector<std::string> names;
  for (const predict::Pattern& pattern : samples) names.push_back(pattern.name());
  arguments.insert(arguments.end(),
                   {"--machine", machine.string(), "--samples",
                    fmt::format("{}", fmt::join(names, ",")), "--output", model.string()});
  if (threads == Threads::kEachPu) arguments.emplace_back("--smt");
  const std::string table = model.string() + ".log";
  if (!succeeds(arguments, table)) fail(arguments.front(), table);
}

Answer HuddleCommand::recommend(const std::vector<std::filesystem::path>& profiles,
                                const std::filesystem::path& machine,
                                const std::optional<std::filesystem::path>& model,
                                const std::filesystem::path& output, Threads threads) const {
  std::vector<std::string> arguments = {"recommend"};
  add_paths(arguments, profiles);
  arguments.insert(arguments.end(), {"--machine", machine.string()});
  if (model) arguments.insert(arguments.end(), {"--model", model->string()});
  if (threads == Threads::kEachPu) arguments.emplace_back("--smt");
  arguments.emplace_back("--json");
  if (!succeeds(arguments, output)) fail(arguments.front(), output.string());
  return answer_in(output);
}

}  // namespace huddle::evaluation
