#include "aggregator/commands/waitstates/parallel_programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/launch/launcher.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

unsigned long number_in(const char* variable) {
  const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

// What started several processes of this command, if anything did.
std::optional<LauncherKind> launched_by() {
  if (number_in("OMPI_COMM_WORLD_SIZE") > 1) return LauncherKind::kOpenMpi;
  const bool step = number_in("SLURM_STEP_NUM_TASKS") > 1 && is_set("SLURM_PROCID");
  if (step && is_set("PMIX_RANK")) return LauncherKind::kOpenMpi;
  if (number_in("PMI_SIZE") > 1) return LauncherKind::kMpich;
  if (step)
    throw UsageError(
        fmt::format("srun started {} processes that know nothing of each other: start one, or "
                    "give srun --mpi=pmix",
                    number_in("SLURM_STEP_NUM_TASKS")));
  return {};
}

// One for each MPI: where this command was built, or installed beside the recorder.
std::string program_for(LauncherKind kind) {
  const char* const name =
      kind == LauncherKind::kMpich ? "huddle_waitstates_mpich" : "huddle_waitstates";
  std::error_code none;
  const fs::path built =
      fs::read_symlink("/proc/self/exe", none).parent_path().parent_path() / "lib" / name;
  if (::access(built.c_str(), X_OK) == 0) return built.string();
  const fs::path installed = fs::path(Policy::defaults().recorder).parent_path() / name;
  if (::access(installed.c_str(), X_OK) == 0) return installed.string();
  throw Error(fmt::format(
      "can't run {}, which several processes need: install the package huddle-mpi-programs, or "
      "start one process only",
      installed.string()));
}

// The words behind `waitstates`; without --processes, which was obeyed.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  const auto command = std::find(words.begin(), words.end(), "waitstates");
  words.erase(words.begin(), command == words.end() ? command : std::next(command));
  for (std::size_t at = 0; at < words.size();) {
    const bool alone = words[at] == "--processes";
    if (!alone && !words[at].starts_with("--processes=")) {
      ++at;
      continue;
    }
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
    words.erase(begin, begin + (alone && at + 1 < words.size() ? 2 : 1));
  }
  return words;
}

[[noreturn]] void become(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  throw SystemError("start", words[0], errno);
}

}  // namespace

void become_parallel(std::uint32_t processes, const std::vector<ChangedWord>& changed) {
  std::vector<std::string> words;
  if (const std::optional<LauncherKind> launcher = launched_by()) {
    words = {program_for(*launcher)};
  } else if (processes > 1) {
    words = {"mpirun", "-n", fmt::format("{}", processes),
             program_for(kind_of_launcher({"mpirun"}))};
  } else {
    return;
  }
  std::vector<std::string> own = own_words();
  for (std::string& word : own) {
    const auto other = std::find_if(changed.begin(), changed.end(),
                                    [&](const ChangedWord& pair) { return pair.from == word; });
    if (other != changed.end()) word = other->to;
  }
  words.insert(words.end(), own.begin(), own.end());
  become(std::move(words));
}

}  // namespace huddle
