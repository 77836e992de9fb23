#include "profiles/recorder/moves/own_threads.hpp"

#include <dirent.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

const char* text_of(WhyNotMoved reason) noexcept {
  switch (reason) {
    case WhyNotMoved::kNone:
      break;
    case WhyNotMoved::kTooShort:
      return "the run ended before moving was affordable, or its phases do not come again";
    case WhyNotMoved::kNotTogether:
      return "the ranks of a node were not moved together for a whole phase";
    case WhyNotMoved::kNothingDenser:
      return "a node's ranks do not fit, one to a core, on fewer dies of the same package";
    case WhyNotMoved::kThreads:
      return "a rank that is not bound to one core computes with several threads";
    case WhyNotMoved::kBoundItself:
      return "the program binds itself";
    case WhyNotMoved::kRefused:
      return "the system did not let a rank move";
    case WhyNotMoved::kNoTopology:
      return "Linux does not report the cores and dies of a node";
    case WhyNotMoved::kNoSharedMemory:
      return "the ranks of a node could not share memory";
    case WhyNotMoved::kSharedNode:
      return "the job does not have a node alone, or its ranks were bound on purpose";
  }
  return "";
}

namespace {

// As many PUs as Linux can be built for. A kernel of fewer takes and gives the lower bits.
constexpr std::size_t kPus = 8192;

class Mask {
 public:
  Mask() = default;
  explicit Mask(const PuSet& pus) {
    for (const std::uint32_t pu : pus.members())
      if (pu < kPus) CPU_SET_S(pu, sizeof bits_, set());
  }
  bool read_of(pid_t thread) noexcept {
    return sched_getaffinity(thread, sizeof bits_, set()) == 0;
  }
  [[nodiscard]] bool give_to(pid_t thread) const noexcept {
    if (sched_setaffinity(thread, sizeof bits_, set()) != 0) return false;
    Mask now;  // outside of the control group's PUs the system gives less than was asked for
    return now.read_of(thread) && now == *this;
  }
  friend bool operator==(const Mask&, const Mask&) = default;

 private:
  [[nodiscard]] cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(bits_.data()); }  // NOLINT
  [[nodiscard]] const cpu_set_t* set() const {
    return reinterpret_cast<const cpu_set_t*>(bits_.data());  // NOLINT: sized by the macros
  }
  std::array<unsigned long, kPus / (8 * sizeof(unsigned long))> bits_{};
};

bool is_alive(pid_t thread) {
  Mask any;
  return any.read_of(thread);
}

std::vector<pid_t> threads() {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  std::vector<pid_t> list;
  const std::unique_ptr<DIR, Close> directory(::opendir("/proc/self/task"));
  if (!directory) throw SystemError("list", "this process's threads", errno);
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT: no other thread has it
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (failure == std::errc{} && end == name.data() + name.size()) list.push_back(thread);
  }
  return list;
}

// A thread that is made meanwhile inherits the mask of its maker, old or new: so lists are read
// until one has no new thread.
class Movement {
 public:
  Movement(const PuSet& from, const PuSet& to) : from_(from), to_(to) {}

  WhyNotMoved move(bool or_none) {
    WhyNotMoved outcome = WhyNotMoved::kNone;
    for (bool news = true; news;) {
      news = false;
      for (const pid_t thread : threads()) {
        if (!seen_.insert(thread).second) continue;
        news = true;
        const WhyNotMoved failure = move_one(thread);
        if (failure == WhyNotMoved::kNone) continue;
        outcome = failure;
        if (!or_none) continue;
        undo();
        return outcome;
      }
    }
    return outcome;
  }

  void undo() noexcept {
    for (const pid_t thread : moved_) static_cast<void>(from_.give_to(thread));
  }

 private:
  WhyNotMoved move_one(pid_t thread) {
    Mask now;
    if (!now.read_of(thread)) return WhyNotMoved::kNone;  // it has ended
    if (now == to_) return WhyNotMoved::kNone;
    if (now != from_) return WhyNotMoved::kBoundItself;
    moved_.push_back(thread);
    if (to_.give_to(thread) || !is_alive(thread)) return WhyNotMoved::kNone;
    return WhyNotMoved::kRefused;
  }

  Mask from_;
  Mask to_;
  std::set<pid_t> seen_;
  std::vector<pid_t> moved_;
};

WhyNotMoved move(const PuSet& from, const PuSet& to, bool or_none) noexcept {
  try {
    Movement movement(from, to);
    try {
      return movement.move(or_none);
    } catch (...) {
      if (or_none) movement.undo();
      return WhyNotMoved::kRefused;
    }
  } catch (...) {
    return WhyNotMoved::kRefused;
  }
}

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

WhyNotMoved move_threads(const PuSet& from, const PuSet& to) noexcept {
  return move(from, to, true);
}

WhyNotMoved return_threads(const PuSet& from, const PuSet& to) noexcept {
  return move(from, to, false);
}

std::uint32_t current_pu() noexcept {
  const int pu = sched_getcpu();
  return pu < 0 ? 0 : static_cast<std::uint32_t>(pu);
}

bool computes_alone() noexcept {
  constexpr double kMost = 0.8;
  return seconds_of(CLOCK_THREAD_CPUTIME_ID) >= kMost * seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace huddle::recorder
