#include "profiles/recorder/tracing/team_trace.hpp"

#include <algorithm>

namespace huddle::recorder {

TeamTrace::TeamTrace(ThreadTrace& beginner, NewThread new_thread)
    : beginner_(beginner),
      new_thread_(std::move(new_thread)),
      members_(std::make_unique<std::array<Member, kMostThreads>>()) {
  member(0).trace.store(&beginner);
}

const TeamTrace::Numbers& TeamTrace::numbers_of(OpenMpPlace place) {
  const auto [where, is_new] = known_.try_emplace(place.address);
  if (is_new) {
    SharedTrace& shared = beginner_.shared();
    where->second = {
        shared.openmp.number_of(RecordedRegion::kParallel, place, shared.paths),
        shared.openmp.number_of(RecordedRegion::kImplicitBarrier, place, shared.paths)};
  }
  return where->second;
}

bool TeamTrace::begins(OpenMpPlace place, const void* return_address, const void* frame,
                       std::uint64_t time) noexcept {
  if (beginner_.shared().writer.ended()) return false;
  try {
    if (place.address != current_place_ || current_place_ == 0) current_ = numbers_of(place);
    current_place_ = place.address;
  } catch (...) {
    beginner_.shared().gave_up.store(true);
    return false;
  }
  size_ = 1;
  beginner_.enter_region(current_.region, return_address, frame, time);
  member(0).inside = true;
  member(0).team = 0;
  member(0).last = time;
  return true;
}

// One more than the team's number.
std::uint32_t TeamTrace::team_of(std::uint32_t size) noexcept {
  std::uint32_t number = teams_[size].load(std::memory_order_acquire);
  if (number != 0) return number;
  const std::lock_guard lock(mutex_);
  number = teams_[size].load(std::memory_order_relaxed);
  if (number == 0) {
    number = beginner_.shared().openmp.new_team() + 1;
    teams_[size].store(number, std::memory_order_release);
  }
  return number;
}

ThreadTrace* TeamTrace::trace_of(std::uint32_t thread) noexcept {
  ThreadTrace* trace = member(thread).trace.load(std::memory_order_relaxed);
  if (trace != nullptr) return trace;
  trace = new_thread_();
  member(thread).trace.store(trace, std::memory_order_release);
  return trace;
}

void TeamTrace::joins(std::uint32_t thread, std::uint32_t team, std::uint64_t time) noexcept {
  if (team > kMostThreads) {
    beginner_.shared().large_teams.store(true, std::memory_order_relaxed);
    return;
  }
  if (team < 2 || thread >= team || trace_of(thread) == nullptr) return;
  Member& one = member(thread);
  const std::uint32_t number = team_of(team);
  if (thread == 0) size_ = team;
  one.team = number;
  one.waiting = false;
  // The first one makes the others before it takes part itself.
  add(one, traces::EventKind::kTeamBegin, number - 1, thread == 0 ? one.last : time);
  if (thread != 0)
    add(one, traces::EventKind::kEnter, beginner_.shared().operations + current_.region, time);
  one.inside = true;
}

// Times of a location never fall, though its threads run on several processors.
void TeamTrace::add(Member& member, traces::EventKind kind, std::uint32_t subject,
                    std::uint64_t time) noexcept {
  traces::Event event;
  event.kind = kind;
  event.subject = subject;
  if (kind == traces::EventKind::kEnter) event.tag = RecordedTrace::kNoCallPath;
  event.time = member.last = std::max(time, member.last);
  member.trace.load(std::memory_order_relaxed)->append_of_region(event);
}

void TeamTrace::enter_barrier(std::uint32_t thread, std::uint32_t region,
                              std::uint64_t time) noexcept {
  Member& one = member(thread);
  add(one, traces::EventKind::kEnter, beginner_.shared().operations + region, time);
  one.waiting = true;
}

void TeamTrace::arrives(std::uint32_t thread, std::uint64_t time) noexcept {
  if (thread >= kMostThreads) return;
  const Member& one = member(thread);
  if (one.inside && one.team != 0 && !one.waiting) enter_barrier(thread, current_.barrier, time);
}

void TeamTrace::arrives_at(std::uint32_t thread, OpenMpPlace barrier, std::uint64_t time) noexcept {
  if (thread >= kMostThreads) return;
  Member& one = member(thread);
  if (!one.inside || one.team == 0 || one.waiting) return;
  auto& [place, region] = one.barriers[(barrier.address >> 2U) % one.barriers.size()];
  SharedTrace& shared = beginner_.shared();
  try {
    if (place != barrier.address)
      region = shared.openmp.number_of(RecordedRegion::kBarrier, barrier, shared.paths);
    place = barrier.address;
    enter_barrier(thread, region, time);
  } catch (...) {
    shared.gave_up.store(true);
  }
}

void TeamTrace::goes_on(std::uint32_t thread, std::uint64_t time) noexcept {
  if (thread >= kMostThreads || !member(thread).waiting) return;
  add(member(thread), traces::EventKind::kLeave, 0, time);
  member(thread).waiting = false;
}

void TeamTrace::leave_all(std::uint32_t thread, std::uint64_t time) noexcept {
  Member& one = member(thread);
  if (!one.inside) return;
  goes_on(thread, time);
  if (thread == 0 && one.team != 0) add(one, traces::EventKind::kTeamEnd, one.team - 1, time);
  add(one, traces::EventKind::kLeave, 0, time);
  if (thread != 0) add(one, traces::EventKind::kTeamEnd, one.team - 1, time);
  one.inside = false;
}

void TeamTrace::ends(std::uint64_t time) noexcept {
  for (std::uint32_t thread = 0; thread < size_; ++thread) leave_all(thread, time);
}

void TeamTrace::describe(std::vector<std::vector<std::uint32_t>>& teams) const {
  for (std::uint32_t size = 2; size <= kMostThreads; ++size) {
    const std::uint32_t number = teams_[size].load(std::memory_order_acquire);
    if (number == 0 || number > teams.size()) continue;
    for (std::uint32_t thread = 0; thread < size; ++thread) {
      const ThreadTrace* const trace = member(thread).trace.load(std::memory_order_acquire);
      if (trace != nullptr) teams[number - 1].push_back(trace->number());
    }
  }
}

}  // namespace huddle::recorder
