#include "aggregator/operations/launch/program_run.hpp"

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

#include "profiles/formats/policy/policy.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"

namespace huddle::operations {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
constexpr auto kBetweenCalls = std::chrono::milliseconds(500);
constexpr auto kGrace = std::chrono::seconds(5);

volatile std::sig_atomic_t end_requested = 0;

/// Notes requests to end, until it is destroyed.
class EndRequests {
 public:
  EndRequests() {
    end_requested = 0;
    before_interrupt_ = std::signal(SIGINT, note);
    before_end_ = std::signal(SIGTERM, note);
  }
  ~EndRequests() {
    std::signal(SIGINT, before_interrupt_);
    std::signal(SIGTERM, before_end_);
  }
  EndRequests(const EndRequests&) = delete;
  EndRequests& operator=(const EndRequests&) = delete;

 private:
  static void note(int /*signal*/) { end_requested = 1; }

  void (*before_interrupt_)(int) = nullptr;
  void (*before_end_)(int) = nullptr;
};

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
  if (request.output.empty()) {
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, request.output.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
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
    throw NotFound(NotFound::What::kRecorder, fmt::format("can't read the recorder {}", library));
  const char* const preloaded = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  return {{"LD_PRELOAD", preload_with_recorders(preloaded == nullptr ? "" : preloaded, library)},
          {kProfileVariable, std::filesystem::absolute(profile).string()}};
}

std::string program_beside_recorder(const std::string& given, const std::string& recorder,
                                    const std::string& name, const std::string& purpose) {
  const std::filesystem::path beside = recorder.empty() ? Policy::defaults().recorder : recorder;
  const std::filesystem::path program =
      given.empty() ? beside.parent_path() / name : std::filesystem::path(given);
  if (::access(program.c_str(), X_OK) != 0)
    throw NotFound(NotFound::What::kProgram,
                   fmt::format("can't run the {} program {}", purpose, program.string()));
  return std::filesystem::absolute(program).string();
}

RunEnd run_to_end(const RunRequest& request) {
  const EndRequests requests;
  const pid_t child = start(request);
  const auto started = Clock::now();
  const auto patience = std::chrono::duration<double>(request.patience.value);
  auto next_call = started + kBetweenCalls;
  RunEnd end;
  Clock::time_point killed_at = Clock::time_point::max();
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) throw SystemError("wait for", request.command.front(), errno);
    const auto now = Clock::now();
    if (patience.count() > 0 && now - started > patience) end.lost_patience = true;
    if ((end_requested != 0 || end.lost_patience) && killed_at == Clock::time_point::max()) {
      ::kill(-child, SIGTERM);
      killed_at = now + kGrace;
    }
    if (now > killed_at) ::kill(-child, SIGKILL);
    if (request.look && now > next_call) {
      request.look();
      next_call = now + kBetweenCalls;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  end.interrupted = end_requested != 0;
  end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

std::string output_of(const std::vector<std::string>& command, Seconds limit) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  constexpr int kNotStarted = 126;  // and 127: of env
  std::vector<std::string> words = {"/usr/bin/env"};
  words.insert(words.end(), command.begin(), command.end());
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(limit.value));
  const processes::ChildResult result = processes::run_child(words, time, {}, kMostBytes);
  const bool started = result.status != kNotStarted && result.status != kNotStarted + 1;
  return started && !result.timed_out ? result.output + result.errors : std::string();
}

}  // namespace huddle::operations
