#include "profiles/recorder/team_acting.hpp"

#include <fmt/format.h>

#include "profiles/recorder/openmp/region_hook.hpp"
#include "profiles/recorder/packing/packing_driver.hpp"

namespace huddle::recorder {
namespace {

// Never destroyed: regions of other threads may be under way.
constinit PackingDriver* driver = nullptr;
constinit bool acts = false;

// How many threads there will be is known only inside; a runtime that gives fewer leaves places
// empty.
std::uint64_t region_begins(const RegionBegin& region) {
  const int most = region.runtime->most_threads == nullptr ? 1 : region.runtime->most_threads();
  const std::uint32_t usual = most > 0 ? static_cast<std::uint32_t>(most) : 1U;
  return driver->region_begins(region.asked_threads > 0 ? region.asked_threads : usual, 0);
}

void thread_begins(std::uint64_t token, std::uint32_t thread) {
  driver->thread_begins(static_cast<std::uint32_t>(token), thread);
}

// A team that has ended stays where it is until its next region.
void region_ended(std::uint64_t /*token*/, std::uint32_t /*team*/, std::uint64_t /*ticks*/) {}

constinit const RegionHook hook{region_begins, thread_begins, region_ended};

}  // namespace

void act_on_teams(const Environment& environment, const std::string& why_not) {
  driver = PackingDriver::from(environment, true).release();
  if (driver == nullptr) return;
  if (!why_not.empty()) driver->refuse(why_not);
  acts = driver->may_pack();
  if (acts) region_hook.store(&hook, std::memory_order_release);
}

std::string stop_acting_on_teams() {
  if (driver == nullptr) return {};
  region_hook.store(nullptr, std::memory_order_release);
  if (acts) driver->finish();
  acts = false;
  std::string note = driver->note();
  if (note.empty() && driver->changes() > 0)
    note = fmt::format("Teams were packed at random, {} times ({}).", driver->changes(),
                       kShakeVariable);
  return note;
}

void forget_teams() noexcept {
  region_hook.store(nullptr, std::memory_order_relaxed);
}

}  // namespace huddle::recorder
