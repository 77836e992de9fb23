#include "spank_plugin/submission/asked/script_launches.hpp"

#include <string>
#include <vector>

#include "profiles/vocabulary/field_reader.hpp"
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
  for (const char* variable : {"SLURM_NTASKS", "SLURM_NPROCS"})
    if (script.find(variable) != std::string_view::npos) return std::nullopt;
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

}  // namespace huddle::submission
