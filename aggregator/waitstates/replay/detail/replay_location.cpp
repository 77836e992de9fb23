#include "aggregator/waitstates/replay/detail/replay_location.hpp"

#include <algorithm>

namespace huddle::waitstates {
namespace {

// Deeper regions count for the one above them: a bound for trees of call paths.
constexpr std::size_t kDeepest = 1024;

// Messages and collectives that a location may have reported before their partners answer.
constexpr std::size_t kFirstWindow = 4096;

}  // namespace

ReplayLocation::ReplayLocation(ReplayContext& context, std::uint32_t location,
                               std::unique_ptr<traces::EventStream> stream)
    : context_(context),
      location_(location),
      rank_(context.definitions.locations[location].rank),
      reports_activities_(context.sink != nullptr &&
                          context.definitions.ranks[rank_].locations[0] == location),
      queue_(context.reading, std::move(stream)),
      sums_(context.cost, context.power.of(context.definitions, location)),
      activities_(context.definitions.ranks[rank_].locations[0] == location ? 0 : kNoActivity),
      window_(kFirstWindow) {}

ReplayLocation::State ReplayLocation::run(std::size_t events) {
  state_ = State::kReady;
  for (; events > 0; --events) {
    if (finishing_ && !finish()) return state_ = State::kBlocked;
    if (unanswered_ > window_) return state_ = State::kPaused;
    const traces::Event* const front = queue_.front();
    if (front == nullptr) {
      end();
      return state_;
    }
    consume(*front);
    queue_.pop();
    ++sums_.events;
  }
  if (finishing_ && !finish()) state_ = State::kBlocked;
  return state_;
}

void ReplayLocation::consume(const traces::Event& event) {
  if (sums_.events == 0) sums_.begin = now_ = clock_.at(event.time);
  switch (event.kind) {
    case traces::EventKind::kEnter:
      enter(event);
      break;
    case traces::EventKind::kLeave:
      // A copy: to look ahead moves events.
      leave(traces::Event(event));
      break;
    case traces::EventKind::kTeamBegin:
      if (context_.teams.has(event.subject, location_)) teams_.push_back(event.subject);
      break;
    case traces::EventKind::kTeamEnd:
      if (!teams_.empty() && teams_.back() == event.subject) teams_.pop_back();
      break;
    case traces::EventKind::kLockAcquired:
    case traces::EventKind::kLockReleased:
      thread_lock(event);
      break;
    default:
      operation(traces::Event(event));
      break;
  }
}

std::uint32_t ReplayLocation::path_below(std::uint32_t region) {
  const std::uint32_t parent = frames_.empty() ? CallPath::kRoot : frames_.back().path;
  if (call_.open || frames_.size() >= kDeepest) return parent;
  const std::size_t before = sums_.paths.paths().size();
  const std::uint32_t path = sums_.paths.below(parent, region);
  if (path == before && reports_activities_)
    context_.sink->add_path(
        rank_, path, parent, region,
        context_.definitions.regions[region].kind == traces::TraceRegion::Kind::kMpi);
  return path;
}

// Time goes to the innermost region.
void ReplayLocation::spend_until(std::uint64_t time) {
  const std::uint64_t ticks = time - now_;
  now_ = time;
  const std::uint32_t path = frames_.empty() ? CallPath::kRoot : frames_.back().path;
  if (path != CallPath::kRoot) sums_.paths[path].ticks += ticks;
  if (reports_activities_ && !call_.open) since_.add(path, ticks);
}

// The first of the parts, which with the others end at `until`.
void ReplayLocation::report_computation(std::uint64_t until, std::size_t parts) {
  std::uint64_t time = until - context_.begin;
  for (const ComputationParts::Part& part : since_.parts()) time -= std::min(time, part.ticks);
  for (std::size_t i = 0; i < parts; ++i) {
    const ComputationParts::Part& part = since_.parts()[i];
    time += part.ticks;
    context_.sink->add(rank_, Activity{time, time, part.path, part.path});
    ++activities_;
  }
}

void ReplayLocation::enter(const traces::Event& event) {
  if (event.subject >= context_.definitions.regions.size()) return;
  const std::uint64_t time = std::max(clock_.at(event.time), now_);
  spend_until(time);
  const std::uint32_t path = path_below(event.subject);
  frames_.push_back({event.subject, path, time, 0, event.time});
  if (call_.open) return;
  ++sums_.paths[path].visits;
  const traces::TraceRegion::Kind kind = context_.definitions.regions[event.subject].kind;
  if (kind == traces::TraceRegion::Kind::kMpi) {
    // The last part is that of the call itself.
    if (since_.parts().size() > 1) {
      report_computation(time, since_.parts().size() - 1);
      since_.drop_all_but_last();
    }
    call_.begin(time, path, frames_.size() - 1, activities_);
    call_.asking = context_.asking[event.subject];
  } else if (kind == traces::TraceRegion::Kind::kOpenmpBarrier && !teams_.empty()) {
    const std::uint32_t team = teams_.back();
    barriers_.push_back({frames_.size() - 1, team,
                         context_.teams.arrive(team, location_, event.time), event.time, false});
  }
}

void ReplayLocation::leave(const traces::Event& event) {
  std::size_t frame = frames_.size();
  while (frame > 0 && frames_[frame - 1].region != event.subject) --frame;
  if (frame == 0) return;  // it was never entered
  if (frame == frames_.size() && call_.frame == frame - 1 && polls_again(event)) return;
  context_.anomalies.regions_without_end += frames_.size() - frame;
  frames_left_ = frame - 1;
  raw_leave_ = event.time;
  finishing_ = true;
  finish();  // mostly at once; else run() tries again
}

// The same function, or another one that asks for messages, too: then the call path, and the time
// of them all, is that of the first.
bool ReplayLocation::is_same_loop(const traces::Event& enter, const traces::Event& leave) const {
  if (enter.subject == leave.subject) return true;
  if (enter.subject >= context_.asking.size()) return false;
  const Asking next = context_.asking[enter.subject];
  return is_poll(next) && next != Asking::kWindowTest && call_.asking != Asking::kWindowTest;
}

// Whether a poll that found nothing is followed by the same again: then the two are one call, as
// the recorder has it where they follow each other closely. Takes the events between them away.
bool ReplayLocation::polls_again(const traces::Event& leave) {
  if (!call_.open || call_.found || !is_poll(call_.asking)) return false;
  const traces::Event* const next = queue_.behind_front();
  if (next == nullptr || next->kind != traces::EventKind::kEnter || !is_same_loop(*next, leave))
    return false;
  const std::uint64_t pause = next->time - leave.time;
  if (pause > context_.polling_pause) {
    // On a busy machine the core is taken away from a loop now and then. Who polled in vain for
    // longer than that is taken to be interrupted so.
    const std::uint64_t so_far =
        std::max(clock_.at(leave.time), call_.waiting.enter) - call_.waiting.enter;
    if (2 * call_.interrupted + pause > so_far) return false;
    call_.interrupted += pause;
  }
  if (next->subject == leave.subject) {
    ++sums_.paths[call_.waiting.path].visits;
  } else {
    call_.asking = context_.asking[next->subject];
    frames_.back().region = next->subject;
  }
  queue_.pop();
  ++sums_.events;
  return true;
}

// From the innermost region to the one that is left: mostly that is one. Each may have to wait.
bool ReplayLocation::finish() {
  if (call_.open && call_.frame == MpiCall::kNoFrame && !finish_call()) return false;
  while (frames_.size() > frames_left_) {
    const std::size_t frame = frames_.size() - 1;
    if (call_.open && call_.frame == frame && !finish_call()) return false;
    if (!barriers_.empty() && barriers_.back().frame == frame && !finish_barrier()) return false;
    spend_until(std::max(clock_.at(raw_leave_), now_));
    const std::uint64_t inside = now_ - frames_.back().enter;
    frames_.pop_back();
    if (!frames_.empty()) frames_.back().below += inside;
  }
  finishing_ = false;
  return true;
}

// Waiting is what is left of the time until the last one came when the tasks that ran meanwhile are
// taken off.
bool ReplayLocation::finish_barrier() {
  const Barrier& barrier = barriers_.back();
  const std::uint64_t* const last = context_.teams.complete(barrier.team, barrier.number);
  if (last == nullptr && !barrier.given_up) return false;
  const Frame& frame = frames_[barrier.frame];
  Waiting waiting;
  waiting.enter = frame.enter;
  waiting.leave = std::max(clock_.at(raw_leave_), frame.enter);
  waiting.path = frame.path;
  if (last != nullptr && *last > barrier.raw_enter) {
    const std::uint64_t inside = waiting.leave - waiting.enter;
    const std::uint64_t own = inside - std::min(inside, frame.below);
    waiting.extend(WaitPattern::kWaitAtOpenmpBarrier,
                   waiting.enter + std::min(own, *last - barrier.raw_enter));
  }
  if (sums_.paths[frame.path].region == frame.region) sums_.add(waiting);
  sums_.add_openmp(waiting.enter, waiting.leave);
  context_.teams.leave(barrier.team, barrier.number);
  barriers_.pop_back();
  return true;
}

// Regions that are open at the end of the trace end with it, and nothing is known of their waiting.
void ReplayLocation::end() {
  context_.anomalies.regions_without_end += frames_.size();
  report_computation(call_.open ? call_.waiting.enter : now_, since_.parts().size());
  if (call_.open) {
    call_.needs.clear();
    sums_.add_mpi(call_.waiting.enter, now_);
    keep_pending();
    call_.open = false;
  }
  barriers_.clear();
  frames_.clear();
  sums_.end = now_;
  state_ = State::kEnded;
}

bool ReplayLocation::wake() {
  if (state_ != State::kBlocked) return false;
  state_ = State::kReady;
  return true;
}

bool ReplayLocation::widen_window() {
  if (state_ != State::kPaused) return false;
  window_ = std::max(window_, unanswered_) * 2;
  state_ = State::kReady;
  return true;
}

void ReplayLocation::go_on() {
  if (state_ == State::kBlocked) state_ = State::kReady;
}

bool ReplayLocation::go_on_if_hopeless() {
  if (state_ != State::kBlocked) return false;
  if (finish()) {
    go_on();
    return true;
  }
  if (call_.open || barriers_.empty()) return false;
  const Barrier& barrier = barriers_.back();
  if (!context_.teams.hopeless(barrier.team, barrier.number, context_.ended_locations))
    return false;
  go_on_without();
  return true;
}

void ReplayLocation::go_on_without() {
  if (call_.open && call_.met < call_.needs.size()) {
    const Need& need = call_.needs[call_.met++];
    if (need.kind == Need::Kind::kAnswer) {
      tickets_[need.ticket].detached = true;
    } else {
      context_.mailboxes.leave(need.channel);
      ++context_.anomalies.receives_without_send;
    }
  } else if (!barriers_.empty()) {
    barriers_.back().given_up = true;
  }
  go_on();
}

std::vector<std::string> ReplayLocation::remarks() const {
  std::vector<std::string> all = queue_.remarks();
  if (!queue_.damage().empty()) all.push_back(queue_.damage());
  return all;
}

}  // namespace huddle::waitstates
