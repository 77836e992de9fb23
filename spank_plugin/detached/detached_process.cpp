#include "spank_plugin/detached/detached_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "profiles/files/unix_socket.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::detached {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void check_program(const fs::path& program) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) throw SystemError("look at", program.string(), errno);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(fmt::format("{} is no program of user {} that nobody else may write to",
                            program.string(), ::geteuid()));
}

// The two ends of a connection. What is sent to a process that has ended raises no signal here.
std::array<files::OwnedDescriptor, 2> connected_ends() {
  const int yes = 1;  // the second end learns who sends
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw SystemError("make", "a pair of sockets", errno);
  std::array<files::OwnedDescriptor, 2> owned{files::OwnedDescriptor(ends[0]),
                                              files::OwnedDescriptor(ends[1])};
  if (::setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) != 0)
    throw SystemError("make", "a pair of sockets", errno);
  return owned;
}

std::string whole_order(const std::string& order, const std::string& program) {
  std::string whole(kOrderVersion);
  whole += order;
  if (whole.size() > kMostOrderBytes)
    throw Error(fmt::format("the order to {} has {} bytes, expected at most {}", program,
                            whole.size(), kMostOrderBytes));
  return whole;
}

bool send_all(int socket, std::string_view bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(bytes.size());
}

// Settings for posix_spawn(): nothing of slurmstepd's but one end of the connection.
class SpawnSettings {
 public:
  explicit SpawnSettings(int connection) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, connection, STDIN_FILENO);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Where slurmstepd takes in orphans, the process would become its child again, be taken for a task,
// and be killed with them.
class NoSubreaper {
 public:
  NoSubreaper() {
    if (::prctl(PR_GET_CHILD_SUBREAPER, &was_, 0, 0, 0) != 0) was_ = 0;
    if (was_ != 0) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  }
  ~NoSubreaper() {
    if (was_ != 0) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  }
  NoSubreaper(const NoSubreaper&) = delete;
  NoSubreaper& operator=(const NoSubreaper&) = delete;

 private:
  int was_ = 0;
};

// The first process ends at once: what goes on is its child, which nobody waits for.
bool first_process_ended(pid_t pid, Clock::time_point deadline) {
  for (;;) {
    const pid_t ended = ::waitpid(pid, nullptr, WNOHANG);
    if (ended == pid || (ended < 0 && errno == ECHILD)) return true;
    if (Clock::now() >= deadline) break;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return false;
}

// The line behind kOtherVersion, which was sent in one piece.
[[noreturn]] void refuse_version(int connection, const std::string& program) {
  std::array<char, 64> text{};
  const ssize_t size = ::recv(connection, text.data(), text.size(), MSG_DONTWAIT);
  const std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  throw Error(
      fmt::format("{} is of {} and its plugin of {}: Huddle was changed meanwhile, and "
                  "this step does without",
                  program, shortened(line.substr(0, line.find('\n'))),
                  kOrderVersion.substr(0, kOrderVersion.size() - 1)));
}

// Who answers that it is ready by then, as the kernel says; nothing if nobody does. Throws Error if
// it is of another version.
std::optional<pid_t> answerer(int connection, Clock::time_point deadline,
                              const std::string& program) {
  if (!files::wait_for_input(connection, deadline)) return std::nullopt;
  char answer = 0;
  struct iovec content {
    &answer, 1
  };
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  struct msghdr message {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != 1) return std::nullopt;
  if (answer == kOtherVersion) refuse_version(connection, program);
  if (answer != kReady) return std::nullopt;
  const cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  ucred credentials{};
  if (rights != nullptr && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_CREDENTIALS)
    std::memcpy(&credentials, CMSG_DATA(rights), sizeof(credentials));
  return credentials.pid;
}

constexpr int kConnection = STDIN_FILENO;

void say_other_version() {
  std::string answer(1, kOtherVersion);
  answer += kOrderVersion;
  ::send(kConnection, answer.data(), answer.size(), MSG_NOSIGNAL);
}

}  // namespace

DetachedProcess::DetachedProcess(const fs::path& program, std::vector<std::string> arguments,
                                 const std::string& order, std::chrono::milliseconds patience)
    : program_(program.string()) {
  const auto deadline = Clock::now() + patience;
  check_program(program);
  const std::string whole = whole_order(order, program_);
  std::array<files::OwnedDescriptor, 2> ends = connected_ends();
  std::string name = program.string();
  std::vector<char*> words = {name.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const std::array<char*, 1> no_environment = {nullptr};
  {
    const NoSubreaper orphans_go_elsewhere;
    const SpawnSettings settings(ends[0].number());
    pid_t pid = 0;
    if (const int failure =
            ::posix_spawn(&pid, program.c_str(), settings.actions(), settings.attributes(),
                          words.data(), no_environment.data()))
      throw SystemError("start", program.string(), failure);
    if (!first_process_ended(pid, deadline))
      throw Error(fmt::format("{} does not start", program.string()));
  }
  ends[0].close();
  const auto pid = send_all(ends[1].number(), whole)
                       ? answerer(ends[1].number(), deadline, program_)
                       : std::nullopt;
  if (!pid) throw Error(fmt::format("{} is not ready for its step", program_));
  identity_ = processes::identity_of(static_cast<std::uint32_t>(*pid))
                  .value_or(processes::ProcessIdentity{});
  connection_ = std::move(ends[1]);
}

// If it has died meanwhile, nobody needs the word.
void DetachedProcess::begin() {
  static_cast<void>(send_all(connection_.number(), "g"));
}

void DetachedProcess::tell(const std::string& order, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  if (!send_all(connection_.number(), whole_order(order, program_)) ||
      !answerer(connection_.number(), deadline, program_))
    throw Error(fmt::format("{} is not ready for its step", program_));
}

void DetachedProcess::end(std::chrono::milliseconds patience) noexcept {
  if (!connection_.valid()) return;
  const auto deadline = Clock::now() + patience;
  // Not only closed: tasks that are not yet programs are copies of this process.
  ::shutdown(connection_.number(), SHUT_WR);
  try {
    files::wait_for_input(connection_.number(), deadline);
  } catch (const SystemError&) {  // then it is not waited for
  }
  connection_.close();
}

bool became_orphan() {
  const pid_t child = ::fork();
  if (child > 0) ::_exit(0);
  return child == 0;
}

std::optional<std::string> read_order(std::chrono::milliseconds patience) {
  constexpr std::string_view kEnd = "\nend\n";
  const auto deadline = Clock::now() + patience;
  std::string text;
  while (!text.ends_with(kEnd) && text.size() <= kMostOrderBytes) {
    if (!files::wait_for_input(kConnection, deadline)) return std::nullopt;
    std::array<char, 4096> piece{};
    const ssize_t size = ::read(kConnection, piece.data(), piece.size());
    if (size <= 0) return std::nullopt;
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  if (!text.starts_with(kOrderVersion)) {
    say_other_version();
    return std::nullopt;
  }
  return text.substr(kOrderVersion.size());
}

bool say_ready() {
  return ::send(kConnection, &kReady, 1, MSG_NOSIGNAL) == 1;
}

}  // namespace huddle::detached
