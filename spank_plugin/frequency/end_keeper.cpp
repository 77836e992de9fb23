#include "spank_plugin/frequency/end_keeper.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle {
namespace {

using KeeperClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kKeeperPatience{200};

int milliseconds_until(KeeperClock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - KeeperClock::now()).count();
  return static_cast<int>(std::max<long>(left, 0));
}

}  // namespace

bool end_keeper(const ProcessIdentity& keeper) {
  const auto deadline = KeeperClock::now() + kKeeperPatience;
  const auto pid = static_cast<pid_t>(keeper.pid);
  const OwnedDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Only now: the number can't become another process's while there is a descriptor.
  if (!is_alive(keeper)) return true;
  if (!process.valid()) {  // before Linux 5.3, or no descriptor is left
    ::kill(pid, SIGKILL);
    while (is_alive(keeper) && KeeperClock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    return !is_alive(keeper);
  }
  ::syscall(SYS_pidfd_send_signal, process.number(), SIGKILL, nullptr, 0);
  struct pollfd waiting {
    process.number(), POLLIN, 0
  };
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, milliseconds_until(deadline));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace huddle
