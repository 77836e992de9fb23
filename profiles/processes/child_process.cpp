#include "profiles/processes/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include "profiles/vocabulary/error.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace huddle::processes {
namespace {

using Clock = std::chrono::steady_clock;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_read() { close_end(ends_[0]); }
  void close_write() { close_end(ends_[1]); }

 private:
  static void close_end(int& descriptor) {
    if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
  }
  std::array<int, 2> ends_{-1, -1};
};

// The child's input is in the pipe before it starts, and this process holds both ends until then.
void fill(Pipe& pipe, std::string_view input) {
  if (::fcntl(pipe.write_end(), F_SETFL, O_NONBLOCK) != 0)
    throw SystemError("prepare", "a pipe", errno);
  const ssize_t written = ::write(pipe.write_end(), input.data(), input.size());
  if (written != static_cast<ssize_t>(input.size()))
    throw SystemError("write to", "a pipe", written < 0 ? errno : ENOBUFS);
  pipe.close_write();
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(const std::vector<std::string>& arguments,
            const std::optional<std::vector<std::string>>& environment,
            const std::optional<Pipe>& input, const Pipe& output, const Pipe& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input)
    posix_spawn_file_actions_adddup2(&actions, input->read_end(), STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

  const std::vector<char*> argv = pointers_to(arguments);
  std::vector<char*> variables;
  if (environment) variables = pointers_to(*environment);
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, argv.front(), &actions, &attributes, argv.data(),
                                    environment ? variables.data() : environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw SystemError("start", arguments.front(), failure);
  return child;
}

// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& into, std::size_t limit) {
  std::array<char, 16384> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = limit - std::min(limit, into.size());
  into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  return got > 0;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

// Returns once both streams have ended or the deadline has passed.
void read_streams(Pipe& output, Pipe& errors, ChildResult& result, Clock::time_point deadline,
                  std::size_t limit) {
  std::array<pollfd, 2> streams{{{output.read_end(), POLLIN, 0}, {errors.read_end(), POLLIN, 0}}};
  std::array<std::string*, 2> targets{&result.output, &result.errors};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const int left = milliseconds_until(deadline);
    if (left == 0) return;
    if (::poll(streams.data(), streams.size(), left) < 0) {
      if (errno == EINTR)
        continue;  // what poll() would have returned is not known, and read() may block
      return;
    }
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (streams[i].fd >= 0 && streams[i].revents != 0 &&
          !drain(streams[i].fd, *targets[i], limit))
        streams[i].fd = -1;
  }
}

// Reaps a child that was killed. Nothing if it does not end: the system keeps it.
std::optional<int> reap(pid_t child) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(200);
  for (;;) {
    int wait_status = 0;
    const pid_t reaped = ::waitpid(child, &wait_status, WNOHANG);
    if (reaped == child) return wait_status;
    if ((reaped < 0 && errno != EINTR) || Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

enum class End { kCame, kUnknown, kNotYet };

// Waits for the child's end until the deadline, without reaping it. Unknown: this process ignores
// SIGCHLD, so the system keeps no status.
End end_until(pid_t child, Clock::time_point deadline) {
  for (;;) {
    siginfo_t info{};
    const int outcome =
        ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    if (outcome == 0 && info.si_pid == child) return End::kCame;
    if (outcome != 0 && errno != EINTR) return End::kUnknown;
    if (Clock::now() >= deadline) return End::kNotYet;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments,
                      std::chrono::milliseconds time_limit, std::string_view input,
                      std::size_t output_limit,
                      const std::optional<std::vector<std::string>>& environment) {
  const Clock::time_point deadline = Clock::now() + time_limit;
  std::optional<Pipe> given;  // first: what is duplicated first must have the lowest numbers
  if (!input.empty()) given.emplace();
  Pipe output;
  Pipe errors;
  if (given) fill(*given, input);
  const pid_t child = spawn(arguments, environment, given, output, errors);
  given.reset();
  output.close_write();
  errors.close_write();

  ChildResult result;
  read_streams(output, errors, result, deadline, output_limit);
  const End end = end_until(child, deadline);
  if (end == End::kUnknown) {
    result.status = ChildResult::kUnknownStatus;
    return result;
  }
  result.timed_out = end == End::kNotYet;
  // Before the child is reaped: until then its number, and so its group's, is nobody else's.
  ::kill(-child, SIGKILL);
  const int wait_status = reap(child).value_or(0);
  result.status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  return result;
}

}  // namespace huddle::processes
