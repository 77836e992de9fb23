#include "profiles/files/unix_socket.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::files {

struct sockaddr_un socket_address(const std::filesystem::path& path) {
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  const std::string& name = path.native();
  if (name.size() >= sizeof(address.sun_path))
    throw SystemError("use as a socket's name", name, ENAMETOOLONG);
  std::copy(name.begin(), name.end(), static_cast<char*>(address.sun_path));
  return address;
}

OwnedDescriptor new_packet_socket() {
  OwnedDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) throw SystemError("make", "a socket", errno);
  return socket;
}

OwnedDescriptor connect_to(const std::filesystem::path& path,
                           std::chrono::steady_clock::time_point deadline) {
  const struct sockaddr_un address = socket_address(path);
  OwnedDescriptor connection = new_packet_socket();
  // A queue that is full does not wait, it says EAGAIN.
  while (::connect(connection.number(), reinterpret_cast<const struct sockaddr*>(&address),
                   sizeof(address)) != 0) {
    if ((errno != EAGAIN && errno != EINTR) || std::chrono::steady_clock::now() >= deadline)
      throw SystemError("ask", path.string(), errno);
    ::poll(nullptr, 0, 1);
  }
  return connection;
}

bool wait_for_input(int descriptor, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    struct pollfd waiting {
      descriptor, POLLIN, 0
    };
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) throw SystemError("wait for", "a socket", errno);
  }
}

}  // namespace huddle::files
