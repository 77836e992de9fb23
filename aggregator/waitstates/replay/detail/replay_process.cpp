#include "aggregator/waitstates/replay/detail/replay_process.hpp"

#include <algorithm>

#include "aggregator/waitstates/replay/exchange.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Events that a location replays before others have their turn.
constexpr std::size_t kTurn = 1024;

// Turns between two looks at what others sent, and between two reports of progress.
constexpr std::size_t kLook = 16;
constexpr std::size_t kProgress = 1024;

// Where a location can't be read, the others can.
class NoEvents : public EventStream {
 public:
  explicit NoEvents(std::string why) : why_(std::move(why)) {}
  std::size_t read(std::span<Event>) override { return 0; }
  [[nodiscard]] std::vector<std::string> remarks() const override { return {why_}; }

 private:
  std::string why_;
};

std::unique_ptr<EventStream> stream_of(Trace& trace, std::uint32_t location) {
  try {
    return trace.events_of(location);
  } catch (const FormatError& error) {
    return std::make_unique<NoEvents>(error.what());
  }
}

std::vector<Asking> asking_regions(const TraceDefinitions& definitions) {
  std::vector<Asking> regions;
  regions.reserve(definitions.regions.size());
  for (const TraceRegion& region : definitions.regions)
    regions.push_back(region.kind == TraceRegion::Kind::kMpi ? asking_of(region.name)
                                                             : Asking::kNothing);
  return regions;
}

}  // namespace

ReplayProcess::ReplayProcess(Trace& trace, Exchange& exchange, const WaitCost& cost,
                             const MeasuredPower& power, ActivitySink* sink,
                             std::uint64_t polling_pause, std::size_t threads)
    : definitions_(trace.definitions()),
      exchange_(exchange),
      shares_{static_cast<std::uint32_t>(definitions_.ranks.size()), exchange.processes()},
      reading_(std::max<std::size_t>(threads, 1) - 1),
      members_(definitions_),
      teams_(definitions_, [this](std::uint32_t location) { ready(location); }),
      context_{definitions_,
               reading_,
               members_,
               mailboxes_,
               teams_,
               *this,
               cost,
               power,
               asking_regions(definitions_),
               polling_pause,
               0,
               sink,
               {},
               {},
               {},
               {},
               {}},
      collectives_(members_, context_.ended_ranks,
                   [this](const ReplayMessage& answer) { send(answer); }),
      departures_(members_, [this](const ReplayMessage& answer) { send(answer); }),
      window_locks_([this](const ReplayMessage& answer) { send(answer); }),
      thread_locks_([this](const ReplayMessage& answer) { send(answer); }),
      router_(exchange, [this](const ReplayMessage& message) { deliver(message); }) {
  if (sink != nullptr) context_.team_delays.emplace(*sink);
  locations_.resize(definitions_.locations.size());
  for (std::uint32_t index = 0; index < locations_.size(); ++index)
    if (shares_.process_of(definitions_.locations[index].rank) == exchange.process())
      locations_[index] =
          std::make_unique<ReplayLocation>(context_, index, stream_of(trace, index));
}

std::uint64_t ReplayProcess::first_time() {
  std::uint64_t first = UINT64_MAX;
  for (const auto& location : locations_) {
    const Event* const event = location ? location->first_event() : nullptr;
    if (event != nullptr) first = std::min(first, event->time);
  }
  first = exchange_.least(first);
  return first == UINT64_MAX ? 0 : first;
}

std::uint32_t ReplayProcess::process_for(const ReplayMessage& message) const {
  const bool to_location = message.kind == ReplayMessageKind::kReceiverPosted ||
                           message.kind == ReplayMessageKind::kAnswer ||
                           message.kind == ReplayMessageKind::kCompleted ||
                           message.kind == ReplayMessageKind::kWaited;
  return shares_.process_of(to_location ? definitions_.locations[message.to].rank : message.to);
}

void ReplayProcess::send(const ReplayMessage& message) {
  const std::uint32_t process = process_for(message);
  if (process == exchange_.process()) {
    deliver(message);
  } else {
    router_.send(process, message);
  }
}

void ReplayProcess::ready(std::uint32_t location) {
  if (location < locations_.size() && locations_[location] && locations_[location]->wake())
    ready_.emplace(locations_[location]->time(), location);
}

// No location runs in here: one that can go on gets its turn.
void ReplayProcess::deliver(const ReplayMessage& message) {
  const auto turn_for = [this](ReplayLocation& location, bool goes_on) {
    if (goes_on) ready_.emplace(location.time(), location.location());
  };
  switch (message.kind) {
    case ReplayMessageKind::kMessage: {
      const std::uint32_t waiting = mailboxes_.put(
          Mailboxes::channel(message.to, message.from, message.subject, message.tag),
          {message.time, message.activity, message.location, message.ticket, kNoIndex});
      if (waiting != kNoIndex) ready(waiting);
      break;
    }
    case ReplayMessageKind::kReceiverPosted:
      turn_for(*locations_[message.to], locations_[message.to]->receiver_posted(message));
      break;
    case ReplayMessageKind::kArrival:
      collectives_.arrive(message);
      break;
    case ReplayMessageKind::kAnswer:
      turn_for(*locations_[message.to], locations_[message.to]->answered(message));
      break;
    case ReplayMessageKind::kWindowPosted: {
      ReplayLocation& first = *locations_[definitions_.ranks[message.to].locations[0]];
      turn_for(first, first.window_posted(message));
      break;
    }
    case ReplayMessageKind::kDeparture:
      departures_.leave(message);
      break;
    case ReplayMessageKind::kCompleted:
      locations_[message.to]->completed(message);
      break;
    case ReplayMessageKind::kWindowLock:
      window_locks_.take(message);
      break;
    case ReplayMessageKind::kThreadLock:
      thread_locks_.take(message);
      break;
    case ReplayMessageKind::kWaited:
      locations_[message.to]->waited(message);
      break;
  }
}

