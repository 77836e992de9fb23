#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/hardware/counters/kernel.hpp"
#include "profiles/hardware/counters/pmu.hpp"

namespace huddle::counters {

/// Who counts an event.
enum class Source : std::uint8_t {
  /// The system does always, for the whole process: no descriptor, no permission is needed.
  kProcess,
  /// The kernel, as a software event.
  kSoftware,
  /// A counter of the cores.
  kCore,
  /// A counter elsewhere that still distinguishes processes, such as msr.
  kOther,
};

/// Events that getrusage and the clock of the process count.
enum class ProcessCount : std::uint8_t {
  kTaskClock,  ///< CPU time in ns
  kPageFaults,
  kMinorFaults,
  kMajorFaults,
  kContextSwitches,
};

/// An event that was found by its name.
struct Event {
  /// As it was asked for; on hybrid machines with the kind of core in front: "cpu_core/cycles".
  std::string name;
  /// As it was asked for.
  std::string asked;
  Source source = Source::kCore;
  /// For kProcess.
  ProcessCount count = ProcessCount::kTaskClock;
  /// For all others.
  EventCode code;
  /// The PMU's name; empty if the machine has one kind of cores and the event is generic.
  std::string pmu;
  /// Type of the PMU: only events of one PMU can be in a group.
  std::uint32_t pmu_type = 0;
  /// Happens in the kernel, so that who may only count in user space would count 0.
  bool in_kernel = false;
};

/// Finds what `name` means here. Names are those of the command perf: generic hardware events
/// ("instructions"), events of caches ("LLC-load-misses"), of the kernel ("task-clock"), codes of
/// the processor ("r01c2"), and what /sys lists ("cpu/event=0x3c,umask=1/"). Hardware events give
/// one event for each kind of core. Whether the machine can count it shows when it is opened.
///
/// Throws Error with the reason if it means nothing.
std::vector<Event> find_event(std::string_view name, const PmuDirectory& pmus);

/// Returns the events that are counted if nobody says otherwise: how much work, how long it took,
/// what went past the private caches and what past the last one, and what the system did to the
/// process meanwhile.
std::vector<std::string> default_events();

/// Reads a list such as "instructions,cycles,cpu/event=0x3c,umask=1/": names with commas between
/// them, where commas between slashes belong to the name. Spaces around names are dropped. The
/// empty text is the empty list. The names are not looked up: that takes the machine that counts.
///
/// Throws FormatError, whose file is `where`, if a name is empty, there twice, has a slash without
/// its partner or letters that no event has, or if there are more than kMostEvents.
std::vector<std::string> parse_event_list(std::string_view text, std::string_view where);

}  // namespace huddle::counters
