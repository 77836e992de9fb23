#include "spank_plugin/runtime/packing/team_packing.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "spank_plugin/runtime/packing/bound_threads.hpp"

namespace huddle::runtime {
namespace {

/// Configurations of all teams of the process have different numbers.
constinit std::atomic<std::uint32_t> last_configuration = TeamPacking::kHome;

constinit std::atomic<TeamPacking*> packing_of_process = nullptr;

std::int32_t this_thread() {
  return static_cast<std::int32_t>(::syscall(SYS_gettid));
}

std::uint32_t next_configuration() {
  std::uint32_t next = 0;
  do next = last_configuration.fetch_add(1, std::memory_order_relaxed) + 1;
  while (next == TeamPacking::kHome || next == UINT32_MAX);
  return next;
}

}  // namespace

[[gnu::tls_model("initial-exec")]] constinit thread_local TeamPacking::Mine TeamPacking::mine_{};

TeamPacking::TeamPacking() noexcept : leader_(this_thread()) {
  try {
    home_ = PuSet::of_this_thread();
  } catch (const std::exception&) {  // stays empty
  }
  if (home_.size() < 2) ended_ = End::kNothingToPack;
  static const bool registered = ::pthread_atfork(nullptr, nullptr, put_child_back) == 0;
  if (!registered) ended_ = End::kRefused;
  bound_threads.begin(CpuMask(home_));
  packing_of_process = this;
}

TeamPacking::~TeamPacking() {
  packing_of_process = nullptr;
  end(End::kFinished);
}

void TeamPacking::put_child_back() noexcept {
  packing_of_process = nullptr;
  bound_threads.leave_in_child();
  mine_ = {};
}

void TeamPacking::end_by_program() noexcept {
  TeamPacking* const packing = packing_of_process.load();
  End none = End::kNone;
  if (packing != nullptr) packing->ended_.compare_exchange_strong(none, End::kBoundItself);
}

void TeamPacking::pack(const std::vector<std::uint32_t>& places) noexcept {
  const auto is_ours = [&](std::uint32_t pu) { return home_.contains(pu); };
  if (ended() != End::kNone || places.empty() || places.size() > kMostThreads ||
      !std::all_of(places.begin(), places.end(), is_ours)) {
    configuration_.store(kHome, std::memory_order_relaxed);
    return;
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

void TeamPacking::change(std::uint32_t configuration, std::uint32_t thread) noexcept {
  if (thread >= kMostThreads || ended() != End::kNone) configuration = kHome;
  if (configuration == kHome && !has_packed_.load(std::memory_order_relaxed)) {
    mine_.configuration = kHome;
    return;
  }
  using Result = BoundThreads::Result;
  const Result result = configuration == kHome
                            ? bound_threads.return_home()
                            : bound_threads.bind(places_[thread].load(std::memory_order_relaxed));
  End none = End::kNone;
  if (result != Result::kDone)
    ended_.compare_exchange_strong(none,
                                   result == Result::kForeign ? End::kBoundItself : End::kRefused);
  mine_.configuration = configuration;
  mine_.thread = thread;
}

void TeamPacking::end(End why) noexcept {
  End none = End::kNone;
  ended_.compare_exchange_strong(none, why);
  configuration_.store(kHome, std::memory_order_relaxed);
  bound_threads.end();
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
