#include "spank_plugin/courier/program/step_courier.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <set>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/cgroups.hpp"
#include "profiles/recorder/delivery/spool_delivery.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/courier/courier_order.hpp"
#include "spank_plugin/courier/program/step_energy.hpp"
#include "spank_plugin/detached/orphaned_process.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr int kConnection = STDIN_FILENO;
// In case that the kernel's notices are not to be had.
constexpr int kBetweenLooksMs = 2000;

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

// The kernel's notices of what appears in the spool.
class Notices {
 public:
  Notices() : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}
  ~Notices() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  // Folders may be made while others are entered.
  void watch(const recorder::SpoolDelivery& delivery) {
    for (std::set<fs::path> folders = delivery.folders(); folders != watched_;
         folders = delivery.folders()) {
      for (const fs::path& folder : folders)
        ::inotify_add_watch(descriptor_, folder.c_str(),
                            IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR);
      watched_ = std::move(folders);
    }
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void drain() const {
    std::array<char, 4096> notices{};
    while (descriptor_ >= 0 && ::read(descriptor_, notices.data(), notices.size()) > 0) {
    }
  }

 private:
  int descriptor_;
  std::set<fs::path> watched_;
};

// False once slurmstepd, and with it the step, has ended.
bool step_goes_on(const Notices& notices) {
  std::array<pollfd, 2> waiting = {pollfd{kConnection, POLLIN, 0},
                                   pollfd{notices.descriptor(), POLLIN, 0}};
  if (::poll(waiting.data(), waiting.size(), kBetweenLooksMs) <= 0) return true;
  std::array<char, 64> words{};
  return waiting[0].revents == 0 || ::read(kConnection, words.data(), words.size()) > 0;
}

void report_left_profiles(const recorder::SpoolDelivery& delivery) {
  for (const fs::path& folder : delivery.folders())
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (Store::is_profile_of_any_run(name))
        ::syslog(LOG_WARNING, "a profile is lost, the store takes none: %s", name.c_str());
    }
}

void carry_until_end(const CourierOrder& order) {
  if (::mkdir(order.spool.c_str(), S_IRWXU) != 0) throw SystemError("make", order.spool, errno);
  // As long as this process lives: nobody else removes the spool (remove_left_spools()).
  const OwnedDescriptor spool(
      ::open(order.spool.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!spool.valid() || ::flock(spool.number(), LOCK_EX | LOCK_NB) != 0)
    throw SystemError("lock", order.spool, errno);
  recorder::SpoolDelivery delivery(order.spool, order.store, current_user());
  Notices notices;
  notices.watch(delivery);
  bool goes_on = say_ready();
  while (goes_on) {
    goes_on = step_goes_on(notices);
    notices.drain();
    notices.watch(delivery);
    delivery.deliver();
  }
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
  take_rights(order);
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
