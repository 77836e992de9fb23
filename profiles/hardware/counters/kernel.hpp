#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace huddle::counters {

/// The kernel's code of an event: the fields of perf_event_attr with the same names.
struct EventCode {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;

  friend bool operator==(const EventCode&, const EventCode&) = default;
};

/// One event to be counted for one thread and, from then on, for the threads that it makes.
struct EventRequest {
  EventCode code;
  /// 0 for the calling thread.
  pid_t thread = 0;
  /// Descriptor of the leader of the group that the event joins; -1 to lead a new one.
  int leader = -1;
  /// Not what the kernel does on the thread's behalf.
  bool user_only = false;
  /// Threads of this process only; otherwise processes that it forks are counted too.
  bool threads_only = false;
  /// A read of the leader's descriptor returns the counts of the whole group.
  bool group_read = false;
};

/// Resources that the process used so far, all its threads together, as getrusage(2) counts.
struct ProcessUsage {
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t context_switches = 0;
};

/// The calls to the kernel that counting needs. Tests put others in their place. None may throw.
struct KernelCalls {
  void* context = nullptr;
  /// perf_event_open(2): a descriptor that no exec passes on, or a negative errno value.
  int (*open_event)(void* context, const EventRequest& request) = nullptr;
  /// read(2): how many bytes, or a negative errno value.
  long (*read_event)(void* context, int descriptor, void* buffer, std::size_t size) = nullptr;
  /// The number of the event that this descriptor stands for: 0, or a negative errno value if it
  /// stands for something else.
  int (*event_id)(void* context, int descriptor, std::uint64_t* id) = nullptr;
  void (*close_event)(void* context, int descriptor) = nullptr;
  void (*usage)(void* context, ProcessUsage* usage) = nullptr;
  /// CPU time of all threads of the process so far, in ns.
  std::uint64_t (*cpu_time)(void* context) = nullptr;
};

struct Kernel {
  KernelCalls calls;
  std::filesystem::path sysfs = "/sys";
  std::filesystem::path proc = "/proc";
  /// The most descriptors that counting may take for itself.
  std::size_t most_descriptors = 0;

  /// The one that runs. At most a quarter of the process's limit of descriptors is taken, and these
  /// get high numbers where they can, so that the program's files have those they would have.
  static Kernel real();
};

/// The value of /proc/sys/kernel/perf_event_paranoid, nothing if it can't be read. Linux knows -1
/// to 2; with Debian's and Ubuntu's 3 and 4 nobody counts without privileges.
std::optional<int> perf_event_paranoid(const Kernel& kernel);

}  // namespace huddle::counters
