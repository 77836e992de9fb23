#pragma once

// Matches the events that belong together in a trace, for the independent reference of the wait
// states: all events in memory, nothing shared with the replay.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::reference {

// A region of a location from its enter to its leave; MPI calls: the outermost ones only.
struct Region {
  std::uint32_t location = 0;
  std::string path;
  bool mpi = false;
  std::size_t enter_event = 0, leave_event = 0;
  std::uint64_t enter = 0, leave = 0;  // corrected
  std::uint64_t raw_enter = 0;
  std::uint64_t below = 0;  // corrected time of the regions in it
  bool entered = false;
  bool wrong_order = false;  // if it waits for a sender

  // Groups of regions whose enters it can't end without, and what waiting for the last is called.
  std::vector<std::pair<waitstates::WaitPattern, std::vector<Region*>>> causes;
  // Posts of the receives of messages that end here.
  std::vector<Region*> receivers;
  // Posts of an access epoch, and the start of it if this is its end.
  std::vector<Region*> posts;
  Region* start = nullptr;
  bool is_start = false;
  std::vector<Region*> team;  // all at the same OpenMP barrier
};

struct Message {
  Region* begun = nullptr;
  Region* ended = nullptr;
  std::size_t order = 0;
};

struct Part {  // of a member in a collective
  Region* begun = nullptr;
  Region* ended = nullptr;
  traces::Collective kind{};
  std::uint32_t root = traces::kNobody;
  std::size_t order = 0;
};

using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

/// Finds the regions of a trace, and which of them can't end without which others have begun.
class Matching {
 public:
  /// `trace` lives longer than this.
  explicit Matching(const waitstates::MemoryTrace& trace)
      : trace_(trace), lines_(trace.events.size()) {
    for (std::uint32_t location = 0; location < trace_.events.size(); ++location) scan(location);
    match_messages();
    match_collectives();
    match_epochs();
    match_teams();
  }

 protected:
  struct Line {
    std::vector<Region*> enters, leaves;  // by event; null: another event
    std::uint64_t shift = 0, set_at = 0;
    std::size_t next = 0;
  };
  const waitstates::MemoryTrace& trace_;
  std::deque<Region> regions_;
  std::vector<Line> lines_;

 private:
  struct Epochs {
    std::vector<std::pair<Region*, std::uint32_t>> posts, waits, starts, completes;  // and group
  };

  void scan(std::uint32_t location) {
    const std::vector<traces::Event>& events = trace_.events[location];
    lines_[location].enters.resize(events.size());
    lines_[location].leaves.resize(events.size());
    std::vector<Region*> open;
    std::vector<std::uint32_t> teams;
    for (std::size_t at = 0; at < events.size(); ++at) {
      const traces::Event& event = events[at];
      if (event.kind == traces::EventKind::kEnter) {
        Region& region = regions_.emplace_back();
        const traces::TraceRegion& defined = trace_.all.regions[event.subject];
        region.location = location;
        region.path = (open.empty() ? "" : open.back()->path + "/") + defined.name;
        region.mpi = defined.kind == traces::TraceRegion::Kind::kMpi;
        region.enter_event = at;
        region.raw_enter = event.time;
        open.push_back(&region);
        lines_[location].enters[at] = &region;
        if (defined.kind == traces::TraceRegion::Kind::kOpenmpBarrier && !teams.empty())
          barriers_[{teams.back(), location}].push_back(&region);
      } else if (event.kind == traces::EventKind::kLeave) {
        open.back()->leave_event = at;
        lines_[location].leaves[at] = open.back();
        open.pop_back();
      } else if (event.kind == traces::EventKind::kTeamBegin) {
        teams.push_back(event.subject);
      } else if (event.kind == traces::EventKind::kTeamEnd) {
        teams.pop_back();
      } else {
        note(trace_.all.locations[location].rank, event, open.back(), at);
      }
    }
  }

  void note(std::uint32_t rank, const traces::Event& event, Region* call, std::size_t at) {
    auto& begun = requests_[{rank, event.request}];
    const Channel out{rank, event.peer, event.tag, event.subject};
    const Channel in{event.peer, rank, event.tag, event.subject};
    const std::pair window{rank, event.subject};
    switch (event.kind) {
      case traces::EventKind::kSend:
        sends_[out].push_back({call, call, at});
        break;
      case traces::EventKind::kIsend:
        sends_[out].push_back({call, nullptr, at});
        begun = {call, at, out, sends_[out].size() - 1};
        break;
      case traces::EventKind::kIsendComplete:
        sends_[begun.channel][begun.index].ended = call;
        break;
      case traces::EventKind::kIrecvRequest:
      case traces::EventKind::kCollectiveRequest:
        begun = {call, at, {}, 0};
        break;
      case traces::EventKind::kRecv:
        receives_[in].push_back({call, call, at});
        break;
      case traces::EventKind::kIrecv:
        receives_[in].push_back({begun.call, call, begun.at});
        break;
      case traces::EventKind::kCollectiveEnd:
        collectives_[{event.subject, false}][rank].push_back(
            {call, call, event.collective, event.peer, at});
        break;
      case traces::EventKind::kCollectiveComplete:
        collectives_[{event.subject, false}][rank].push_back(
            {begun.call, call, event.collective, event.peer, begun.at});
        break;
      case traces::EventKind::kWindowFence:
        collectives_[{event.subject, true}][rank].push_back(
            {call, call, traces::Collective::kBarrier, traces::kNobody, at});
        break;
      case traces::EventKind::kWindowPost:
        epochs_[window].posts.emplace_back(call, event.group);
        break;
      case traces::EventKind::kWindowStart:
        epochs_[window].starts.emplace_back(call, event.group);
        break;
      case traces::EventKind::kWindowComplete:
        epochs_[window].completes.emplace_back(call, epochs_[window].starts.back().second);
        break;
      case traces::EventKind::kWindowWait:
        epochs_[window].waits.emplace_back(call, epochs_[window].posts.back().second);
        break;
      default:
        break;
    }
  }

