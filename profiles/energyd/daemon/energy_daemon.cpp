#include "profiles/energyd/daemon/energy_daemon.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>

#include "profiles/energyd/daemon/energy_metrics.hpp"
#include "profiles/energyd/daemon/hidden_steps.hpp"
#include "profiles/energyd/daemon/look_pauses.hpp"
#include "profiles/energyd/daemon/node_energy.hpp"
#include "profiles/energyd/daemon/socket_server.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooks(1);
// Coarse: whoever may read the file gets to know no more than this.
constexpr std::chrono::seconds kBetweenMetrics(10);

// Time between two saves of the observations to disk; a day's are as good without the last minutes.
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
    return peer.is_member;
  }
  // Whose members they are; nothing if they are all users, or root alone.
  [[nodiscard]] std::optional<gid_t> group() const { return group_; }

 private:
  bool all_;
  std::optional<gid_t> group_;
};

// SIGTERM and SIGINT as something to be read; blocked for all threads that begin later.
files::OpenFile ending_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor < 0) throw SystemError("wait for", "signals", errno);
  return {descriptor, "signals"};
}

// Notices of files that appear and go in the directory of announcements, which may appear later
// itself.
class StepNews {
 public:
  explicit StepNews(std::filesystem::path directory)
      : directory_(std::move(directory)),
        notices_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC), "inotify") {
    if (notices_.descriptor() < 0) throw SystemError("watch", directory_.string(), errno);
    watch();
  }
  [[nodiscard]] int descriptor() const { return notices_.descriptor(); }
  [[nodiscard]] bool has_some() const {
    struct pollfd waiting {
      descriptor(), POLLIN, 0
    };
    return ::poll(&waiting, 1, 0) > 0;
  }
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
  files::OpenFile notices_;
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
  files::AtomicFile out(file);
  out.write(energy_metrics(energy.sensors(), energy.running()));
  out.commit_soon();
}

Clock::duration processor_time() {
  struct timespec time {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// All that the daemon does, and the moments at which it does it.
class EnergyDaemon {
 public:
  explicit EnergyDaemon(const EnergyDaemonOptions& options)
      : options_(options),
        readers_(options.policy.energy_readers),
        news_(options.notices),
        energy_(NodeEnergyOptions{options.root, options.policy.energy_period, options.notices,
                                  options.run, observations_in(options.state)}),
        server_(options.run / "socket", kMostEnergyRequestBytes, service(), {}) {}

  void run(const files::OpenFile& ending) {
    log_line(fmt::format("{} sensor(s), read every {:g} s", energy_.sensors().size(),
                         options_.policy.energy_period.value));
    look_at_steps();
    for (;;) {
      // News wait for the end of a pause.
      const bool pauses = Clock::now() < pauses_.until();
      const int woken = pauses ? server_.serve(pauses_.until(), {ending.descriptor()})
                               : server_.serve(next_, {news_.descriptor(), ending.descriptor()});
      if (woken == ending.descriptor()) break;
      if (woken < 0 && Clock::now() < next_) continue;
      look_at_steps();
    }
    of_files_.guard([&] { energy_.save(); });
    of_observations_.guard([&] { energy_.save_observations(); });
  }

 private:
  SocketServer::Service service() {
    SocketServer::Service service;
    service.answer = [this](std::string_view text, const Peer& peer) -> std::string {
      const auto request = parse_energy_request(text);
      if (!request) return {};
      EnergyAnswer answer = energy_.answer(*request, {peer.user, readers_.has(peer)});
      answer.trouble = trouble_;
      return text_of(answer);
    };
    service.admit = [this](const Peer& peer) { return admission_of(peer); };
    service.refusal = [this] {
      EnergyAnswer answer;
      answer.trouble = trouble_;
      answer.refusal = trouble_ ? trouble_->what
                                : "you have no step on this node, and none that ended lately: what "
                                  "it takes is told to users who have";
      return text_of(answer);
    };
    EnergyAnswer displaced;
    displaced.refusal = "huddle-energyd has too many connections, ask again later";
    service.displaced = text_of(displaced);
    service.group = readers_.group();
    return service;
  }

  // A step's first question may come sooner than the notice of its announcement.
  Admission admission_of(const Peer& peer) {
    if (readers_.has(peer) || energy_.serves(peer.user)) return Admission::kYes;
    if (!news_.has_some()) return Admission::kNo;
    if (Clock::now() < pauses_.until()) return Admission::kLater;
    look_at_steps();
    return energy_.serves(peer.user) ? Admission::kYes : Admission::kNo;
  }

  void look_at_steps() {
    const Clock::time_point begin = Clock::now();
    const Clock::duration worked = processor_time();
    news_.drain();
    news_.watch();
    of_steps_.guard([&] { energy_.observe_steps(); });
    if (begin >= next_) do_what_is_due();
    const Clock::time_point end = Clock::now();
    pauses_.add(end, end - begin, processor_time() - worked);
  }

  void do_what_is_due() {
    next_ = std::max(next_ + kBetweenLooks, Clock::now());
    of_processes_.guard([&] {
      trouble_ = why_steps_are_hidden();
      if (trouble_) throw Error(trouble_->what + ": " + trouble_->advice);
    });
    energy_.advance();
    for (const std::string& line : energy_.news()) log_line(line);
    if (Clock::now() >= next_observations_) {
      next_observations_ = Clock::now() + kBetweenObservations;
      of_observations_.guard([&] { energy_.save_observations(); });
    }
    of_files_.guard([&] {
      energy_.save();
      if (options_.policy.energy_metrics.empty() || Clock::now() < next_metrics_) return;
      next_metrics_ = Clock::now() + kBetweenMetrics;
      write_metrics(options_.policy.energy_metrics, energy_);
    });
  }

  const EnergyDaemonOptions& options_;
  NodeReaders readers_;
  StepNews news_;
  NodeEnergy energy_;
  LookPauses pauses_;
  std::optional<DaemonTrouble> trouble_;
  Complaints of_steps_;
  Complaints of_processes_;
  Complaints of_files_;
  Complaints of_observations_;
  Clock::time_point next_ = Clock::now();
  Clock::time_point next_metrics_ = Clock::now();
  Clock::time_point next_observations_ = Clock::now() + kBetweenObservations;
  SocketServer server_;
};

}  // namespace

void run_energy_daemon(const EnergyDaemonOptions& options) {
  const files::OpenFile ending = ending_signals();
  EnergyDaemon(options).run(ending);
}

}  // namespace huddle::energyd
