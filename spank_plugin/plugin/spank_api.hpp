#pragma once

// SPANK's functions for C++: what Slurm knows of a step, a task's environment, a line to the user.

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"

// Slurm's spank.h declares its hooks outside of its own extern "C".
extern "C" {
#include <slurm/spank.h>
}

namespace huddle::plugin {

/// One line to the user: on the standard error of sbatch, salloc and srun, or of the step. Where
/// this process must not print messages, it is one for slurmd's log (or srun's --verbose) and for
/// the step's record.
void say(const std::string& line);

/// Sets if this process may print messages. By default it may, except in slurmstepd.
void print_messages(bool wanted);

/// The lines that this process, and those that it was forked from, did not print.
const std::vector<std::string>& unsaid_lines();

template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// A fact that Slurm knows of the job, step or task that a hook is called for; `what` names it in
/// the message. Throws Error if Slurm does not give it here.
template <class Value>
Value spank_item_of(spank_t spank, spank_item which, const char* what) {
  Value value{};
  const spank_err_t outcome = spank_get_item(spank, which, &value);
  if (outcome != ESPANK_SUCCESS)
    throw Error(fmt::format("Slurm does not give the {}: {}", what, spank_strerror(outcome)));
  return value;
}

/// The ranks of the step that run on this node. Throws Error if Slurm does not say how many.
inline std::set<std::uint32_t> ranks_here(spank_t spank) {
  std::set<std::uint32_t> ranks;
  const auto count =
      spank_item_of<std::uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT, "number of local tasks");
  for (std::uint32_t local = 0; local < count; ++local) {
    std::uint32_t rank = 0;
    if (spank_get_item(spank, S_JOB_LOCAL_TO_GLOBAL_ID, local, &rank) == ESPANK_SUCCESS)
      ranks.insert(rank);
  }
  return ranks;
}

/// The environment that a task will start with. Refers to the handle of the hook that made it.
class TaskEnvironment {
 public:
  explicit TaskEnvironment(spank_t spank) : spank_(spank) {}

  /// Nothing if not set; a value longer than 128 KiB, which no program can be given, counts as not
  /// set.
  [[nodiscard]] std::optional<std::string> get(const char* name) const;
  /// Throws Error if Slurm refuses.
  void set(const char* name, const std::string& value) const;
  /// Throws Error if Slurm refuses; one that is not set is no error.
  void unset(const char* name) const;

  /// The same of what a submission tells its job in HUDDLE_STEP.
  [[nodiscard]] std::optional<std::string> get(StepWord word) const;
  void set(StepWord word, const std::string& value) const;

 private:
  spank_t spank_;
};

}  // namespace huddle::plugin
