#include "profiles/store/store_entrance.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

namespace huddle::store {
namespace {

/// A name without a file: its first byte is 0.
struct Name {
  explicit Name(const std::string& text) {
    address.sun_family = AF_UNIX;
    std::copy(text.begin(), text.end(), address.sun_path + 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t size = 0;
};

files::OwnedDescriptor new_socket() {
  return files::OwnedDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Anybody could take the name; only this user's processes are waited for. One that has just taken
// it, or whose list of callers is full, is taken for this user's.
bool is_taken_by_other(const Name& name) {
  const files::OwnedDescriptor caller = new_socket();
  if (!caller.valid()) return false;
  ucred holder{};
  socklen_t size = sizeof holder;
  return ::connect(caller.number(), name.get(), name.size) == 0 &&
         ::getsockopt(caller.number(), SOL_SOCKET, SO_PEERCRED, &holder, &size) == 0 &&
         holder.uid != ::geteuid();
}

}  // namespace

std::string StoreEntrance::name_for(const Store& store) {
  return fmt::format("huddle-store-entrance-{}-{:x}", ::geteuid(),
                     std::hash<std::string>{}(store.root().string()));
}

StoreEntrance::StoreEntrance(const Store& store, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds kPause{20};
  constexpr int kCallers = 64;
  const Name name(name_for(store));
  socket_ = new_socket();
  for (;;) {
    const bool taken = socket_.valid() && ::bind(socket_.number(), name.get(), name.size) != 0 &&
                       errno == EADDRINUSE && !is_taken_by_other(name);
    held_ = !taken;
    if (held_ || Clock::now() >= deadline) break;
    std::this_thread::sleep_for(kPause);
  }
  if (held_ && socket_.valid()) static_cast<void>(::listen(socket_.number(), kCallers));
}

}  // namespace huddle::store
