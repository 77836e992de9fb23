#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::processes {

/// A process by its number and its start, so that another one with the same number is not it.
struct ProcessIdentity {
  std::uint32_t pid = 0;
  /// In clock ticks since the machine's start, field 22 of /proc/PID/stat.
  std::uint64_t started = 0;

  friend auto operator<=>(const ProcessIdentity&, const ProcessIdentity&) = default;
};

/// The status of a process, from /proc/PID/stat.
struct ProcessStatus {
  /// 'R', 'S', 'D', 'I': it runs or waits; 'T': stopped by a signal; 't': by a debugger; 'Z', 'X':
  /// dead.
  char state = '?';
  std::uint32_t parent = 0;
  /// As in ProcessIdentity.
  std::uint64_t started = 0;
  /// CPU time of all its threads, those that ended included, and that of its children that it has
  /// waited for.
  Seconds cpu_time;
  Seconds cpu_time_of_ended_children;
  /// The PU that its first thread ran on last.
  std::uint32_t pu = 0;
};

/// Nothing if there is no such process, not even a dead one. `proc` is for tests.
std::optional<ProcessStatus> status_of(std::uint32_t pid,
                                       const std::filesystem::path& proc = "/proc");

/// Nothing if there is no such process, or only what is left of one (a zombie).
std::optional<ProcessIdentity> identity_of(std::uint32_t pid);

/// As a word that fits into a file's name, "4711.123456", and back: nothing if it is none.
std::string word_of(const ProcessIdentity& process);
std::optional<ProcessIdentity> identity_in(std::string_view word);

/// The name of this machine; empty if the kernel does not say.
std::string host_name();

/// Returns the identity of this process. Throws Error if /proc does not show it.
ProcessIdentity own_identity();

bool is_alive(const ProcessIdentity& process);

/// Names the time since the machine was started last; empty if the kernel does not say.
std::string boot_id();

}  // namespace huddle::processes
