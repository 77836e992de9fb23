#include "profiles/energyd/daemon/energy_daemon.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>

#include "profiles/energyd/daemon/energy_metrics.hpp"
#include "profiles/energyd/daemon/node_energy.hpp"
#include "profiles/energyd/daemon/socket_server.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooks(1);
// Coarse: whoever may read the file gets to know no more than this.
constexpr std::chrono::seconds kBetweenMetrics(10);

// Of a disk; a day's observations are as good without the last minutes.
constexpr std::chrono::minutes kBetweenObservations(10);
constexpr const char* kObservationsFile = "power-observations.json";

void log_line(const std::string& line) {
  fmt::print(stderr, "huddle-energyd: {}\n", line);
}

// Who the site lets know what the node takes.
class NodeReaders {
 public:
  explicit NodeReaders(const std::string& name) : all_(name == "all") {
    if (all_ || name == "root") return;
    if (const struct group* entry = ::getgrnam(name.c_str()))
      group_ = entry->gr_gid;
    else
      log_line(
          fmt::format("there is no group {} (energy.readers): only root knows what the node "
                      "takes",
                      name));
  }
  [[nodiscard]] bool has(const Peer& peer) const {
    if (all_ || peer.user == 0) return true;
    return group_ &&
           std::find(peer.groups.begin(), peer.groups.end(), *group_) != peer.groups.end();
  }

 private:
  bool all_;
  std::optional<gid_t> group_;
};

// SIGTERM and SIGINT as something to be read; blocked for all threads that begin later.
OpenFile ending_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor < 0) throw SystemError("wait for", "signals", errno);
  return {descriptor, "signals"};
}

// What appears and goes in the directory of announcements, which may appear later itself.
class StepNews {
 public:
  explicit StepNews(std::filesystem::path directory)
      : directory_(std::move(directory)),
        notices_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC), "inotify") {
    if (notices_.descriptor() < 0) throw SystemError("watch", directory_.string(), errno);
    watch();
  }
  [[nodiscard]] int descriptor() const { return notices_.descriptor(); }
  // A directory that was made anew is another one. Where there is none yet, that it appears is
  // seen in one above.
  void watch() const {
    for (std::filesystem::path place = directory_;; place = place.parent_path())
      if (::inotify_add_watch(descriptor(), place.c_str(),
                              IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR) >= 0 ||
          place == place.parent_path())
        return;
  }
  void drain() const {
    std::array<char, 4096> notices{};
    while (::read(descriptor(), notices.data(), notices.size()) > 0) {
    }
  }

 private:
  std::filesystem::path directory_;
  OpenFile notices_;
};

// Logs an error once, however often it occurs again: what can't be written now may succeed later.
class Complaints {
 public:
  template <class Act>
  void guard(Act act) {
    try {
      act();
      last_.clear();
    } catch (const Error& error) {
      if (last_ != error.what()) log_line(error.what());
      last_ = error.what();
    }
  }

 private:
  std::string last_;
};

std::filesystem::path observations_in(const std::filesystem::path& state) {
  std::error_code failure;
  return std::filesystem::is_directory(state, failure) ? state / kObservationsFile
                                                       : std::filesystem::path();
}

void write_metrics(const std::filesystem::path& file, const NodeEnergy& energy) {
  AtomicFile out(file);
  out.write(energy_metrics(energy.sensors(), energy.running()));
  out.commit_soon();
}

}  // namespace

void run_energy_daemon(const EnergyDaemonOptions& options) {
  const OpenFile ending = ending_signals();
  const NodeReaders readers(options.policy.energy_readers);
  const StepNews news(options.notices);
  NodeEnergy energy(NodeEnergyOptions{options.root, options.policy.energy_period, options.notices,
                                      options.run, observations_in(options.state)});
  SocketServer server(options.run / "socket", kMostEnergyRequestBytes,
                      [&](std::string_view text, const Peer& peer) -> std::string {
                        const auto request = parse_energy_request(text);
                        if (!request) return {};
                        return text_of(energy.answer(*request, {peer.user, readers.has(peer)}));
                      },
                      {});
  log_line(fmt::format("{} sensor(s), read every {:g} s", energy.sensors().size(),
                       options.policy.energy_period.value));
  Complaints of_steps;
  Complaints of_files;
  of_steps.guard([&] { energy.observe_steps(); });
  Clock::time_point next = Clock::now() + kBetweenLooks;
  Clock::time_point next_metrics = Clock::now();
  Clock::time_point next_observations = Clock::now() + kBetweenObservations;
  Complaints of_observations;
  for (;;) {
    const int woken = server.serve(next, {news.descriptor(), ending.descriptor()});
    if (woken == ending.descriptor()) break;
    news.drain();
    news.watch();
    of_steps.guard([&] { energy.observe_steps(); });
    if (Clock::now() < next) continue;
    next = std::max(next + kBetweenLooks, Clock::now());
    energy.advance();
    for (const std::string& line : energy.news()) log_line(line);
    if (Clock::now() >= next_observations) {
      next_observations = Clock::now() + kBetweenObservations;
      of_observations.guard([&] { energy.save_observations(); });
    }
    of_files.guard([&] {
      energy.save();
      if (options.policy.energy_metrics.empty() || Clock::now() < next_metrics) return;
      next_metrics = Clock::now() + kBetweenMetrics;
      write_metrics(options.policy.energy_metrics, energy);
    });
  }
  of_files.guard([&] { energy.save(); });
  of_observations.guard([&] { energy.save_observations(); });
}

}  // namespace huddle
