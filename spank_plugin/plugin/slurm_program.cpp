#include "spank_plugin/plugin/slurm_program.hpp"

#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/cluster_nodes.hpp"
#include "spank_plugin/plugin/slurm_api.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/plugin/submitted_script.hpp"
#include "spank_plugin/plugin/trial_submission.hpp"

namespace huddle {

// NOLINTBEGIN(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread

namespace {

template <class Function>
bool look_up(Function& function, const char* name) {
  function = slurm_function<Function>(name);
  return function != nullptr;
}

}  // namespace

SlurmProgram::SlurmProgram() {
  if (look_up(get_, "slurm_option_get") && look_up(is_set_, "slurm_option_isset") &&
      look_up(set_, "slurm_option_set") && look_up(reset_, "slurm_option_reset") &&
      look_up(free_, "slurm_xfree"))
    options_ = slurm_options();
}

bool SlurmProgram::is_set(const char* option) const {
  return is_set_(options_, option);
}

std::string SlurmProgram::get(const char* option) const {
  char* value = get_(options_, option);
  if (value == nullptr) return {};
  std::string text(value);
  void* memory = value;
  free_(&memory);
  return text;
}

bool SlurmProgram::set(const char* option, const char* value) {
  constexpr int kSuccess = 0;
  return set_(options_, option, value, false) == kSuccess;
}

void SlurmProgram::reset(const char* option) {
  static_cast<void>(reset_(options_, option));
}

std::optional<std::string> SlurmProgram::variable(const char* name) const {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

void SlurmProgram::set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw SystemError("set", name, errno);
}

void SlurmProgram::unset_variable(const char* name) {
  ::unsetenv(name);
}

std::string SlurmProgram::user() const {
  return current_user();
}

std::string SlurmProgram::home() const {
  return current_home();
}

std::vector<std::string> SlurmProgram::groups() const {
  std::vector<gid_t> numbers(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(numbers.size()), numbers.data());
  numbers.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::vector<std::string> names;
  const auto add = [&](gid_t number) {
    if (const group* entry = ::getgrgid(number)) names.emplace_back(entry->gr_name);
  };
  for (const gid_t number : numbers) add(number);
  std::sort(names.begin(), names.end());
  add(::getegid());
  std::rotate(names.begin(), names.empty() ? names.end() : names.end() - 1, names.end());
  return names;
}

std::vector<std::string> SlurmProgram::command_line() const {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::optional<std::string> SlurmProgram::script() const {
  return submitted_script(*this);
}

std::vector<std::string> SlurmProgram::partitions() const {
  return partitions_of(*this);
}

std::string SlurmProgram::why_nodes_are_missing(std::uint32_t nodes, const NodeNeed& node) const {
  return huddle::why_nodes_are_missing(*this, nodes, node);
}

bool SlurmProgram::memory_is_by_node() const {
  return huddle::memory_is_by_node(*this);
}

std::optional<Seconds> SlurmProgram::usual_time_limit() const {
  return huddle::usual_time_limit(*this);
}

TrialAnswer SlurmProgram::try_submission() const {
  return huddle::try_submission(*this, options_);
}

std::vector<std::string> SlurmProgram::node_names(const std::string& list) const {
  return expand_node_names(list);
}

void SlurmProgram::say(const std::string& line) {
  huddle::say(line);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle
