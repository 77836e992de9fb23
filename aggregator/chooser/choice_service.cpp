#include "aggregator/chooser/choice_service.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <exception>
#include <utility>

#include "profiles/chooser/protocol/chooser_protocol.hpp"

namespace huddle::chooser {
namespace {

std::string nothing_because(std::string_view why) {
  std::string text(kNothingChosen);
  text += why;
  return text;
}

void answer(int socket, std::uint64_t number, std::string chosen) {
  const std::string line = choice_answer(number, std::move(chosen));
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // nobody waits for it any more
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

volatile std::sig_atomic_t watched_socket = -1;

// Another request may have come, too. Safe in a signal's handler.
void exit_at_end_of_connection(int /*signal*/) {
  const int error = errno;
  struct pollfd ended {
    watched_socket, POLLRDHUP, 0
  };
  if (::poll(&ended, 1, 0) > 0 && (ended.revents & (POLLHUP | POLLRDHUP)) != 0) ::_exit(0);
  errno = error;
}

// While it lasts, the end of the connection ends this process: nobody waits for what it computes.
class EndsWithConnection {
 public:
  explicit EndsWithConnection(int socket) : socket_(socket), flags_(::fcntl(socket, F_GETFL)) {
    watched_socket = socket;
    struct sigaction action {};
    action.sa_handler = exit_at_end_of_connection;
    action.sa_flags = SA_RESTART;
    if (flags_ < 0 || ::sigaction(SIGIO, &action, nullptr) != 0 ||
        ::fcntl(socket_, F_SETOWN, ::getpid()) != 0)
      return;
    ::fcntl(socket_, F_SETFL, flags_ | O_ASYNC);
    exit_at_end_of_connection(SIGIO);  // it may have come to its end before
  }
  ~EndsWithConnection() {
    if (flags_ >= 0) ::fcntl(socket_, F_SETFL, flags_);
  }
  EndsWithConnection(const EndsWithConnection&) = delete;
  EndsWithConnection& operator=(const EndsWithConnection&) = delete;

 private:
  int socket_;
  int flags_;
};

std::string answer_to(int socket, const std::string& document,
                      const std::function<std::string(const std::string&)>& choose) {
  const EndsWithConnection ends(socket);
  try {
    return choose(document);
  } catch (const std::exception& failure) {
    return nothing_because(failure.what());
  }
}

}  // namespace

bool serve_choices(int socket, const std::function<std::string(const std::string&)>& choose) {
  ChoiceRequestReader reader;
  std::array<char, 65536> bytes{};
  for (;;) {
    const ssize_t size = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0 && !reader.has_begun();
    try {
      reader.add({bytes.data(), static_cast<std::size_t>(size)});
      while (const auto request = reader.take())
        answer(socket, request->number, answer_to(socket, request->document, choose));
    } catch (const std::exception& failure) {
      answer(socket, 0, nothing_because(failure.what()));
      return false;
    }
  }
}

}  // namespace huddle::chooser
