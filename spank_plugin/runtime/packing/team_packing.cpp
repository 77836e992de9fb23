#include "spank_plugin/runtime/packing/team_packing.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "profiles/files/folder_names.hpp"

namespace huddle::runtime {
namespace {

/// Configurations of all teams of the process have different numbers.
constinit std::atomic<std::uint32_t> last_configuration = TeamPacking::kHome;

/// For children of fork(): they have one thread, that of whoever called it.
constinit std::atomic<const PuSet*> home_of_process = nullptr;

std::int32_t this_thread() {
  return static_cast<std::int32_t>(::syscall(SYS_gettid));
}

std::uint32_t next_configuration() {
  std::uint32_t next = 0;
  do next = last_configuration.fetch_add(1, std::memory_order_relaxed) + 1;
  while (next == TeamPacking::kHome || next == UINT32_MAX);
  return next;
}

PuSet one(std::uint32_t pu) {
  PuSet set;
  set.add(pu);
  return set;
}

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
  void give_to(pid_t thread) const noexcept {
    static_cast<void>(sched_setaffinity(thread, sizeof bits_, set()));
  }
  friend bool operator==(const Mask&, const Mask&) = default;

 private:
  [[nodiscard]] cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(bits_.data()); }  // NOLINT
  [[nodiscard]] const cpu_set_t* set() const {
    return reinterpret_cast<const cpu_set_t*>(bits_.data());  // NOLINT: sized by the macros
  }
  std::array<unsigned long, kPus / (8 * sizeof(unsigned long))> bits_{};
};

std::vector<pid_t> threads() {
  std::vector<pid_t> list;
  for (const std::string& name : files::names_in("/proc/self/task")) {
    pid_t thread = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (failure == std::errc{} && end == name.data() + name.size()) list.push_back(thread);
  }
  return list;
}

// A thread that is made meanwhile inherits the mask of its maker, old or new: so lists are read
// until one has no new thread.
void return_all(const Mask& from, const Mask& to) {
  std::set<pid_t> seen;
  for (bool news = true; news;) {
    news = false;
    for (const pid_t thread : threads()) {
      if (!seen.insert(thread).second) continue;
      news = true;
      Mask now;
      if (now.read_of(thread) && now == from) to.give_to(thread);
    }
  }
}

}  // namespace

void return_threads(const PuSet& from, const PuSet& to) noexcept {
  try {
    return_all(Mask(from), Mask(to));
  } catch (...) {  // then they stay where they are
  }
}

[[gnu::tls_model("initial-exec")]] constinit thread_local TeamPacking::Mine TeamPacking::mine_{};

TeamPacking::TeamPacking() noexcept : leader_(this_thread()) {
  try {
    home_ = PuSet::of_this_thread();
  } catch (const std::exception&) {  // stays empty
  }
  if (home_.size() < 2) ended_ = End::kNothingToPack;
  static const bool registered = ::pthread_atfork(nullptr, nullptr, put_child_back) == 0;
  if (!registered) ended_ = End::kRefused;
  home_of_process = &home_;
}

TeamPacking::~TeamPacking() {
  end(End::kFinished);
  home_of_process = nullptr;
}

// Binding allocates, and so does what other libraries do in a child of fork(), which has a whole
// heap since glibc's fork() looks after that.
void TeamPacking::put_child_back() noexcept {
  const PuSet* const home = home_of_process.load();
  if (home == nullptr || mine_.pu < 0) return;
  try {
    home->bind_this_thread();
  } catch (const std::exception&) {  // the child runs all the same
  }
  mine_ = {};
}

void TeamPacking::pack(const std::vector<std::uint32_t>& places) noexcept {
  const auto is_ours = [&](std::uint32_t pu) { return home_.contains(pu); };
  if (ended() != End::kNone || places.empty() || places.size() > kMostThreads ||
      !std::all_of(places.begin(), places.end(), is_ours)) {
    configuration_.store(kHome, std::memory_order_relaxed);
    return;
  }
  try {
    for (const std::uint32_t pu : places) used_.add(pu);
  } catch (const std::exception&) {
    return end(End::kRefused);
  }
  for (std::size_t thread = 0; thread < places.size(); ++thread)
    places_[thread].store(places[thread], std::memory_order_relaxed);
  team_ = static_cast<std::uint32_t>(places.size());
  has_packed_.store(true, std::memory_order_relaxed);
  configuration_.store(next_configuration(), std::memory_order_release);
}

std::uint32_t TeamPacking::begin_region(std::uint32_t team, std::uint32_t level) const noexcept {
  const std::uint32_t now = configuration_.load(std::memory_order_relaxed);
  if (now == kHome || level > 0 || ended() != End::kNone) return kHome;
  return team == team_ && is_leader() ? now : kHome;
}

bool TeamPacking::is_leader() const noexcept {
  if (mine_.number == 0) mine_.number = this_thread();
  return mine_.number == leader_;
}

// A thread that is new may have been made by one that was packed.
bool TeamPacking::is_where_it_was(const PuSet& now) const {
  if (mine_.pu >= 0) return now == one(static_cast<std::uint32_t>(mine_.pu));
  if (now == home_) return true;
  return mine_.configuration == UINT32_MAX && has_packed_.load(std::memory_order_relaxed) &&
         now.size() == 1 && home_.contains(now.members().front());
}

void TeamPacking::change(std::uint32_t configuration, std::uint32_t thread) noexcept {
  if (thread >= kMostThreads || ended() != End::kNone) configuration = kHome;
  if (configuration == kHome && !has_packed_.load(std::memory_order_relaxed)) {
    mine_.configuration = kHome;
    return;
  }
  const bool packs = configuration != kHome;
  try {
    const PuSet now = PuSet::of_this_thread();
    // After the end, end() may have been here already.
    const bool is_back = now == home_ && !packs;
    if (!mine_.hands_off && !is_back) {
      if (is_where_it_was(now)) {
        const std::uint32_t pu = packs ? places_[thread].load(std::memory_order_relaxed) : 0;
        (packs ? one(pu) : home_).bind_this_thread();
        mine_.pu = packs ? static_cast<std::int32_t>(pu) : -1;
      } else {
        mine_.hands_off = true;
        ended_.store(End::kBoundItself, std::memory_order_relaxed);
      }
    } else if (is_back) {
      mine_.pu = -1;
    }
  } catch (const std::exception&) {
    ended_.store(End::kRefused, std::memory_order_relaxed);
  }
  mine_.configuration = configuration;
  mine_.thread = thread;
}

void TeamPacking::end(End why) noexcept {
  End none = End::kNone;
  ended_.compare_exchange_strong(none, why);
  configuration_.store(kHome, std::memory_order_relaxed);
  try {
    for (const std::uint32_t pu : used_.members()) return_threads(one(pu), home_);
    used_ = {};
  } catch (const std::exception&) {  // then they stay where they are
  }
  if (mine_.pu >= 0) mine_.pu = -1;
}

const char* TeamPacking::text_of(End end) noexcept {
  switch (end) {
    case End::kNone:
    case End::kFinished:
      break;
    case End::kNothingToPack:
      return "its ranks have one core each, or it is not known which";
    case End::kBoundItself:
      return "the program binds its threads itself";
    case End::kRefused:
      return "the system refused to bind a thread";
  }
  return "";
}

}  // namespace huddle::runtime
