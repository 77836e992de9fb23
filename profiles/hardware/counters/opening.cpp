#include <errno.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/counters/refusal.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::counters {
namespace {

// Events that belong together in a group if they are wanted: work, time, and the traffic of the
// caches.
constexpr std::array<std::string_view, 5> kTogether = {"instructions", "cycles", "cpu-cycles",
                                                       "cache-references", "cache-misses"};

bool is_together(const Event& event) {
  return std::find(kTogether.begin(), kTogether.end(), event.asked) != kTogether.end();
}

// The threads of this process but the calling one.
std::vector<pid_t> other_threads(const std::filesystem::path& proc) {
  std::vector<pid_t> threads;
  std::error_code unreadable;
  std::filesystem::directory_iterator entry(proc / "self/task", unreadable);
  for (const std::filesystem::directory_iterator end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    const std::string name = entry->path().filename().string();
    const pid_t thread = number_in<pid_t>(name).value_or(0);
    if (thread > 0 && thread != ::gettid()) threads.push_back(thread);
  }
  return threads;
}

}  // namespace

/// The making of a CounterSet, step by step.
class Opening {
 public:
  explicit Opening(const Kernel& kernel) : kernel_(kernel), pmus_(kernel.sysfs) {
    circumstances_.paranoid = perf_event_paranoid(kernel);
    circumstances_.has_core_counters = !pmus_.core_pmus().empty();
    set_.calls_ = kernel.calls;
  }

  CounterSet open(std::span<const std::string> wanted) {
    for (const std::string& name : wanted) find(name);
    reasons_.resize(events_.size());
    if (const int error = find_mode(); error != 0)
      refuse_all(reason_for_refusal(error, circumstances_));
    open_groups();
    follow_other_threads();
    finish();
    return std::move(set_);
  }

 private:
  using Places = std::vector<std::uint32_t>;

  void find(const std::string& name) {
    try {
      for (Event& event : find_event(name, pmus_)) {
        if (events_.size() < kMostEvents)
          events_.push_back(std::move(event));
        else
          absent(event.name, fmt::format("at most {} events are counted", kMostEvents));
      }
    } catch (const Error& error) {
      absent(name, error.what());
    }
  }

  void absent(const std::string& name, const std::string& reason) {
    set_.absent_.push_back({name, reason, 1});
  }

  [[nodiscard]] bool is_open(std::uint32_t place) const { return reasons_[place].empty(); }

  // True if the kernel says of each event that it knows none such: then what it can and permits
  // does not matter. An event that it does open, though it counts nothing, may cost it
  // milliseconds, as the first one of a machine.
  [[nodiscard]] bool none_exists() const {
    if (circumstances_.has_core_counters) return false;
    return std::all_of(events_.begin(), events_.end(), [&](const Event& event) {
      if (event.source == Source::kProcess) return true;
      EventGroup group(kernel_.calls, set_.mode_, 0);
      return group.add(0, event.code) == ENOENT;
    });
  }

  // Finds out what the kernel can and permits, by an event that counts nothing. Returns 0, or why
  // no event at all can be opened.
  int find_mode() {
    const bool needed = std::any_of(events_.begin(), events_.end(), [](const Event& event) {
      return event.source != Source::kProcess;
    });
    if (!needed || none_exists()) return 0;
    CountingMode& mode = set_.mode_;
    while (true) {
      EventGroup group(kernel_.calls, mode, 0);
      const int error = group.add(0, {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0});
      const bool is_unknown = error == EINVAL || error == E2BIG;
      if ((error == EACCES || error == EPERM) && !mode.user_only)
        mode.user_only = true;
      else if (is_unknown && mode.threads_only)
        mode.threads_only = false;
      else if (is_unknown && mode.group_read)
        mode.group_read = false;
      else
        return error;
    }
  }

  void refuse_all(const std::string& reason) {
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      if (events_[i].source != Source::kProcess) reasons_[i] = reason;
  }

  void open_groups() {
    circumstances_.user_only = set_.mode_.user_only;
    Places order;
    for (const bool together : {true, false})
      for (std::uint32_t i = 0; i < events_.size(); ++i)
        if (is_together(events_[i]) == together && events_[i].source != Source::kProcess)
          order.push_back(i);
    for (const std::uint32_t place : order) {
      if (!is_open(place)) continue;
      if (events_[place].in_kernel && set_.mode_.user_only)
        reasons_[place] = reason_for_kernel_event(circumstances_);
      else if (const int error = open_event(place); error != 0)
        reasons_[place] = reason_for_absence(error, events_[place], circumstances_);
    }
  }

