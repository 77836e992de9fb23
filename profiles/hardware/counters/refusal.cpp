#include "profiles/hardware/counters/refusal.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <string_view>
#include <system_error>

namespace huddle::counters {
namespace {

std::string text_of(int error) {
  return std::generic_category().message(error);
}

std::string no_permission(int error, const Circumstances& circumstances) {
  if (circumstances.paranoid.value_or(0) > 2)
    return fmt::format(
        "perf_event_paranoid is {}: counters need 2 or less (as root: sysctl "
        "kernel.perf_event_paranoid=2)",
        *circumstances.paranoid);
  const std::string level =
      circumstances.paranoid
          ? fmt::format(", though perf_event_paranoid is {}", *circumstances.paranoid)
          : std::string();
  return fmt::format(
      "perf_event_open is not permitted ({}){}: probably by a container's seccomp filter or a "
      "security module (allow the call there, or grant CAP_PERFMON)",
      text_of(error), level);
}

}  // namespace

std::string reason_for_refusal(int error, const Circumstances& circumstances) {
  switch (error) {
    case EACCES:
    case EPERM:
      return no_permission(error, circumstances);
    case ENOSYS:
      return "this system has no perf_event_open: a kernel without CONFIG_PERF_EVENTS, or a "
             "container that hides the call";
    case EMFILE:
    case ENFILE:
      return fmt::format("no file descriptor is left for counters ({}): raise ulimit -n",
                         text_of(error));
    default:
      return fmt::format("perf_event_open failed: {}", text_of(error));
  }
}

std::string reason_for_absence(int error, const Event& event, const Circumstances& circumstances) {
  const bool is_core = event.source == Source::kCore;
  if (is_core && !circumstances.has_core_counters &&
      (error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == ENXIO))
    return "this machine offers no hardware counters (a virtual machine?)";
  const std::string_view who = is_core && event.pmu.empty() ? "this processor"
                               : event.pmu.empty()          ? "this kernel"
                                                            : std::string_view(event.pmu);
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return fmt::format("{} has no such event", who);
    case EINVAL:
      if (event.source == Source::kOther && circumstances.user_only)
        return fmt::format("{} can't leave the kernel's part out, and {}", who,
                           reason_for_kernel_event(circumstances));
      return fmt::format("{} can't count this event for one process (or has no such code)", who);
    case EOPNOTSUPP:
      return fmt::format("{} can't count this event in the way that was asked for", who);
    case EBUSY:
      return fmt::format("{} is used by another tool alone", who);
    default:
      return reason_for_refusal(error, circumstances);
  }
}

std::string reason_for_kernel_event(const Circumstances& circumstances) {
  const std::string level = circumstances.paranoid
                                ? fmt::format("perf_event_paranoid is {}", *circumstances.paranoid)
                                : std::string("counting is limited to user space");
  return fmt::format(
      "{}: what happens in the kernel needs 1 or less (as root: sysctl "
      "kernel.perf_event_paranoid=1)",
      level);
}

}  // namespace huddle::counters
