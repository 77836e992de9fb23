#include "spank_plugin/clocks/step_watcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// glibc 2.36 declares these functions outside of extern "C".
extern "C" {
}

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/formats/policy/site_switch.hpp"
#include "profiles/processes/cgroups.hpp"
#include "profiles/processes/process_descriptor.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/clocks/step_tasks.hpp"
#include "spank_plugin/clocks/step_watch.hpp"
#include "spank_plugin/clocks/watch_order.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::clocks {
namespace {

constexpr int kConnection = STDIN_FILENO;
// Time between looks: a suspended step may keep its limits for as long.
constexpr std::chrono::milliseconds kBetweenLooks{250};

void log_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) ::syslog(LOG_NOTICE, "%s", line.c_str());
}

// Waits until one of the descriptors (-1: none) has something, and says of each, in their order, if
// it has.
template <std::size_t kSize>
std::array<bool, kSize> wait_for(const std::array<int, kSize>& descriptors,
                                 std::chrono::milliseconds patience) {
  std::array<pollfd, kSize> waiting{};
  for (std::size_t i = 0; i < kSize; ++i) waiting[i] = {descriptors[i], POLLIN, 0};
  std::array<bool, kSize> ready{};
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(patience.count())) <= 0) return ready;
  for (std::size_t i = 0; i < kSize; ++i) ready[i] = waiting[i].revents != 0;
  return ready;
}

// Looks after the site's switch. In a thread of its own, since the policy may be on a file system
// whose server hangs, and the clocks have to be put back all the same. Not joined: the process
// ends with its watch.
class SwitchThread {
 public:
  explicit SwitchThread(submission::Settings settings) {
    std::thread([settings = std::move(settings), off = off_] {
      std::optional<struct timespec> read_last;
      bool disabled = false;
      for (;; std::this_thread::sleep_for(kBetweenLooks)) {
        struct stat status {};
        const bool there = ::stat(settings.policy_file().c_str(), &status) == 0;
        const struct timespec changed = there ? status.st_ctim : timespec{};
        if (!read_last || read_last->tv_sec != changed.tv_sec ||
            read_last->tv_nsec != changed.tv_nsec) {
          read_last = changed;
          disabled = is_disabled(settings, disabled);
        }
        off->store(disabled || !present_stop_file(settings.policy_file()).empty());
      }
    }).detach();
  }
  [[nodiscard]] bool off() const { return off_->load(); }

 private:
  // A policy that can't be believed says nothing new.
  static bool is_disabled(const submission::Settings& settings, bool before) {
    try {
      return !settings.trusted_policy().enabled;
    } catch (const std::exception&) {
      return before;
    }
  }

  std::shared_ptr<std::atomic<bool>> off_ = std::make_shared<std::atomic<bool>>(false);
};

frequency::FrequencyControl::Settings control_settings_of(const WatchOrder& order) {
  frequency::FrequencyControl::Settings settings;
  settings.journal_directory = order.journal_directory;
  settings.site = order.site;
  settings.lock_patience = std::chrono::milliseconds(300);
  return settings;
}

// Returns true if slurmstepd has made its claim and lives. If not it may still have made one.
bool is_told_to_begin(int step, int signals) {
  for (;;) {
    const auto [told, died, signalled] =
        wait_for(std::array{kConnection, step, signals}, std::chrono::hours(1));
    if (signalled || died) return false;
    char word = 0;
    if (told) return ::read(kConnection, &word, 1) == 1;
  }
}

// The keeper of the step's clocks, if there is one. With it its descriptor can be read for ever.
class KeeperLife {
 public:
  explicit KeeperLife(const std::optional<processes::ProcessIdentity>& keeper)
      : process_(keeper ? processes::descriptor_of(keeper->pid) : files::OwnedDescriptor()),
        lives_(process_.number() >= 0 && processes::is_alive(*keeper)) {}
  [[nodiscard]] bool lives() const {
    return lives_ && !wait_for(std::array{process_.number()}, std::chrono::milliseconds(0))[0];
  }
  [[nodiscard]] int descriptor() const { return process_.number(); }

 private:
  files::OwnedDescriptor process_;
  bool lives_;
};

// A signal ends the watch as the step's death does.
void watch(const WatchOrder& order, bool alive, int step, int signals) {
  frequency::SysfsCpufreq files;
  frequency::FrequencyControl control(files, control_settings_of(order));
  StepWatch watch(control, order.claim, order.allocated);
  const SwitchThread site(submission::Settings(std::filesystem::path(order.policy_file)));
  StepTasks tasks(order.claim.owner.pid);
  const KeeperLife keeper(order.claim.keeper);
  StepSight sight;
  sight.alive = alive;
  while (!watch.over()) {
    if (sight.alive) sight.activity = tasks.look();
    sight.kept = keeper.lives();
    // The journal names it, unless that is damaged.
    if (sight.kept && !sight.alive) processes::end_process(*order.claim.keeper);
    sight.switched_off = site.off();
    log_lines(watch.look(sight));
    if (watch.over()) break;
    const files::OwnedDescriptor task = tasks.witness() ? processes::descriptor_of(*tasks.witness())
                                                        : files::OwnedDescriptor();
    const std::array<int, 4> waiting = {sight.alive ? step : -1, sight.alive ? signals : -1,
                                        task.number(), sight.kept ? keeper.descriptor() : -1};
    const auto ready = wait_for(waiting, kBetweenLooks);
    if (ready[0] || ready[1]) sight.alive = false;
  }
}

int signals_as_descriptor() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_CLOEXEC);
}

int carry_out() {
  const files::OwnedDescriptor signals(signals_as_descriptor());
  const std::vector<std::string> kept = processes::Cgroups().leave_those_of_jobs();
  const auto text = detached::read_order();
  if (!text) return 1;
  const WatchOrder order = parse_watch_order(*text);
  const files::OwnedDescriptor step = processes::descriptor_of(order.claim.owner.pid);
  if (step.number() < 0 || !processes::is_alive(order.claim.owner)) return 1;
  if (!detached::say_ready()) return 1;
  const bool begins = is_told_to_begin(step.number(), signals.number());
  ::close(kConnection);
  for (const std::string& group : kept)
    ::syslog(LOG_WARNING, "stays in the job's cgroup %s: it may end with the job", group.c_str());
  watch(order, begins, step.number(), signals.number());
  return 0;
}

}  // namespace

int watch_step() {
  if (!detached::became_orphan()) return 1;
  ::umask(S_IRWXG | S_IRWXO);
  if (::chdir("/") != 0) return 1;
  ::openlog("huddle_clocks", LOG_PID, LOG_DAEMON);
  int status = 1;
  try {
    status = carry_out();
  } catch (const std::exception& error) {
    ::syslog(LOG_ERR, "the watch over a step's clocks ends: %s", error.what());
  }
  ::_exit(status);  // the thread of SwitchThread goes on till then
}

}  // namespace huddle::clocks
