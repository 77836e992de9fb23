// huddle_courier: what brings the profiles of a step's ranks to the store beside them, with the
// user's rights. slurmstepd starts it; nobody calls it by hand.
//
//     huddle_courier carry STEP files|energy SLURMSTEPD
//
// Root knows it again by these words (courier_processes.hpp).

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/files/owned_descriptor.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/processes/cgroups.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/recorder/delivery/spool_delivery.hpp"
#include "profiles/store/step_energies.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/courier/courier_order.hpp"
#include "spank_plugin/courier/courier_spool.hpp"
#include "spank_plugin/detached/detached_process.hpp"

namespace huddle::courier {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kConnection = STDIN_FILENO;
// In case that the kernel's notices are not to be had.
constexpr std::chrono::milliseconds kBetweenLooks{2000};
// A tenth of one core at most, whatever appears in the spool.
constexpr int kPausePerLook = 9;
// Then the store has hung.
constexpr std::chrono::milliseconds kLongLook{1000};

/// The kernel's notices of what appears in a spool. Where there are none its descriptor is below 0.
/// Owned by one thread.
class SpoolNotices {
 public:
  /// These from now on. False if they are watched already.
  bool watch(std::set<std::filesystem::path> folders) {
    if (folders == watched_) return false;
    for (const std::filesystem::path& folder : folders)
      ::inotify_add_watch(descriptor(), folder.c_str(),
                          IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR);
    watched_ = std::move(folders);
    return true;
  }
  [[nodiscard]] int descriptor() const { return notices_.number(); }
  void drain() const {
    std::array<char, 4096> notices{};
    while (notices_.valid() && ::read(descriptor(), notices.data(), notices.size()) > 0) {
    }
  }

 private:
  files::OwnedDescriptor notices_{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  std::set<std::filesystem::path> watched_;
};

// For good: the user can't get root's back through this process. Nor may the user's debugger steer
// it, as it is outside of what limits the job.
void take_rights(const CourierOrder& order) {
  if (::geteuid() == 0 && ::setgroups(order.groups.size(), order.groups.data()) != 0)
    throw SystemError("take the groups of user", fmt::format("{}", order.user), errno);
  if (::setresgid(order.group, order.group, order.group) != 0 ||
      ::setresuid(order.user, order.user, order.user) != 0)
    throw SystemError("take the rights of user", fmt::format("{}", order.user), errno);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    throw SystemError("protect", "the courier", errno);
}

// Outside of the limits of its user's job it has those of its own.
void take_limits() {
  ::setpriority(PRIO_PROCESS, 0, kCourierNice);
  constexpr int kOfThread = 1;         // IOPRIO_WHO_PROCESS
  constexpr int kIdleClass = 3 << 13;  // IOPRIO_CLASS_IDLE
  ::syscall(SYS_ioprio_set, kOfThread, 0, kIdleClass);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map all that there is
  const rlimit memory{kMostCourierMemory, kMostCourierMemory};
  if (::setrlimit(RLIMIT_AS, &memory) != 0) throw SystemError("limit", "the courier", errno);
#endif
}

// Relies on the default action of a signal, which ends it also where it hangs in a store of NFS.
// The thread is there for a store that hangs before the step ends.
void end_some_time_after_step(std::uint32_t seconds) {
  std::thread([seconds] {
    pollfd connection{kConnection, POLLRDHUP, 0};
    while (::poll(&connection, 1, -1) < 0 && errno == EINTR) {
    }
    ::alarm(seconds);
  }).detach();
}

// False once slurmstepd, and with it the step, has ended. Waits for that at most so long, or until
// something appears where `notices` are given.
bool step_goes_on(std::chrono::milliseconds most, int notices = -1) {
  std::array<pollfd, 2> waiting = {pollfd{kConnection, POLLIN, 0}, pollfd{notices, POLLIN, 0}};
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(most.count())) <= 0) return true;
  std::array<char, 64> words{};
  return waiting[0].revents == 0 || ::read(kConnection, words.data(), words.size()) > 0;
}

void report_left_profiles(const recorder::SpoolDelivery& delivery) {
  int lines = 16;  // users make the names
  for (const fs::path& folder : delivery.folders())
    for (const std::string& name : files::names_in(folder, 1024))
      if (store::Store::is_profile_of_any_run(name) && lines-- > 0)
        ::syslog(LOG_WARNING, "a profile is lost, the store took none, or it was too large: %s",
                 name.c_str());
}

// Folders may be made while others are entered.
void watch_all(SpoolNotices& notices, const recorder::SpoolDelivery& delivery) {
  for (int round = 0; round < 4 && notices.watch(delivery.folders()); ++round) {
  }
}

// Removes what couriers of this user left that were killed.
void sweep_own_spools() {
  try {
    remove_left_spools();
  } catch (const SystemError&) {  // the end of a job does it
  }
}

