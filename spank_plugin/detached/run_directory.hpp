#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::detached {

// The directory of a node for what ends with the machine: root's own, which nobody else may write
// to or list: it would show who runs what. Everything in it is opened from its descriptor, without
// following links.

/// Where it is; the functions take it as an argument for tests.
inline constexpr const char* kRunDirectory = "/run/huddle";

/// Makes it, unless it is there. Throws Error if it is not this user's own, or SystemError.
void make_run_directory(const std::filesystem::path& run);

/// Says that the slurmd of this node has loaded the plugin, and so will restore clocks when it
/// starts and after each job. Lasts as long as this process and those that it becomes by fork()
/// (slurmd forks when it becomes a daemon) without exec(): a lock that the kernel drops with the
/// last of them. Makes the directory. Throws Error or SystemError.
void mark_this_slurmd(const std::filesystem::path& run);

/// True if such a slurmd runs. False where nothing can be read.
bool slurmd_is_marked(const std::filesystem::path& run);

/// Holds a lock among the processes of this node that may write there, as long as the descriptor is
/// open. Makes the directory. Throws Error if others hold it for longer than `patience`, or
/// SystemError.
files::OwnedDescriptor hold_lock(const std::filesystem::path& run, const std::string& name,
                                 std::chrono::milliseconds patience);

/// Facts about a job that root can know only when its prolog runs.
struct JobScope {
  std::string partition;
  std::string account;

  friend bool operator==(const JobScope&, const JobScope&) = default;
};

/// Keeps it for the steps of the job on this node. Makes the directory. Throws Error or
/// SystemError.
void keep_job_scope(const std::filesystem::path& run, std::uint32_t job, const JobScope& scope);

/// Nothing if the job's prolog kept none. Throws Error or SystemError.
std::optional<JobScope> job_scope(const std::filesystem::path& run, std::uint32_t job);

/// After the job. Fails silently: what stays is small and ends with the machine.
void forget_job_scope(const std::filesystem::path& run, std::uint32_t job) noexcept;

}  // namespace huddle::detached
