#include "spank_plugin/launch/mpirun_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/launch/mpirun_command_line.hpp"
#include "spank_plugin/launch/outcome_record.hpp"

namespace huddle {
namespace {

// The word or variable by which the user places an mpirun's ranks; empty if there is none.
std::string placed_by(const std::vector<std::string_view>& arguments) {
  const std::string_view word = placing_word_in(arguments);
  return std::string(word.empty() ? placing_variable() : word);
}

}  // namespace

std::string program_of_process(const std::string& process) {
  std::error_code unknown;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), unknown).filename();
}

std::vector<std::string> words_of_process(const std::string& process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string_view placing_variable() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    for (const std::string_view prefix :
         {"OMPI_MCA_rmaps_", "OMPI_MCA_orte_rankfile", "OMPI_MCA_orte_default_hostfile",
          "OMPI_MCA_hwloc_base_binding"})
      if (variable.starts_with(prefix)) return variable.substr(0, variable.find('='));
  }
  return {};
}

std::optional<Outcome> mpirun_outcome(const std::vector<std::string>& words,
                                      const LaunchedProgram& program,
                                      const std::string& plan_file) {
  std::optional<Outcome> outcome = promised_outcome();
  if (!outcome) return std::nullopt;
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  const bool other_ranks = !mpirun_starts(arguments, outcome->ranks);
  if (other_ranks && outcome->treatment == Treatment::kLeft) return std::nullopt;
  outcome->run = run_of_this_job();
  if (outcome->run->job == 0 || outcome->run->nodes == 0) return std::nullopt;
  if (other_ranks) outcome->run->tasks = mpirun_count(arguments);
  outcome->run->program = "mpirun";
  outcome->run->launched = program;
  // One that follows a plan is one whose user places nothing. The rankfile in its environment is
  // the plan's.
  if (plan_file.empty()) outcome->run->placed_by = placed_by(arguments);
  outcome->plan_file = plan_file;
  if (!other_ranks && follows_plan(outcome->treatment) && plan_file.empty()) {
    outcome->treatment = Treatment::kLeft;
    outcome->reason = "mpirun placed its ranks itself";
  }
  return outcome;
}

}  // namespace huddle
