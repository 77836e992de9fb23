#include "spank_plugin/submission/asked/script_launches.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "profiles/vocabulary/field_reader.hpp"
#include "spank_plugin/launch/mpirun_command_line.hpp"
#include "spank_plugin/submission/asked/batch_script.hpp"
#include "spank_plugin/submission/asked/script_commands.hpp"

namespace huddle::submission {
namespace {

constexpr std::string_view kShortWithValue = "AbBcCdDeFGiJLmMnNopPqrStTwWxZ";
constexpr std::array<std::string_view, 22> kLongWithoutValue = {
    "exclusive",   "overlap",          "exact",        "label",         "unbuffered",
    "verbose",     "overcommit",       "no-kill",      "pty",           "multi-prog",
    "quiet",       "disable-status",   "spread-job",   "use-min-nodes", "hold",
    "whole",       "kill-on-bad-exit", "preserve-env", "oversubscribe", "test-only",
    "no-allocate", "no-requeue"};

using Words = std::vector<std::string_view>;

// The numbers in srun's own words, from `i` on; 0 ranks if there is none, or it is no plain number.
LaunchSize size_of_srun(const Words& words, std::size_t i) {
  LaunchSize size;
  for (; i < words.size() && words[i].size() > 1 && words[i].front() == '-'; ++i) {
    const SrunOption option(words[i]);
    std::string_view value = option.value;
    if (option.next_is_value() && i + 1 < words.size()) value = words[++i];
    const std::uint32_t number = number_in<std::uint32_t>(value).value_or(0);
    if (option.is("ntasks", "n")) size.ranks = number;
    if (option.is("cpus-per-task", "c")) size.cores_per_rank = number;
  }
  return size;
}

// Sizes of all that the command launches.
std::vector<LaunchSize> sizes_in(const Words& words) {
  std::vector<LaunchSize> sizes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = program_name(words[i]);
    if (name == "srun") sizes.push_back(size_of_srun(words, i + 1));
    if (among(kMpirunNames, name)) sizes.push_back({});  // fills one node after the other
  }
  return sizes;
}

bool reads_number_of_tasks(std::string_view script) {
  return script.find("SLURM_NTASKS") != std::string_view::npos ||
         script.find("SLURM_NPROCS") != std::string_view::npos;
}

// Words of the shell that another command may follow.
constexpr std::array<std::string_view, 9> kLeading = {"do",    "then",  "else", "elif", "if",
                                                      "while", "until", "time", "!"};
constexpr std::array<std::string_view, 35> kStartingNothing = {
    "for",  "done",  "fi",     "case",   "esac",  "test",     "[",  "[[",    ":",
    "true", "exit",  "false",  "break",  "wait",  "sleep",    "cd", "echo",  "printf",
    "set",  "unset", "export", "ulimit", "umask", "module",   "ml", "mkdir", "rm",
    "cp",   "mv",    "ln",     "cat",    "date",  "hostname", "ls", "touch"};

// Number of ranks that a command of one launcher starts: 0 for one that starts none; nothing if its
// text does not show that.
std::optional<std::uint32_t> ranks_of_command(const Words& words) {
  const auto first =
      std::ranges::find_if_not(words, [](std::string_view word) { return among(kLeading, word); });
  if (first == words.end() || among(kStartingNothing, *first)) return 0;
  const std::string_view name = program_name(*first);
  std::uint32_t ranks = 0;
  if (name == "srun")
    ranks = size_of_srun(words, static_cast<std::size_t>(first - words.begin()) + 1).ranks;
  else if (among(kMpirunNames, name))
    ranks = launch::mpirun_count({first, words.end()});
  if (ranks == 0) return std::nullopt;
  return ranks;
}

}  // namespace

SrunOption::SrunOption(std::string_view word) : is_long(word.starts_with("--")) {
  const std::string_view text = word.substr(is_long ? 2 : 1);
  name = is_long ? text.substr(0, text.find('=')) : text.substr(0, 1);
  has_value = name.size() < text.size();
  if (has_value) value = text.substr(name.size() + (text[name.size()] == '=' ? 1 : 0));
}

bool SrunOption::next_is_value() const {
  if (has_value) return false;
  return is_long ? !among(kLongWithoutValue, name)
                 : kShortWithValue.find(name) != std::string_view::npos;
}

std::optional<LaunchSize> size_of_launches(std::string_view script) {
  script = script.substr(0, kMostScriptBytes);
  if (reads_number_of_tasks(script)) return std::nullopt;
  std::optional<LaunchSize> common;
  for (const ScriptCommand& command : commands_of(script))
    for (const LaunchSize& size : sizes_in({command.words.begin(), command.words.end()})) {
      if (size.ranks == 1) continue;
      if (size.ranks == 0 || size.cores_per_rank == 0 || (common && *common != size))
        return std::nullopt;
      common = size;
    }
  return common;
}

bool starts_by_mpirun_alone(std::string_view script) {
  bool by_mpirun = false;
  for (const ScriptCommand& command : commands_of(script.substr(0, kMostScriptBytes)))
    for (const std::string& word : command.words) {
      if (program_name(word) == "srun") return false;
      by_mpirun = by_mpirun || among(kMpirunNames, program_name(word));
    }
  return by_mpirun;
}

std::optional<std::uint32_t> most_ranks_of_steps(std::string_view script) {
  if (script.size() > kMostScriptBytes || reads_number_of_tasks(script)) return std::nullopt;
  std::uint32_t most = 0;
  for (const ScriptCommand& command : commands_of(script)) {
    const auto ranks = ranks_of_command({command.words.begin(), command.words.end()});
    if (!ranks) return std::nullopt;
    most = std::max(most, *ranks);
  }
  if (most == 0) return std::nullopt;
  return most;
}

}  // namespace huddle::submission
