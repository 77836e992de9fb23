#include "aggregator/waitstates/replay/detail/trace_replay.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

// Turns between two reports of progress.
constexpr std::size_t kProgress = 1024;

// Where a location can't be read, the others can.
class NoEvents : public traces::EventStream {
 public:
  explicit NoEvents(std::string why) : why_(std::move(why)) {}
  std::size_t read(std::span<traces::Event>) override { return 0; }
  [[nodiscard]] std::vector<std::string> remarks() const override { return {why_}; }

 private:
  std::string why_;
};

std::unique_ptr<traces::EventStream> stream_of(traces::Trace& trace, std::uint32_t location) {
  try {
    return trace.events_of(location);
  } catch (const FormatError& error) {
    return std::make_unique<NoEvents>(error.what());
  }
}

std::vector<Asking> asking_regions(const traces::TraceDefinitions& definitions) {
  std::vector<Asking> regions;
  regions.reserve(definitions.regions.size());
  for (const traces::TraceRegion& region : definitions.regions)
    regions.push_back(region.kind == traces::TraceRegion::Kind::kMpi ? asking_of(region.name)
                                                                     : Asking::kNothing);
  return regions;
}

}  // namespace

TraceReplay::TraceReplay(traces::Trace& trace, const WaitCost& cost, const MeasuredPower& power,
                         const AnalysisOptions& options)
    : definitions_(trace.definitions()),
      options_(options),
      reading_(std::max<std::size_t>(options.threads, 1) - 1),
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
               static_cast<std::uint64_t>(options.polling_pause *
                                          static_cast<double>(definitions_.ticks_per_second)),
               0,
               options.activities,
               {},
               {},
               {},
               {}},
      collectives_(members_, context_.ended_ranks,
                   [this](const ReplayMessage& answer) { send(answer); }),
      window_locks_([this](const ReplayMessage& answer) { send(answer); }),
      thread_locks_([this](const ReplayMessage& answer) { send(answer); }) {
  for (std::uint32_t index = 0; index < definitions_.locations.size(); ++index)
    locations_.emplace_back(context_, index, stream_of(trace, index));
}

std::uint64_t TraceReplay::first_time() {
  std::uint64_t first = UINT64_MAX;
  for (ReplayLocation& location : locations_)
    if (const traces::Event* const event = location.first_event())
      first = std::min(first, event->time);
  return first == UINT64_MAX ? 0 : first;
}

void TraceReplay::ready(std::uint32_t location) {
  if (location < locations_.size() && locations_[location].wake())
    ready_.emplace(locations_[location].time(), location);
}

// No location runs in here: one that can go on gets its turn.
void TraceReplay::send(const ReplayMessage& message) {
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
      turn_for(locations_[message.to], locations_[message.to].receiver_posted(message));
      break;
    case ReplayMessageKind::kArrival:
      collectives_.arrive(message);
      break;
    case ReplayMessageKind::kAnswer:
      turn_for(locations_[message.to], locations_[message.to].answered(message));
      break;
    case ReplayMessageKind::kWindowPosted: {
      ReplayLocation& first = locations_[definitions_.ranks[message.to].locations[0]];
      turn_for(first, first.window_posted(message));
      break;
    }
    case ReplayMessageKind::kWindowLock:
      window_locks_.take(message);
      break;
    case ReplayMessageKind::kThreadLock:
      thread_locks_.take(message);
      break;
    case ReplayMessageKind::kWaited:
      locations_[message.to].waited(message);
      break;
  }
}

void TraceReplay::step() {
  const std::uint32_t index = ready_.top().second;
  ready_.pop();
  ReplayLocation& location = locations_[index];
  if (location.run(options_.turn) == ReplayLocation::State::kReady)
    ready_.emplace(location.time(), index);
}

void TraceReplay::run(std::uint64_t begin, const TimelineAxis& axis) {
  context_.begin = begin;
  std::uint64_t all = 0;
  for (ReplayLocation& location : locations_) {
    location.sums().set_axis(axis);
    ready_.emplace(0, location.location());
    all += definitions_.locations[location.location()].events;
  }
  const auto share_read = [&] {
    std::uint64_t read = 0;
    for (ReplayLocation& location : locations_) read += location.sums().events;
    return std::min(1.0, static_cast<double>(read) / static_cast<double>(std::max(all, read + 1)));
  };
  std::size_t turn = 0;
  do {
    while (!ready_.empty()) {
      step();
      if (options_.progress && ++turn % kProgress == 0) options_.progress(share_read());
    }
  } while (resolve_standstill());
  close();
  if (options_.progress) options_.progress(1);
}

// Nothing moves. False: the replay is over.
bool TraceReplay::resolve_standstill() {
  if (widen_windows()) return true;
  const auto is_blocked = [](const ReplayLocation& location) {
    return location.state() == ReplayLocation::State::kBlocked;
  };
  if (std::ranges::none_of(locations_, is_blocked)) return false;
  if (!release_hopeless()) release_least();
  return true;
}

bool TraceReplay::widen_windows() {
  bool any = false;
  for (ReplayLocation& location : locations_) {
    if (!location.widen_window()) continue;
    any = true;
    ready_.emplace(location.time(), location.location());
  }
  return any;
}

bool TraceReplay::release_hopeless() {
  context_.ended_ranks.assign(definitions_.ranks.size(), true);
  context_.ended_locations.assign(locations_.size(), false);
  for (const ReplayLocation& location : locations_) {
    const bool over = location.state() == ReplayLocation::State::kEnded;
    context_.ended_locations[location.location()] = over;
    if (!over) context_.ended_ranks[definitions_.locations[location.location()].rank] = false;
  }
  bool any = false;
  for (ReplayLocation& location : locations_) {
    if (!location.go_on_if_hopeless()) continue;
    any = true;
    ready_.emplace(location.time(), location.location());
  }
  return collectives_.give_up() > 0 || any;
}

// They wait for each other in a circle, as no MPI program can: one of them goes on without.
void TraceReplay::release_least() {
  ReplayLocation* least = nullptr;
  for (ReplayLocation& location : locations_)
    if (location.state() == ReplayLocation::State::kBlocked &&
        (least == nullptr || location.time() < least->time()))
      least = &location;
  if (least == nullptr) return;
  least->go_on_without();
  ready_.emplace(least->time(), least->location());
}

void TraceReplay::close() {
  window_locks_.resolve();
  for (ReplayLocation& location : locations_) location.close();
  context_.anomalies.sends_without_receive += mailboxes_.left();
  context_.anomalies.unfinished_collectives += collectives_.unfinished();
}

ReplayFindings TraceReplay::take_findings() {
  ReplayFindings found;
  found.anomalies = context_.anomalies;
  for (ReplayLocation& location : locations_) {
    LocationSums& sums = location.sums();
    found.locations.push_back({location.location(), sums.begin, sums.end, sums.events,
                               sums.paths.paths(), sums.take_waits(), sums.take_timeline()});
    for (std::string& remark : location.remarks()) found.remarks.push_back(std::move(remark));
  }
  return found;
}

}  // namespace huddle::waitstates