  void match_messages() {
    for (auto& [channel, receives] : receives_) {
      std::vector<Message>& sends = sends_[channel];
      std::ranges::sort(receives, {}, &Message::order);
      for (std::size_t at = 0; at < receives.size(); ++at) {
        receives[at].ended->causes.push_back(
            {waitstates::WaitPattern::kLateSender, {sends.at(at).begun}});
        if (sends[at].ended != nullptr) sends[at].ended->receivers.push_back(receives[at].begun);
      }
    }
  }

  void match_collectives() {
    for (auto& [subject, members] : collectives_) {
      const std::uint32_t which =
          subject.second ? trace_.all.windows[subject.first].communicator : subject.first;
      const traces::TraceCommunicator& communicator = trace_.all.communicators[which];
      if (communicator.ranks.size() + communicator.remote.size() < 2) continue;
      for (auto& [rank, parts] : members) std::ranges::sort(parts, {}, &Part::order);
      for (std::size_t number = 0; number < members.begin()->second.size(); ++number)
        for (auto& [rank, parts] : members)
          depend(rank, parts[number], number, members, communicator, subject.second);
    }
  }

  void depend(std::uint32_t rank, Part& part, std::size_t number,
              std::map<std::uint32_t, std::vector<Part>>& members,
              const traces::TraceCommunicator& communicator, bool fence) {
    const auto& low = communicator.ranks;
    const auto& high = communicator.remote;
    const bool is_low = std::ranges::find(low, rank) != low.end();
    const auto& mine = is_low ? low : high;
    const auto& others = high.empty() ? low : is_low ? high : low;
    std::vector<Region*> waited_for;
    waitstates::WaitPattern pattern = waitstates::WaitPattern::kWaitAtBarrier;
    const auto all_of = [&](const std::vector<std::uint32_t>& ranks) {
      for (const std::uint32_t other : ranks)
        if (other != rank) waited_for.push_back(members[other][number].begun);
    };
    switch (part.kind) {
      case traces::Collective::kBarrier:
        if (fence) pattern = waitstates::WaitPattern::kWaitAtFence;
        all_of(others);
        break;
      case traces::Collective::kAllToAll:
        pattern = waitstates::WaitPattern::kWaitAtNxN;
        all_of(others);
        break;
      case traces::Collective::kFromRoot:
        pattern = waitstates::WaitPattern::kLateBroadcast;
        if (std::ranges::find(others, part.root) != others.end()) all_of({part.root});
        break;
      case traces::Collective::kToRoot:
        pattern = waitstates::WaitPattern::kEarlyReduce;
        if (part.root == rank) all_of(others);
        break;
      default:
        pattern = waitstates::WaitPattern::kEarlyScan;
        all_of({mine.begin(), std::ranges::find(mine, rank)});
        break;
    }
    if (!waited_for.empty()) part.ended->causes.push_back({pattern, waited_for});
  }

  // The n-th post of a target for an origin is for the origin's n-th start with that target.
  void match_epochs() {
    std::map<Channel, std::deque<Region*>> posts, completes;
    const auto& groups = trace_.all.groups;
    for (auto& [where, epochs] : epochs_) {
      const auto [rank, window] = where;
      for (const auto& [call, group] : epochs.posts)
        for (const std::uint32_t origin : groups[group])
          posts[{rank, origin, window, 0}].push_back(call);
      for (const auto& [call, group] : epochs.completes)
        for (const std::uint32_t target : groups[group])
          completes[{rank, target, window, 0}].push_back(call);
    }
    for (auto& [where, epochs] : epochs_) {
      const auto [rank, window] = where;
      for (std::size_t at = 0; at < epochs.starts.size(); ++at) {
        Region* const start = epochs.starts[at].first;
        Region* const complete = epochs.completes[at].first;
        start->is_start = true;
        complete->start = start;
        for (const std::uint32_t target : groups[epochs.starts[at].second]) {
          auto& queue = posts[{target, rank, window, 0}];
          start->posts.push_back(queue.front());
          complete->posts.push_back(queue.front());
          queue.pop_front();
        }
      }
      for (const auto& [call, group] : epochs.waits) {
        for (const std::uint32_t origin : groups[group]) {
          auto& queue = completes[{origin, rank, window, 0}];
          call->causes.push_back({waitstates::WaitPattern::kLateComplete, {queue.front()}});
          queue.pop_front();
        }
      }
    }
  }

  void match_teams() {
    for (auto& [where, barriers] : barriers_)
      for (std::size_t number = 0; number < barriers.size(); ++number)
        for (const std::uint32_t member : trace_.all.teams[where.first])
          barriers[number]->team.push_back(barriers_.at({where.first, member})[number]);
  }

  struct Begun {
    Region* call = nullptr;
    std::size_t at = 0;
    Channel channel;
    std::size_t index = 0;
  };

  std::map<std::pair<std::uint32_t, std::uint64_t>, Begun> requests_;
  std::map<Channel, std::vector<Message>> sends_, receives_;
  std::map<std::pair<std::uint32_t, bool>, std::map<std::uint32_t, std::vector<Part>>> collectives_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Epochs> epochs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Region*>> barriers_;
};

}  // namespace huddle::reference
