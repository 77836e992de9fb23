#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace huddle::waitstates {

Replay::Replay(const ActivityLog& log, const ComputationTimes& times, ReplayListener* listener,
               Network network)
    : log_(log),
      times_(&times),
      listener_(listener),
      network_(network),
      sets_up_(paths_of_set_up(log)),
      enters_(log.size(), log.folder()),
      collectives_(log.collectives().size(), log.folder()),
      scan_begins_(log.scan_places().size(), log.folder()),
      scan_last_(log.scan_places().size(), log.folder()),
      states_(log.ranks()),
      waiting_for_rank_(log.ranks()) {
  for (std::uint32_t rank = log.ranks(); rank-- > 0;) {
    states_[rank].next = log.first_of(rank);
    states_[rank].time = log.begin_of(rank);
    ready_.push_back(rank);
  }
  run();
  times_ = nullptr;
  listener_ = nullptr;
}

std::uint64_t Replay::transfer_of(std::uint64_t activity, std::uint64_t measured) const {
  const std::uint32_t path = log_[activity].call_path;
  const bool sets_up = path < sets_up_.size() && sets_up_[path];
  return network_ == Network::kIdeal && !sets_up ? 0 : log_.transfer_of(activity, measured);
}

void Replay::run() {
  while (done_ < log_.ranks()) {
    if (ready_.empty()) break_circle();
    const std::uint32_t rank = ready_.back();
    ready_.pop_back();
    advance(rank);
  }
}

void Replay::advance(std::uint32_t rank) {
  State& state = states_[rank];
  std::uint64_t events = 0;
  for (;;) {
    if (!state.inside) {
      if (state.next == log_.first_of(rank + 1)) break;
      begin(rank, state);
      ++events;
    }
    if (!links_are_there(rank, state)) break;
    end(rank, state);
    ++events;
    keep_mapped_files_small();
  }
  note_turn(rank, events);
  if (!state.inside) finish(rank, state);
}

void Replay::begin(std::uint32_t rank, State& state) {
  const std::uint64_t activity = state.next;
  const std::uint64_t ticks =
      times_->ticks(rank, activity, log_.computation_before(rank, activity));
  state.time += ticks;
  state.inside = true;
  state.until = state.measured = 0;
  state.link = 0;
  enters_[activity] = state.time;
  if (listener_ != nullptr) listener_->computed(rank, activity, ticks);
  for (const ActivityLink& link : log_.links_of(activity))
    if (link.begins) join(link, activity);
  wake(waiting_for_rank_[rank], activity);
}

bool Replay::links_are_there(std::uint32_t rank, State& state) {
  const auto links = log_.links_of(state.next);
  for (; state.link < links.size(); ++state.link)
    if (!is_there(links[state.link], rank, state)) return false;
  return true;
}

bool Replay::is_there(const ActivityLink& link, std::uint32_t rank, State& state) {
  const std::uint64_t measured = log_.waits_for(link);
  if (!log_.holds(state.next, measured)) return true;
  const bool message =
      link.kind == DependencyKind::kMessage || link.kind == DependencyKind::kReceiver;
  if (message) {
    const State& partner = states_[link.which];
    if (partner.next < link.on || (partner.next == link.on && !partner.inside)) {
      wait(waiting_for_rank_[link.which], link.on, rank);
      return false;
    }
  } else {
    const std::uint64_t need = need_of(link, log_.collectives()[link.on]);
    if (collectives_[link.on].progress < need) {
      wait(waiting_for_instance_[link.on], need, rank);
      return false;
    }
  }
  state.until = std::max(state.until, enters_[waits_for(link)]);
  state.measured = std::max(state.measured, log_[measured].enter);
  return true;
}

std::uint64_t Replay::need_of(const ActivityLink& link, const CollectiveInstance& instance) {
  if (instance.kind == CollectiveInstance::Kind::kScan) return link.which;
  return instance.kind == CollectiveInstance::Kind::kRoot ? 1 : instance.members;
}

void Replay::end(std::uint32_t rank, State& state) {
  const std::uint64_t waiting = state.until > state.time ? state.until - state.time : 0;
  const std::uint64_t transfer = transfer_of(state.next, state.measured);
  state.time += waiting + transfer;
  if (listener_ != nullptr) listener_->communicated(rank, state.next, waiting, transfer);
  state.inside = false;
  ++state.next;
}

void Replay::finish(std::uint32_t rank, State& state) {
  const std::uint64_t ticks =
      times_->ticks(rank, state.next, log_.computation_before(rank, state.next));
  state.time += ticks;
  if (listener_ != nullptr) listener_->computed(rank, state.next, ticks);
  state.done = true;
  ++done_;
  run_time_ = std::max(run_time_, state.time);
}

