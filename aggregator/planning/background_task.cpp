#include "aggregator/planning/background_task.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <new>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

using Clock = std::chrono::steady_clock;

// The first byte of what the child writes.
constexpr char kDone = '=';
constexpr char kUsageError = 'U';
constexpr char kError = 'E';

constexpr int kLowPriority = 10;

// Private writable memory of this process, as RLIMIT_DATA counts it.
rlim_t data_bytes() {
  std::array<rlim_t, 6> pages{};  // size, resident, shared, text, library, data
  std::ifstream file("/proc/self/statm");
  for (rlim_t& number : pages) file >> number;
  return pages[5] * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void lower_limit(__rlimit_resource resource, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  ::setrlimit(resource, &limit);
}

void detach(int keep) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  const auto kept = static_cast<unsigned>(keep);
  if (kept > 3) ::close_range(3, kept - 1, 0);
  ::close_range(kept + 1, ~0U, 0);
}

void keep_within(const DetachedLimits& limits) {
  lower_limit(RLIMIT_DATA, data_bytes() + limits.memory.value);
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(static_cast<unsigned>(limits.time.count()));
}

std::string result_of(const std::function<std::string()>& work) {
  try {
    return kDone + work();
  } catch (const UsageError& error) {
    return kUsageError + std::string(error.what());
  } catch (const std::bad_alloc&) {
    return kError + std::string("making the plan takes more memory than it may");
  } catch (const std::exception& error) {
    return kError + std::string(error.what());
  }
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // nobody listens any more
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void be_child(int descriptor, const std::function<std::string()>& work,
                           const DetachedLimits& limits) {
  detach(descriptor);
  keep_within(limits);
  write_all(descriptor, result_of(work));
  ::_exit(0);  // what the parent registered for its own end is not ours to run
}

// All that the child writes; nothing if it is not done by the deadline.
std::optional<std::string> read_until_end(int descriptor, Clock::time_point deadline) {
  std::string output;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd stream{descriptor, POLLIN, 0};
    const int ready = ::poll(&stream, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

[[noreturn]] void fail_as(pid_t child, const std::string& output) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!output.empty() && output[0] == kUsageError) throw UsageError(output.substr(1));
  if (!output.empty() && output[0] == kError) throw Error(output.substr(1));
  throw Error(
      WIFSIGNALED(status)
          ? fmt::format("the process that makes the plan was ended by signal {}", WTERMSIG(status))
          : std::string("the process that makes the plan ended without a word"));
}

}  // namespace

std::optional<std::string> run_detached(const std::function<std::string()>& work,
                                        std::chrono::milliseconds wait,
                                        const DetachedLimits& limits) {
  const Clock::time_point deadline = Clock::now() + wait;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
  const pid_t child = ::fork();
  if (child == 0) be_child(ends[1], work, limits);
  const int failure = errno;
  ::close(ends[1]);
  std::optional<std::string> output;
  if (child > 0) output = read_until_end(ends[0], deadline);
  ::close(ends[0]);
  if (child < 0) throw SystemError("start", "a process that makes the plan", failure);
  if (!output) {
    // Of all its threads: the group is the child's alone.
    ::setpriority(PRIO_PGRP, static_cast<id_t>(child), kLowPriority);
    return std::nullopt;
  }
  if (output->empty() || output->front() != kDone) fail_as(child, *output);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return output->substr(1);
}

}  // namespace huddle::planning
