#include "aggregator/operations/launch/recorded_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "profiles/processes/interruption.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/recorder_libraries.hpp"

namespace huddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
constexpr auto kGrace = std::chrono::seconds(5);

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    const bool replaced = std::any_of(variables.begin(), variables.end(), [&](const auto& added) {
      return text.starts_with(added.first + "=");
    });
    if (!replaced) lines.emplace_back(text);
  }
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In a process group of its own, so that all that it starts on this machine can be ended with it.
pid_t start(const RunRequest& request) {
  const std::vector<std::string> environment = environment_with(request.variables);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, request.output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int failure =
      ::posix_spawnp(&child, request.command.front().c_str(), &actions, &attributes,
                     pointers_to(request.command).data(), pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw SystemError("start", request.command.front(), failure);
  return child;
}

}  // namespace

Variables recorder_variables(const std::string& recorder, const std::filesystem::path& profile) {
  const std::string library = recorder.empty() ? Policy::defaults().recorder : recorder;
  if (::access(library.c_str(), R_OK) != 0)
    throw Error(
        fmt::format("can't read the recorder {}: install it, or name it by --recorder", library));
  const char* const preloaded = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  return {{"LD_PRELOAD", preload_with_recorders(preloaded == nullptr ? "" : preloaded, library)},
          {"HUDDLE_PROFILE", std::filesystem::absolute(profile).string()}};
}

RunEnd run_to_end(const RunRequest& request, const Interruption& interrupted) {
  const pid_t child = start(request);
  const auto last_moment =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(request.patience.value));
  RunEnd end;
  Clock::time_point killed_at = Clock::time_point::max();
  bool told = false;
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) throw SystemError("wait for", request.command.front(), errno);
    end.interrupted = interrupted.requested();
    end.lost_patience = end.lost_patience || Clock::now() > last_moment;
    if (!told && (end.interrupted || end.lost_patience)) {
      ::kill(-child, SIGTERM);
      told = true;
      killed_at = Clock::now() + kGrace;
    }
    if (Clock::now() > killed_at) ::kill(-child, SIGKILL);
    std::this_thread::sleep_for(kBetweenLooks);
  }
  end.interrupted = interrupted.requested();
  end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace huddle