void Replay::join(const ActivityLink& link, std::uint64_t activity) {
  const CollectiveInstance& instance = log_.collectives()[link.on];
  InstanceState& state = collectives_[link.on];
  const std::uint64_t before = state.progress;
  switch (instance.kind) {
    case CollectiveInstance::Kind::kAll:
      ++state.progress;
      note_begin(state, activity);
      if (state.progress < instance.members) return;
      break;
    case CollectiveInstance::Kind::kRoot:
      if (activity == instance.root_begin) state.progress = 1;
      break;
    case CollectiveInstance::Kind::kScan:
      scan_begins_[instance.places + link.which] = activity + 1;
      extend_scan(instance, state);
      break;
  }
  if (state.progress == before) return;
  const auto waiters = waiting_for_instance_.find(link.on);
  if (waiters == waiting_for_instance_.end()) return;
  wake(waiters->second, state.progress);
  if (waiters->second.empty()) waiting_for_instance_.erase(waiters);
}

// Of several that begin last, the one with the lowest number counts, as in the log.
void Replay::note_begin(InstanceState& state, std::uint64_t activity) {
  if (state.last > 0) {
    const std::uint64_t last = state.last - 1;
    if (enters_[activity] < enters_[last]) return;
    if (enters_[activity] == enters_[last] && activity > last) return;
  }
  state.last = activity + 1;
}

void Replay::extend_scan(const CollectiveInstance& instance, InstanceState& state) {
  for (; state.progress < instance.members; ++state.progress) {
    const std::uint64_t place = instance.places + state.progress;
    if (scan_begins_[place] == 0) return;
    const std::uint64_t here = scan_begins_[place] - 1;
    note_begin(state, here);
    scan_last_[place] = state.last - 1;
  }
}

std::uint64_t Replay::waits_for(const ActivityLink& link) const {
  switch (link.kind) {
    case DependencyKind::kCollectiveAll:
    case DependencyKind::kCollectiveRest:
    case DependencyKind::kCollectiveOtherGroup:
      return collectives_[link.on].last - 1;
    case DependencyKind::kCollectiveScan:
      return scan_last_[log_.collectives()[link.on].places + link.which - 1];
    default:
      return log_.waits_for(link);
  }
}

ActivityLog::Cause Replay::cause_of(std::uint64_t activity) const {
  ActivityLog::Cause cause;
  for (const ActivityLink& link : log_.links_of(activity)) {
    if (!log_.holds(activity, log_.waits_for(link))) continue;
    const std::uint64_t on = waits_for(link);
    if (cause.activity == kNoActivity || enters_[on] > cause.time ||
        (enters_[on] == cause.time && on < cause.activity))
      cause = {enters_[on], on};
  }
  return cause;
}

std::uint64_t Replay::leave(std::uint64_t activity) const {
  return std::max(enters_[activity], cause_of(activity).time) +
         transfer_of(activity, log_.cause_of(activity).time);
}

void Replay::wait(Waiters& waiters, std::uint64_t needs, std::uint32_t rank) {
  State& state = states_[rank];
  state.waits = true;
  state.ticket = ++tickets_;
  waiters.push_back({needs, state.ticket, rank});
  std::push_heap(waiters.begin(), waiters.end(), std::greater<>{});
}

void Replay::wake(Waiters& waiters, std::uint64_t reached) {
  while (!waiters.empty() && waiters[0].needs <= reached) {
    const Waiter first = waiters[0];
    std::pop_heap(waiters.begin(), waiters.end(), std::greater<>{});
    waiters.pop_back();
    State& state = states_[first.rank];
    if (!state.waits || state.ticket != first.ticket) continue;
    state.waits = false;
    ready_.push_back(first.rank);
  }
}

// The one that left first in the measured run goes on without what it waits for.
void Replay::break_circle() {
  std::uint32_t first = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t rank = 0; rank < log_.ranks(); ++rank) {
    const State& state = states_[rank];
    if (state.done || !state.waits || log_[state.next].leave >= least) continue;
    least = log_[state.next].leave;
    first = rank;
  }
  ++circles_;
  ++states_[first].link;
  states_[first].waits = false;
  ready_.push_back(first);
}

void Replay::note_turn(std::uint32_t rank, std::uint64_t events) {
  while (events > 0) {
    if (in_last_chunk_ == kChunk) {
      order_.emplace_back(kChunk, log_.folder());
      in_last_chunk_ = 0;
    }
    const auto some = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(events, std::numeric_limits<std::uint32_t>::max()));
    order_.back()[in_last_chunk_++] = {rank, some};
    events -= some;
  }
}

}  // namespace huddle::waitstates
