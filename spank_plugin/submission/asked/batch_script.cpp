#include "spank_plugin/submission/asked/batch_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/hash.hpp"
#include "profiles/vocabulary/text.hpp"
#include "spank_plugin/launch/launched_command.hpp"
#include "spank_plugin/launch/mpirun_command_line.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/submission/asked/placing_options.hpp"
#include "spank_plugin/submission/asked/script_commands.hpp"
#include "spank_plugin/submission/asked/script_launches.hpp"

namespace huddle::submission {
namespace {

using Words = std::vector<std::string_view>;

// "#SBATCH   hetjob  # comment" has the words "#SBATCH" and "hetjob".
bool parts_a_job(std::string_view line) {
  constexpr std::string_view kDirective = "#SBATCH";
  if (!line.starts_with(kDirective)) return false;
  line.remove_prefix(kDirective.size());
  const auto begin = line.find_first_not_of(" \t");
  if (begin == 0 || begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r#"));
  return word == "hetjob" || word == "packjob";
}

// Variables of Slurm's that are others on fewer nodes.
constexpr std::array<std::string_view, 24> kNodeVariables = {"SLURM_NNODES",
                                                             "SLURM_JOB_NUM_NODES",
                                                             "SLURM_NODELIST",
                                                             "SLURM_JOB_NODELIST",
                                                             "SLURM_TASKS_PER_NODE",
                                                             "SLURM_NTASKS_PER_NODE",
                                                             "SLURM_NTASKS_PER_SOCKET",
                                                             "SLURM_JOB_CPUS_PER_NODE",
                                                             "SLURM_CPUS_ON_NODE",
                                                             "SLURM_MEM_PER_NODE",
                                                             "SLURM_MEM_PER_CPU",
                                                             "SLURM_STEP_NUM_NODES",
                                                             "SLURM_STEP_NODELIST",
                                                             "SLURM_STEP_TASKS_PER_NODE",
                                                             "SLURM_NODEID",
                                                             "SLURM_LOCALID",
                                                             "SLURM_NODE_ALIASES",
                                                             "SLURM_TOPOLOGY_ADDR",
                                                             "SLURM_GPUS_ON_NODE",
                                                             "SLURM_HOSTFILE",
                                                             "SLURM_DISTRIBUTION",
                                                             "SLURM_CPU_BIND",
                                                             "SLURM_ARBITRARY_NODELIST",
                                                             "SLURM_GTIDS"};

// A word may hold more than the name: "${SLURM_NNODES}", "[SLURM_NNODES]".
std::string_view node_variable_in(std::string_view word) {
  constexpr std::string_view kPrefix = "SLURM_";
  const auto goes_on = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = word.find(kPrefix); at != std::string_view::npos;
       at = word.find(kPrefix, at + 1)) {
    if (at > 0 && goes_on(word[at - 1])) continue;
    const std::string_view rest = word.substr(at);
    const auto* const end = std::find_if_not(rest.begin(), rest.end(), goes_on);
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (among(kNodeVariables, name)) return name;
  }
  return {};
}

// Slurm's long name of the option, if `value` would place ranks.
std::string_view placing_name(const SrunOption& option, std::string_view value) {
  const auto* const found =
      std::find_if(kPlacingOptions.begin(), kPlacingOptions.end(), [&](const auto& each) {
        return each.needs_nodes &&
               (option.is_long ? option.name == each.name : option.name.front() == each.letter);
      });
  if (found == kPlacingOptions.end() || says_what_plans_do(found->name, value)) return {};
  return found->name;
}

// `words`: those behind "srun". Its options end where its program's name stands. One task on one
// node is the same everywhere.
std::string_view placing_word_of_srun(const Words& words, const RequestedSize& job) {
  std::string_view sizing;  // the first word that gives a number
  StepSize size;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i].front() != '-') {
      if (words[i].starts_with('$')) continue;  // "$OPTIONS": more options may follow
      break;
    }
    const std::string_view word = words[i];
    const SrunOption option(word);
    std::string_view value = option.value;
    if (option.next_is_value() && i + 1 < words.size()) value = words[++i];
    if (option.is("ntasks", "n")) size.ranks = value;
    const std::string_view placing = placing_name(option, value);
    if (placing.empty()) continue;
    if (placing == "nodes")
      size.nodes = value;
    else if (placing == "ntasks-per-node")
      size.ranks_per_node = value;
    else
      return word;
    if (sizing.empty()) sizing = word;
  }
  const bool is_one = size.nodes == "1" && size.ranks == "1" && size.ranks_per_node.empty();
  return is_one || repeats_request(size, job) ? std::string_view() : sizing;
}

// The words of the program behind srun's own words.
Words program_of_srun(const Words& words) {
  std::size_t i = 0;
  for (; i < words.size() && words[i].starts_with('-'); ++i)
    if (SrunOption(words[i]).next_is_value()) ++i;
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(i, words.size())), words.end()};
}

// The parts of a heterogeneous step go to nodes of their own: with fewer nodes Slurm refuses it.
bool parts_a_step(const Words& words) {
  return std::find(words.begin(), words.end(), ":") != words.end();
}

// "srun -N", "mpirun --map-by"; empty if no launcher is there, or it places nothing.
std::string placing_launcher_in(const Words& words, const RequestedSize& job) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = program_name(words[i]);
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    std::string_view found;
    if (name == "srun") found = placing_word_of_srun({begin + 1, words.end()}, job);
    if (name == "srun" && parts_a_step({begin + 1, words.end()})) found = ":";
    if (among(kMpirunNames, name)) found = launch::placing_word_in({begin, words.end()});
    if (!found.empty()) return fmt::format("{} {}", name, found.substr(0, found.find('=')));
  }
  return {};
}

