#include "spank_plugin/keeper/step_keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/cgroups.hpp"
#include "profiles/processes/drop_rights.hpp"
#include "profiles/processes/process_descriptor.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/cpufreq_policy.hpp"
#include "spank_plugin/keeper/clock_envelope.hpp"
#include "spank_plugin/keeper/keep_order.hpp"
#include "spank_plugin/keeper/keeper_socket.hpp"
#include "spank_plugin/keeper/step_members.hpp"

namespace huddle::keeper {
namespace {

constexpr int kOfSlurmstepd = STDIN_FILENO;
// Until slurmstepd has started the watcher and entered its claim.
constexpr std::chrono::seconds kEnvelopePatience{20};

struct UserNumbers {
  uid_t user = 0;
  gid_t group = 0;
};

UserNumbers user_called(const std::string& name) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  for (std::size_t size = 4096;; size *= 4) {
    std::vector<char> memory(size);
    passwd entry{};
    passwd* found = nullptr;
    const int failure = ::getpwnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found);
    if (failure == ERANGE && size < kMostBytes) continue;
    if (failure != 0) throw SystemError("look up the user", name, failure);
    if (found == nullptr || found->pw_uid == 0 || found->pw_gid == 0)
      throw Error(fmt::format("the keeper can't become the user \"{}\"", shortened(name)));
    return {found->pw_uid, found->pw_gid};
  }
}

// The socket's name goes with the keeper, as long as that may remove it.
class ListeningSocket {
 public:
  ListeningSocket(std::string path, uid_t user)
      : path_(std::move(path)), socket_(listen_for_ranks(path_, user)) {}
  ~ListeningSocket() { remove_keeper_socket(path_); }
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;
  [[nodiscard]] int number() const { return socket_.number(); }

 private:
  std::string path_;
  files::OwnedDescriptor socket_;
};

std::vector<EnvelopeClock> clocks_of(const EnvelopeOrder& order) {
  const frequency::SysfsCpufreq files;
  std::vector<EnvelopeClock> clocks;
  std::string driver;
  for (const frequency::MovedClock& moved : order.clocks) {
    if (driver.empty()) driver = frequency::driver_of(files, moved.policy);
    const auto policy = frequency::read_policy(files, moved.policy, moved.pus, driver);
    if (!policy) throw Error(fmt::format("cpufreq/policy{} can't be read", moved.policy));
    clocks.push_back({moved.policy, moved.pus, moved.limits, policy->steps_khz});
  }
  return clocks;
}

files::OwnedDescriptor watcher_of(const EnvelopeOrder& order) {
  files::OwnedDescriptor watcher = processes::descriptor_of(order.watcher.pid);
  if (!watcher.valid() || !processes::is_alive(order.watcher))
    throw Error("the step has no watcher");
  return watcher;
}

int carry_out_keeping() {
  for (const std::string& group : processes::Cgroups().leave_those_of_jobs())
    ::syslog(LOG_WARNING, "stays in the job's cgroup %s: it may end with the job", group.c_str());
  const auto text = detached::read_order();
  if (!text) return 1;
  const KeepOrder order = parse_keep_order(*text);
  const UserNumbers own = user_called(order.keeper_user);
  const ListeningSocket listening(order.socket, order.user);
  if (!detached::say_ready()) return 1;
  const auto more = detached::read_order(kEnvelopePatience);
  if (!more) return 0;  // there is nothing to keep
  const EnvelopeOrder envelope_order = parse_envelope_order(*more);
  const files::OwnedDescriptor watcher = watcher_of(envelope_order);
  const ClockEnvelope envelope(clocks_of(envelope_order));
  processes::drop_rights(own.user, own.group);
  if (!processes::is_alive(order.slurmstepd))
    throw Error(
        "/proc hides other users' processes (hidepid), so nobody could tell whose they are");
  KeeperSettings settings;
  settings.user = order.user;
  settings.is_member = [members = StepMembers(order.step, order.slurmstepd.pid)](pid_t process) {
    return members.contains(process);
  };
  if (!detached::say_ready()) return 1;
  const int status =
      keep_clocks(envelope, settings, listening.number(), kOfSlurmstepd, watcher.number());
  if (status != 0) ::syslog(LOG_WARNING, "not all clocks of the step took their last limit");
  return status;
}

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
    descriptor_ = files::OwnedDescriptor(::signalfd(-1, &terminations, SFD_CLOEXEC | SFD_NONBLOCK));
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
  files::OwnedDescriptor descriptor_;
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

int keep_step() {
  if (!detached::became_orphan()) return 1;
  ::umask(S_IRWXG | S_IRWXO);
  if (::chdir("/") != 0) return 1;
  ::openlog("huddle_clocks", LOG_PID, LOG_DAEMON);
  try {
    return carry_out_keeping();
  } catch (const std::exception& error) {
    ::syslog(LOG_ERR, "the keeper of a step's clocks ends: %s", error.what());
    return 1;
  }
}

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

}  // namespace huddle::keeper
