#include "spank_plugin/keeper/keep_clocks.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Makes room for the descriptors of each rank: the socket, what wakes, its end, and for a moment
// its page. It is no failure if there are fewer: then some ranks have to wait.
void raise_descriptor_limit(const KeeperSettings& settings) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = limit.rlim_cur + 3 * settings.connections + 16;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(wanted, limit.rlim_max));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// SIGTERM as something to read, as long as the object is there.
class Terminations {
 public:
  Terminations() {
    sigset_t terminations;
    ::sigemptyset(&terminations);
    ::sigaddset(&terminations, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &terminations, &before_);
    descriptor_ = OwnedDescriptor(::signalfd(-1, &terminations, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  // One that has come has done what it was for.
  ~Terminations() {
    struct signalfd_siginfo come {};
    while (::read(descriptor_.number(), &come, sizeof come) == sizeof come) continue;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Terminations(const Terminations&) = delete;
  Terminations& operator=(const Terminations&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.number(); }

 private:
  sigset_t before_{};
  OwnedDescriptor descriptor_;
};

bool served_until_the_end(KeeperServer& server, int control, int signals, int companion) {
  try {
    server.serve(control, signals, companion);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// Without a server, which there was no memory or no descriptor for.
bool wrote_tops(const ClockEnvelope& envelope) {
  bool all = true;
  for (std::size_t clock = 0; clock < envelope.clocks().size(); ++clock)
    all = envelope.write_most(clock, envelope.clocks()[clock].limits.most_khz) == 0 && all;
  return all;
}

}  // namespace

int keep_clocks(const ClockEnvelope& envelope, const KeeperSettings& settings, int listening,
                int control, int companion) noexcept {
  const Terminations terminations;
  raise_descriptor_limit(settings);
  ::fcntl(listening, F_SETFL, ::fcntl(listening, F_GETFL) | O_NONBLOCK);
  try {
    KeeperServer server(envelope, listening, settings);
    const bool served = served_until_the_end(server, control, terminations.descriptor(), companion);
    return server.end() && served ? 0 : 1;
  } catch (const std::exception&) {
    wrote_tops(envelope);
    return 1;
  }
}

}  // namespace huddle