bool only_prints(const ScriptCommand& command) {
  return !command.words.empty() && !command.output_is_used &&
         (command.words[0] == "echo" || command.words[0] == "printf");
}

bool lists_nodes(const Words& words) {
  const auto found = std::find(words.begin(), words.end(), "show");
  return found != words.begin() && found != words.end() && program_name(found[-1]) == "scontrol" &&
         found + 1 != words.end() && found[1].starts_with("hostname");
}

// Tells if the word at `place` is among srun's own, in front of its program.
bool is_word_of_srun(const Words& words, std::size_t place) {
  const auto srun = std::find_if(words.begin(), words.end(), [](std::string_view word) {
    return program_name(word) == "srun";
  });
  if (srun == words.end()) return false;
  const std::size_t program = program_of_srun({srun + 1, words.end()}).size();
  return place > static_cast<std::size_t>(srun - words.begin()) && place < words.size() - program;
}

// Tells if the command sets `name`, which is in the word at `place`, to what plans do anyway, or
// unsets it, or if that is srun's number of nodes, of which placing_launcher_in() has judged.
bool agrees_with_plans(const Words& words, std::size_t place, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOptions = {
      {{"SLURM_CPU_BIND", "cpu-bind"}, {"SLURM_DISTRIBUTION", "distribution"}}};
  for (const auto& [variable, option] : kOptions) {
    if (variable != name) continue;
    if (words[0] == "unset") return true;
    return words[place] == name && place + 1 < words.size() &&
           says_what_plans_do(option, words[place + 1]);
  }
  if (!is_word_of_srun(words, place)) return false;
  if (!words[place].starts_with('-'))
    return names_nodes_of_job(words[place]) &&
           (words[place - 1] == "-N" || words[place - 1] == "--nodes");
  const SrunOption option(words[place]);
  return option.is("nodes", "N") && names_nodes_of_job(option.value);
}

Verdict command_keeps_nodes(const ScriptCommand& command, const RequestedSize& job) {
  if (only_prints(command)) return std::nullopt;
  const Words words(command.words.begin(), command.words.end());
  if (lists_nodes(words)) return Refusal{Reason::kScriptListsNodes};
  if (std::string launcher = placing_launcher_in(words, job); !launcher.empty())
    return Refusal{Reason::kScriptPlacesRanks, std::move(launcher)};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const std::string_view name = node_variable_in(words[i]);
        !name.empty() && !agrees_with_plans(words, i, name))
      return Refusal{Reason::kScriptUsesNodes, std::string(name)};
  return std::nullopt;
}

}  // namespace

bool asks_for_several_parts(std::string_view script) {
  script = script.substr(0, kMostScriptBytes);
  while (!script.empty()) {
    const std::string_view line = take_until(script, '\n');
    if (!line.empty() && line[0] != '#') return false;
    if (parts_a_job(line)) return true;
  }
  return false;
}

bool parts_its_command_line(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), ":") != words.end();
}

Verdict script_keeps_nodes(std::string_view script, const RequestedSize& job) {
  for (const ScriptCommand& command : commands_of(script.substr(0, kMostScriptBytes)))
    if (Verdict kept = command_keeps_nodes(command, job)) return kept;
  return std::nullopt;
}

bool places_step(const std::vector<std::string>& words) {
  return !words.empty() && !placing_word_of_srun({words.begin() + 1, words.end()}, {}).empty();
}

std::vector<std::string> launched_in_script(std::string_view script) {
  for (const ScriptCommand& command : commands_of(script.substr(0, kMostScriptBytes))) {
    const Words words(command.words.begin(), command.words.end());
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view name = program_name(words[i]);
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
      if (name == "srun") {
        const Words program = program_of_srun({begin + 1, words.end()});
        return {program.begin(), program.end()};
      }
      if (!among(kMpirunNames, name)) continue;
      const auto programs = launch::mpirun_programs({begin, words.end()});
      if (!programs.empty()) return programs.front();
    }
  }
  return {};
}

std::string script_digest(std::string_view script, const std::vector<std::string>& arguments) {
  std::string commands;
  while (!script.empty()) {
    const std::string_view line = trimmed(take_until(script, '\n'));
    if (line.empty() || line.starts_with('#')) continue;
    commands.append(line).push_back('\n');
  }
  for (const std::string& argument : arguments) commands.append(argument).push_back('\0');
  return fmt::format("{:016x}", hash_of(commands));
}

bool is_usual_name(std::string_view name) {
  constexpr std::array<std::string_view, 16> kNames = {
      "wrap",    "sbatch", "interactive", "bash", "sh",      "zsh",    "env",     "python",
      "python3", "perl",   "julia",       "time", "numactl", "mpirun", "mpiexec", "srun"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string name_of_program(const SlurmClient& slurm, const std::string& script) {
  const std::vector<std::string> words =
      script.empty() ? slurm.program() : launched_in_script(script);
  if (words.empty()) return {};
  try {
    return launch::text_with_files(words.front(), [&] {
      return launch::launched_by(words, slurm.variable("PATH").value_or("")).name();
    });
  } catch (const Error&) {  // then the job's own name must do
    return {};
  }
}

}  // namespace huddle::submission
