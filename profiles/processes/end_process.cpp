#include "profiles/processes/end_process.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/process_descriptor.hpp"

namespace huddle::processes {
namespace {

using EndClock = std::chrono::steady_clock;

int milliseconds_to(EndClock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - EndClock::now()).count();
  return static_cast<int>(std::max<long>(left, 0));
}

}  // namespace

bool end_process(const ProcessIdentity& process, std::chrono::milliseconds patience) {
  const auto deadline = EndClock::now() + patience;
  const auto pid = static_cast<pid_t>(process.pid);
  const files::OwnedDescriptor descriptor = descriptor_of(pid);
  // Only now: the number can't become another process's while there is a descriptor.
  if (!is_alive(process)) return true;
  if (!descriptor.valid()) {  // before Linux 5.3, or no descriptor is left
    ::kill(pid, SIGKILL);
    while (is_alive(process) && EndClock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    return !is_alive(process);
  }
  send_signal(descriptor, SIGKILL);
  struct pollfd waiting {
    descriptor.number(), POLLIN, 0
  };
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, milliseconds_to(deadline));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace huddle::processes
