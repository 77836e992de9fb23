#include "spank_plugin/launch/mpirun_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/launch/job_rankfiles.hpp"
#include "spank_plugin/launch/launched_command.hpp"
#include "spank_plugin/launch/mpirun_command_line.hpp"
#include "spank_plugin/launch/outcome_record.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle::launch {
namespace {

// The word or variable by which the user places an mpirun's ranks; empty if there is none.
std::string placed_by(const std::vector<std::string_view>& arguments) {
  const std::string_view word = placing_word_in(arguments);
  return std::string(word.empty() ? placing_variable() : word);
}

namespace fs = std::filesystem;

// Nothing else runs yet in an mpirun that reads its environment.
std::string own(const char* name) {
  return std::string(text_of(&std::getenv, name));
}

// 0: the job's own plan; else the number of a companion.
std::size_t place_of(const fs::path& file, const Plan& plan) {
  const auto found = std::find_if(
      plan.companions.begin(), plan.companions.end(),
      [&](const Plan::Companion& companion) { return companion.file == file.filename(); });
  return found == plan.companions.end()
             ? 0
             : static_cast<std::size_t>(found - plan.companions.begin()) + 1;
}

bool starts_fewer(const std::vector<std::string_view>& arguments, unsigned long ranks) {
  const std::uint32_t count = mpirun_count(arguments);
  return placing_word_in(arguments).empty() && count > 1 && count < ranks;
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

// Several programs are one, by all their paths.
LaunchedProgram program_of_mpirun(const std::vector<std::string>& words) {
  LaunchedProgram all;
  for (const auto& command : mpirun_programs({words.begin(), words.end()})) {
    const LaunchedProgram one = launched_by(command, own("PATH"));
    all.build_id = all.path.empty() ? one.build_id : "";
    all.path += (all.path.empty() ? "" : " : ") + one.path;
  }
  return without_job(std::move(all), own("SLURM_JOB_ID"));
}

std::optional<MpirunPlan> plan_of_mpirun(const std::vector<std::string>& words,
                                         const LaunchedProgram& program) {
  const std::string plan_file = own(kPlanVariable);
  const std::string ranks = own_step_word(kMpirunRanksWord).value_or("");
  if (plan_file.empty() || ranks.empty() || ranks != own("SLURM_NTASKS")) return std::nullopt;
  if (!placing_variable().empty()) return std::nullopt;
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  const unsigned long all = std::strtoul(ranks.c_str(), nullptr, 10);
  const bool by_plan = mpirun_may_follow(arguments, all);
  if (!by_plan && !starts_fewer(arguments, all)) return std::nullopt;
  const Plan plan = load_plan_in_time(plan_file);
  std::optional<fs::path> file;
  if (by_plan) file = plan.file_for(program, plan_file);
  const std::size_t place = file ? place_of(*file, plan) : plan.companions.size() + 1;
  MpirunPlan followed{file ? file->string() : "", own_step_word(kMpirunRankfileWord).value_or("")};
  if (place != 0)
    followed.rankfile = rankfile_beside(plan_file, own("SLURM_JOB_ID"), place).string();
  if (!is_rankfile(followed.rankfile, plan.ranks)) return std::nullopt;
  return followed;
}

}  // namespace huddle::launch
