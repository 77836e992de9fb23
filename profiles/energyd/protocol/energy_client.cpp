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
  if (::send(connection.descriptor(), text.data(), text.size(), MSG_NOSIGNAL) < 0)
    throw SystemError("ask", name, errno);
  wait_for(connection.descriptor(), POLLIN, deadline, name);
  std::string answer(kMostAnswerBytes, '\0');
  const auto size = ::recv(connection.descriptor(), answer.data(), answer.size(), 0);
  if (size <= 0) throw SystemError("ask", name, size == 0 ? ECONNRESET : errno);
  answer.resize(static_cast<std::size_t>(size));
  return parse_energy_answer(answer);
}

}  // namespace huddle