void carry_until_end(const CourierOrder& order) {
  if (::mkdir(order.spool.c_str(), S_IRWXU) != 0) throw SystemError("make", order.spool, errno);
  // As long as this process lives: nobody else removes the spool (remove_left_spools()).
  const files::OwnedDescriptor spool(
      ::open(order.spool.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!spool.valid() || ::flock(spool.number(), LOCK_EX | LOCK_NB) != 0)
    throw SystemError("lock", order.spool, errno);
  recorder::SpoolDelivery delivery(order.spool, order.store, store::current_user(),
                                   detached::step_name(order.job, order.step));
  SpoolNotices notices;
  const auto look = [&] {
    const auto began = Clock::now();
    notices.drain();
    watch_all(notices, delivery);
    delivery.deliver();
    return std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - began);
  };
  watch_all(notices, delivery);
  if (detached::say_ready()) {
    sweep_own_spools();
    while (step_goes_on(kBetweenLooks, notices.descriptor()))
      if (!step_goes_on(std::min(kPausePerLook * look(), kBetweenLooks))) break;
  }
  if (look() > kLongLook) look();  // for what was left meanwhile
  report_left_profiles(delivery);
  fs::remove_all(order.spool);
}

// Asleep until then: the node's processors are the job's.
void wait_for_end() {
  if (!detached::say_ready()) return;
  std::array<char, 64> words{};
  while (::read(kConnection, words.data(), words.size()) > 0) {
  }
}

// A user gets answers once a second: other steps may have been asked for just now.
energyd::AnsweredStep ended_step(std::uint32_t job, const std::string& step) {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::milliseconds kPause{250};
  for (const auto deadline = Clock::now() + kPatience; Clock::now() < deadline;
       std::this_thread::sleep_for(kPause)) {
    const energyd::EnergyAnswer answer =
        energyd::ask_energyd({energyd::EnergyRequest::About::kJob, job});
    if (!answer.refusal.empty()) throw Error("huddle-energyd: " + answer.refusal);
    const auto found =
        std::find_if(answer.steps.begin(), answer.steps.end(),
                     [&](const energyd::AnsweredStep& one) { return one.id.step == step; });
    if (found != answer.steps.end() && !found->running) return *found;
  }
  throw Error("huddle-energyd has not noticed its end");
}

// Asks the node's huddle-energyd what the order's step took, once it has ended, and writes that
// into the store of the step's record, with the rights of this process. Waits 5 s at most for the
// daemon to know of the end. Throws Error with the reason if the energy is not known, or can't be
// written.
void leave_step_energy(const CourierOrder& order) {
  const Outcome outcome = parse_outcome(order.outcome, kOutcomePlace);
  const store::Store store(order.outcome_store);
  const store::StoreKey key{outcome.user, outcome.label, outcome.ranks};
  if (!store.has_folder(key)) throw Error("the store has no folder for it");
  const power::EnergyShare total = ended_step(order.job, std::to_string(order.step)).total();
  if (total.lost > Seconds{0})
    throw Error(fmt::format("huddle-energyd does not know it for {:.3g} s", total.lost.value));
  if (!(total.known > Seconds{0})) throw Error("huddle-energyd has no sensor that it can read");
  store::store_step_energy(store.folder(key),
                           {order.job, order.step, processes::host_name(), utc_now(), total.known,
                            total.measured, total.attributed});
}

// Why not is for administrators: most often the site has no sensor.
void leave_energy_or_log(const CourierOrder& order) {
  try {
    leave_step_energy(order);
  } catch (const std::exception& error) {
    ::syslog(LOG_INFO, "the energy of step %u.%u is not recorded: %s", order.job, order.step,
             error.what());
  }
}

int carry_out() {
  const auto kept = processes::Cgroups().leave_those_of_jobs();
  const auto text = detached::read_order();
  if (!text) return 1;
  const CourierOrder order = parse_courier_order(*text);
  take_limits();
  take_rights(order);
  end_some_time_after_step(order.seconds_after_step);
  for (const std::string& group : kept)
    ::syslog(LOG_WARNING, "stays in the job's cgroup %s: it may end with the job", group.c_str());
  if (order.spool.empty())
    wait_for_end();
  else
    carry_until_end(order);
  if (!order.outcome_store.empty()) leave_energy_or_log(order);
  return 0;
}

// `huddle_courier`: started by the slurmstepd of a measured step with a connection as standard
// input. Becomes a process that belongs to nobody (new session, no descriptor of slurmstepd's, no
// cgroup of the job), reads the order (courier_order.hpp), takes the user's rights and no others,
// makes the spool and answers one byte. Then it brings what the step's ranks leave in the spool to
// the store (SpoolDelivery) until the connection ends, and removes the spool. Where the store does
// not answer it hangs alone, until its alarm kills it (CourierOrder::seconds_after_step). Works
// within limits (courier_limits.hpp, CarrierLimits), of which 32 MiB/s and nice 10 are two, and
// while the step goes on for a tenth of the time at most. Before that it removes spools that
// killed couriers of its user left. Returns the exit status.
int carry_profiles() {
  if (!detached::became_orphan()) return 1;
  ::umask(S_IWGRP | S_IWOTH);  // the user's part of the store guards what is in it
  if (::chdir("/") != 0) return 1;
  ::openlog("huddle_courier", LOG_PID, LOG_DAEMON);
  try {
    return carry_out();
  } catch (const std::exception& error) {
    ::syslog(LOG_ERR, "the courier of a step ends: %s", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace huddle::courier

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "carry") return huddle::courier::carry_profiles();
  std::fputs("huddle_courier: slurmstepd starts this program\n", stderr);
  return 2;
}