void ReplayProcess::step() {
  const std::uint32_t index = ready_.top().second;
  ready_.pop();
  ReplayLocation& location = *locations_[index];
  if (location.run(kTurn) == ReplayLocation::State::kReady) ready_.emplace(location.time(), index);
}

void ReplayProcess::run(std::uint64_t begin, const TimelineAxis& axis,
                        const std::function<void(double)>& progress) {
  context_.begin = begin;
  std::uint64_t all = 0;
  for (const auto& location : locations_) {
    if (!location) continue;
    location->sums().set_axis(axis);
    ready_.emplace(0, location->location());
    all += definitions_.locations[location->location()].events;
  }
  const auto share_read = [&] {
    std::uint64_t read = 0;
    for (const auto& location : locations_) read += location ? location->sums().events : 0;
    return std::min(1.0, static_cast<double>(read) / static_cast<double>(std::max(all, read + 1)));
  };
  for (std::size_t turn = 1;; ++turn) {
    if (progress && turn % kProgress == 0) progress(share_read());
    if (!ready_.empty()) {
      step();
      if (turn % kLook == 0) router_.receive(false);
      continue;
    }
    const bool still = router_.idle() || router_.receive(true);
    if (still && !resolve_standstill()) break;
  }
  close();
  if (progress) progress(1);
}

// The state in which nothing moves does not depend on how the ranks are shared among processes, and
// so nothing that is decided here does. False: the replay is over.
bool ReplayProcess::resolve_standstill() {
  using State = ReplayLocation::State;
  const auto of_all = [this](State state) {
    return exchange_.sum(static_cast<std::uint64_t>(std::ranges::count_if(
        locations_, [state](const auto& one) { return one && one->state() == state; })));
  };
  if (of_all(State::kPaused) > 0) return widen_windows();
  // Once all have ended, nothing more will come of any lock: its answers still have to arrive.
  if (of_all(State::kBlocked) == 0) return exchange_.sum(window_locks_.resolve()) > 0;
  if (!release_hopeless()) release_least();
  return true;
}

bool ReplayProcess::widen_windows() {
  for (const auto& location : locations_)
    if (location && location->widen_window())
      ready_.emplace(location->time(), location->location());
  return true;
}

bool ReplayProcess::release_hopeless() {
  context_.ended_ranks.assign(definitions_.ranks.size(), false);
  context_.ended_locations.assign(locations_.size(), false);
  for (std::size_t rank = 0; rank < definitions_.ranks.size(); ++rank) {
    bool ended = shares_.process_of(static_cast<std::uint32_t>(rank)) == exchange_.process();
    if (!ended) continue;
    for (const std::uint32_t location : definitions_.ranks[rank].locations) {
      const bool over = locations_[location]->state() == ReplayLocation::State::kEnded;
      context_.ended_locations[location] = over;
      ended = ended && over;
    }
    context_.ended_ranks[rank] = ended;
  }
  allreduce_or(exchange_, context_.ended_ranks);
  std::uint64_t released = 0;
  for (const auto& location : locations_) {
    if (!location || !location->go_on_if_hopeless()) continue;
    ++released;
    ready_.emplace(location->time(), location->location());
  }
  released += collectives_.give_up();
  return exchange_.sum(released) > 0;
}

// They wait for each other in a circle, as no MPI program can: one of them goes on without.
void ReplayProcess::release_least() {
  std::uint64_t time = UINT64_MAX;
  std::uint64_t index = UINT64_MAX;
  for (const auto& location : locations_) {
    if (!location || location->state() != ReplayLocation::State::kBlocked) continue;
    if (location->time() >= time) continue;
    time = location->time();
    index = location->location();
  }
  const std::uint64_t least = exchange_.least(time);
  const std::uint64_t chosen = exchange_.least(time == least ? index : UINT64_MAX);
  if (chosen != index || index == UINT64_MAX) return;
  locations_[index]->go_on_without();
  ready_.emplace(locations_[index]->time(), static_cast<std::uint32_t>(index));
}

void ReplayProcess::close() {
  for (const auto& location : locations_)
    if (location) location->close();
  if (context_.team_delays) context_.team_delays->close();
  context_.anomalies.sends_without_receive += mailboxes_.left();
  context_.anomalies.unfinished_collectives += collectives_.unfinished();
}

}  // namespace huddle
