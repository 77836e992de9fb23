#include "spank_plugin/detached/orphaned_process.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "spank_plugin/detached/detached_process.hpp"

namespace huddle {
namespace {

constexpr int kConnection = STDIN_FILENO;

void say_other_version() {
  std::string answer(1, kOtherVersion);
  answer += kOrderVersion;
  ::send(kConnection, answer.data(), answer.size(), MSG_NOSIGNAL);
}

}  // namespace

bool became_orphan() {
  const pid_t child = ::fork();
  if (child > 0) ::_exit(0);
  return child == 0;
}

std::optional<std::string> read_order(std::chrono::milliseconds patience) {
  constexpr std::string_view kEnd = "\nend\n";
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string text;
  while (!text.ends_with(kEnd) && text.size() <= kMostOrderBytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd waiting{kConnection, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
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

}  // namespace huddle
