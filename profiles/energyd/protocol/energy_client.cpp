#include "profiles/energyd/protocol/energy_client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Clock = std::chrono::steady_clock;

void wait_for(int descriptor, short event, Clock::time_point deadline, const std::string& name) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    struct pollfd waiting {
      descriptor, event, 0
    };
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<long>(left, 0)));
    if (ready > 0) return;
    if (ready == 0) throw SystemError("ask", name, ETIMEDOUT);
    if (errno != EINTR) throw SystemError("ask", name, errno);
  }
}

// The answer that came before the connection ended, if one did: a daemon that refuses does not wait
// for what is asked. The first look may find that the question was not read.
std::string last_packet(int descriptor, Clock::time_point deadline, const std::string& name) {
  std::string answer(kMostAnswerBytes, '\0');
  wait_for(descriptor, POLLIN, deadline, name);
  auto size = ::recv(descriptor, answer.data(), answer.size(), 0);
  if (size < 0 && errno == ECONNRESET) size = ::recv(descriptor, answer.data(), answer.size(), 0);
  if (size < 0 && errno != ECONNRESET) throw SystemError("ask", name, errno);
  answer.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return answer;
}

EnergyAnswer unanswered() {
  EnergyAnswer answer;
  answer.refusal =
      "huddle-energyd ended the connection: it answers root, users who have a step on this node or "
      "had one lately, and whom energy.readers in huddle.toml names";
  return answer;
}

}  // namespace

EnergyAnswer ask_energyd(const EnergyRequest& request, const std::filesystem::path& socket,
                         std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const std::string name = socket.string();
  const OpenFile connection(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                            name);
  if (connection.descriptor() < 0) throw SystemError("make", "a socket", errno);
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof(address.sun_path)) throw SystemError("ask", name, ENAMETOOLONG);
  std::copy(name.begin(), name.end(), address.sun_path);
  // A queue that is full does not wait, it says EAGAIN.
  while (::connect(connection.descriptor(), reinterpret_cast<struct sockaddr*>(&address),
                   sizeof(address)) != 0) {
    if (errno != EAGAIN || Clock::now() >= deadline) throw SystemError("ask", name, errno);
    ::poll(nullptr, 0, 1);
  }
  const std::string text = text_of(request);
  if (::send(connection.descriptor(), text.data(), text.size(), MSG_NOSIGNAL) < 0 &&
      errno != EPIPE && errno != ECONNRESET)
    throw SystemError("ask", name, errno);
  const std::string answer = last_packet(connection.descriptor(), deadline, name);
  return answer.empty() ? unanswered() : parse_energy_answer(answer);
}

}  // namespace huddle
