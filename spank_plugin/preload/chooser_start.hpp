#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/runtime/wait_policy/wait_policy.hpp"

namespace huddle::preload {

/// The chooser for a rank's teams while it runs (docs/decisions/0076-teams-in-plans.md): a
/// process of its own, started by the one that is about to become the rank, which it is no child
/// of. Used by the task hook and, between fork() and exec() in other people's programs, by
/// libhuddle_exec.so: nothing here allocates, and all that is called is async-signal-safe.
struct StartedChooser {
  /// The rank's end of the connection, which stays open in what it becomes; -1: none was started.
  int connection = -1;
};

/// True if a rank whose environment is `variable`, as rank_threads() has it, will have something to
/// choose, if it has an order: it tries its teams, and has several CPUs and threads.
template <class Variable>
bool wants_chooser(const Variable& variable, const runtime::RankThreads& threads) {
  const auto is_set = [&](const char* name) {
    const char* const value = variable(name);
    return value != nullptr && *value != '\0';
  };
  return threads.may_be_packed && threads.cpus > 1 && threads.team != 1 && !is_set(kTeamsVariable);
}

/// True if it has an order, and nobody has looked after it yet: kChooserVariable is to be set.
template <class Variable>
bool has_choice_to_settle(const Variable& variable) {
  const char* const order = variable(kChooseVariable);
  return order != nullptr && *order != '\0' && variable(kChooserVariable) == nullptr;
}

/// Starts `huddle_chooser`, which is beside `recorder`, for the order that kChooseVariable has. It
/// keeps nothing of this process but its rights, its limits and its cgroup, and ends when the
/// connection does.
StartedChooser start_chooser(std::string_view recorder, const char* order) noexcept;

/// The value of kChooserVariable in a rank that has no chooser. What the rank starts inherits it,
/// and has none either: to start one there would be to copy the memory of a process of MPI's.
inline constexpr std::string_view kNoChooser = "none";
/// Room for the value of kChooserVariable.
inline constexpr std::size_t kRoomForChooser = 64;
/// Writes that value, with a zero byte behind it.
void write_connection(StartedChooser chooser, std::span<char, kRoomForChooser> text) noexcept;

}  // namespace huddle::preload
