#include "spank_plugin/courier/program/step_courier.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/file.h>
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
#include <exception>
#include <filesystem>
#include <thread>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/cgroups.hpp"
#include "profiles/recorder/delivery/spool_delivery.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/courier/courier_limits.hpp"
#include "spank_plugin/courier/courier_order.hpp"
#include "spank_plugin/courier/courier_spool.hpp"
#include "spank_plugin/courier/program/spool_notices.hpp"
#include "spank_plugin/courier/program/step_energy.hpp"
#include "spank_plugin/detached/orphaned_process.hpp"
#include "spank_plugin/detached/step_name.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr int kConnection = STDIN_FILENO;
// In case that the kernel's notices are not to be had.
constexpr std::chrono::milliseconds kBetweenLooks{2000};
// A tenth of one core at most, whatever appears in the spool.
constexpr int kPausePerLook = 9;
// Then the store has hung.
constexpr std::chrono::milliseconds kLongLook{1000};

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
    for (const std::string& name : names_in(folder, 1024))
      if (Store::is_profile_of_any_run(name) && lines-- > 0)
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
  const OwnedDescriptor spool(
      ::open(order.spool.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!spool.valid() || ::flock(spool.number(), LOCK_EX | LOCK_NB) != 0)
    throw SystemError("lock", order.spool, errno);
  recorder::SpoolDelivery delivery(order.spool, order.store, current_user(),
                                   step_name(order.job, order.step));
  SpoolNotices notices;
  const auto look = [&] {
    const auto began = std::chrono::steady_clock::now();
    notices.drain();
    watch_all(notices, delivery);
    delivery.deliver();
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  };
  watch_all(notices, delivery);
  if (say_ready()) {
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
  if (!say_ready()) return;
  std::array<char, 64> words{};
  while (::read(kConnection, words.data(), words.size()) > 0) {
  }
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
  const auto kept = Cgroups().leave_those_of_jobs();
  const auto text = read_order();
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

}  // namespace

int carry_profiles() {
  if (!became_orphan()) return 1;
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

}  // namespace huddle