  // In the last group of its PMU, or in a new one if it does not fit there.
  int open_event(std::uint32_t place) {
    const Event& event = events_[place];
    const auto last =
        std::find_if(set_.groups_.rbegin(), set_.groups_.rend(), [&](const auto& group) {
          return events_[group.members().front().place].pmu_type == event.pmu_type;
        });
    if (last != set_.groups_.rend())
      if (const int error = last->add(place, event.code); error != EINVAL) return error;
    EventGroup group(kernel_.calls, set_.mode_, 0);
    const int error = group.add(place, event.code);
    if (error == 0) set_.groups_.push_back(std::move(group));
    return error;
  }

  // The kernel counts for one thread and those that it makes afterwards. Threads that are there
  // already, such as an MPI library's, get groups of their own. Counts of some threads only would
  // be wrong: then there are none.
  void follow_other_threads() {
    const std::vector<pid_t> threads = other_threads(kernel_.proc);
    std::size_t events = 0;
    for (const EventGroup& group : set_.groups_) events += group.members().size();
    if (events * (threads.size() + 1) > kernel_.most_descriptors) {
      drop_all(
          fmt::format("the program has {} threads already, and {} file descriptors are too few "
                      "for their counters (raise ulimit -n)",
                      threads.size() + 1, kernel_.most_descriptors));
      return;
    }
    const std::size_t of_this_thread = set_.groups_.size();
    for (const pid_t thread : threads)
      for (std::size_t i = 0; i < of_this_thread; ++i) follow(i, thread);
    std::erase_if(set_.groups_,
                  [&](const EventGroup& group) { return !is_open(group.members().front().place); });
  }

  void follow(std::size_t pattern, pid_t thread) {
    EventGroup group(kernel_.calls, set_.mode_, thread);
    for (const EventGroup::Member& member : set_.groups_[pattern].members()) {
      if (!is_open(member.place)) return;
      const int error = group.add(member.place, member.code);
      if (error == ESRCH) return;  // it has ended
      if (error == 0) continue;
      for (const EventGroup::Member& lost : set_.groups_[pattern].members())
        reasons_[lost.place] = reason_for_absence(error, events_[lost.place], circumstances_);
      return;
    }
    set_.groups_.push_back(std::move(group));
  }

  void drop_all(const std::string& reason) {
    for (const EventGroup& group : set_.groups_)
      for (const EventGroup::Member& member : group.members()) reasons_[member.place] = reason;
    set_.groups_.clear();
  }

  void finish() {
    Places places(events_.size(), 0);
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (!is_open(i)) {
        absent(event.name, reasons_[i]);
        continue;
      }
      places[i] = static_cast<std::uint32_t>(set_.names_.size());
      set_.names_.push_back(event.name);
      set_.counted_.push_back({event.source, event.count, {}});
      const bool of_process = event.source == Source::kProcess;
      set_.wants_clock_ |= of_process && event.count == ProcessCount::kTaskClock;
      set_.wants_usage_ |= of_process && event.count != ProcessCount::kTaskClock;
    }
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      if (is_open(i)) set_.counted_[places[i]].kinds = kinds_of(i, places);
    for (EventGroup& group : set_.groups_) group.move_to(places);
    set_.hardware_absent_reason_ = hardware_absent_reason();
  }

  // Where the same event is counted on all kinds of cores; empty if it is not on all.
  [[nodiscard]] Places kinds_of(std::uint32_t place, const Places& places) const {
    const Event& event = events_[place];
    if (event.source != Source::kCore || !pmus_.is_hybrid()) return {places[place]};
    Places kinds;
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      if (is_open(i) && events_[i].asked == event.asked) kinds.push_back(places[i]);
    return kinds.size() == pmus_.core_pmus().size() ? kinds : Places{};
  }

  [[nodiscard]] std::string hardware_absent_reason() const {
    std::string reason;
    bool is_wanted = false;
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      if (events_[i].source != Source::kCore) continue;
      if (is_open(i)) return {};
      if (!is_wanted) reason = reasons_[i];
      is_wanted = true;
    }
    return is_wanted ? reason : set_.hardware_absent_reason_;
  }

  const Kernel& kernel_;
  PmuDirectory pmus_;
  Circumstances circumstances_;
  CounterSet set_;
  std::vector<Event> events_;
  // Why an event can't be counted; empty while it can. At the same places as events_.
  std::vector<std::string> reasons_;
};

CounterSet CounterSet::open(std::span<const std::string> wanted, const Kernel& kernel) {
  const int kept = errno;
  CounterSet set = Opening(kernel).open(wanted);
  errno = kept;
  return set;
}

}  // namespace huddle::counters
