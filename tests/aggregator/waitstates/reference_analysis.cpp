#include "tests/aggregator/waitstates/reference_analysis.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {
namespace {

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
  std::vector<std::pair<WaitPattern, std::vector<Region*>>> causes;
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
  Collective kind{};
  std::uint32_t root = kNobody;
  std::size_t order = 0;
};

using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

class Reference {
 public:
  explicit Reference(const MemoryTrace& trace) : trace_(trace), lines_(trace.events.size()) {}

  PlainReport run() {
    for (std::uint32_t location = 0; location < trace_.events.size(); ++location) scan(location);
    match_messages();
    match_collectives();
    match_epochs();
    match_teams();
    set_times();
    find_wrong_order();
    for (Region& region : regions_) book(region);
    return report_;
  }

 private:
  struct Line {
    std::vector<Region*> enters, leaves;  // by event; null: another event
    std::uint64_t shift = 0, set_at = 0;
    std::size_t next = 0;
  };
  struct Epochs {
    std::vector<std::pair<Region*, std::uint32_t>> posts, waits, starts, completes;  // and group
  };

  void scan(std::uint32_t location) {
    const std::vector<Event>& events = trace_.events[location];
    lines_[location].enters.resize(events.size());
    lines_[location].leaves.resize(events.size());
    std::vector<Region*> open;
    std::vector<std::uint32_t> teams;
    for (std::size_t at = 0; at < events.size(); ++at) {
      const Event& event = events[at];
      if (event.kind == EventKind::kEnter) {
        Region& region = regions_.emplace_back();
        const TraceRegion& defined = trace_.all.regions[event.subject];
        region.location = location;
        region.path = (open.empty() ? "" : open.back()->path + "/") + defined.name;
        region.mpi = defined.kind == TraceRegion::Kind::kMpi;
        region.enter_event = at;
        region.raw_enter = event.time;
        open.push_back(&region);
        lines_[location].enters[at] = &region;
        if (defined.kind == TraceRegion::Kind::kOpenmpBarrier && !teams.empty())
          barriers_[{teams.back(), location}].push_back(&region);
      } else if (event.kind == EventKind::kLeave) {
        open.back()->leave_event = at;
        lines_[location].leaves[at] = open.back();
        open.pop_back();
      } else if (event.kind == EventKind::kTeamBegin) {
        teams.push_back(event.subject);
      } else if (event.kind == EventKind::kTeamEnd) {
        teams.pop_back();
      } else {
        note(trace_.all.locations[location].rank, event, open.back(), at);
      }
    }
  }

  void note(std::uint32_t rank, const Event& event, Region* call, std::size_t at) {
    auto& begun = requests_[{rank, event.request}];
    const Channel out{rank, event.peer, event.tag, event.subject};
    const Channel in{event.peer, rank, event.tag, event.subject};
    const std::pair window{rank, event.subject};
    switch (event.kind) {
      case EventKind::kSend:
        sends_[out].push_back({call, call, at});
        break;
      case EventKind::kIsend:
        sends_[out].push_back({call, nullptr, at});
        begun = {call, at, out, sends_[out].size() - 1};
        break;
      case EventKind::kIsendComplete:
        sends_[begun.channel][begun.index].ended = call;
        break;
      case EventKind::kIrecvRequest:
      case EventKind::kCollectiveRequest:
        begun = {call, at, {}, 0};
        break;
      case EventKind::kRecv:
        receives_[in].push_back({call, call, at});
        break;
      case EventKind::kIrecv:
        receives_[in].push_back({begun.call, call, begun.at});
        break;
      case EventKind::kCollectiveEnd:
        collectives_[{event.subject, false}][rank].push_back(
            {call, call, event.collective, event.peer, at});
        break;
      case EventKind::kCollectiveComplete:
        collectives_[{event.subject, false}][rank].push_back(
            {begun.call, call, event.collective, event.peer, begun.at});
        break;
      case EventKind::kWindowFence:
        collectives_[{event.subject, true}][rank].push_back(
            {call, call, Collective::kBarrier, kNobody, at});
        break;
      case EventKind::kWindowPost:
        epochs_[window].posts.emplace_back(call, event.group);
        break;
      case EventKind::kWindowStart:
        epochs_[window].starts.emplace_back(call, event.group);
        break;
      case EventKind::kWindowComplete:
        epochs_[window].completes.emplace_back(call, epochs_[window].starts.back().second);
        break;
      case EventKind::kWindowWait:
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
        receives[at].ended->causes.push_back({WaitPattern::kLateSender, {sends.at(at).begun}});
        if (sends[at].ended != nullptr) sends[at].ended->receivers.push_back(receives[at].begun);
      }
    }
  }

  void match_collectives() {
    for (auto& [subject, members] : collectives_) {
      const std::uint32_t which =
          subject.second ? trace_.all.windows[subject.first].communicator : subject.first;
      const TraceCommunicator& communicator = trace_.all.communicators[which];
      if (communicator.ranks.size() + communicator.remote.size() < 2) continue;
      for (auto& [rank, parts] : members) std::ranges::sort(parts, {}, &Part::order);
      for (std::size_t number = 0; number < members.begin()->second.size(); ++number)
        for (auto& [rank, parts] : members)
          depend(rank, parts[number], number, members, communicator, subject.second);
    }
  }

  void depend(std::uint32_t rank, Part& part, std::size_t number,
              std::map<std::uint32_t, std::vector<Part>>& members,
              const TraceCommunicator& communicator, bool fence) {
    const auto& low = communicator.ranks;
    const auto& high = communicator.remote;
    const bool is_low = std::ranges::find(low, rank) != low.end();
    const auto& mine = is_low ? low : high;
    const auto& others = high.empty() ? low : is_low ? high : low;
    std::vector<Region*> waited_for;
    WaitPattern pattern = WaitPattern::kWaitAtBarrier;
    const auto all_of = [&](const std::vector<std::uint32_t>& ranks) {
      for (const std::uint32_t other : ranks)
        if (other != rank) waited_for.push_back(members[other][number].begun);
    };
    switch (part.kind) {
      case Collective::kBarrier:
        if (fence) pattern = WaitPattern::kWaitAtFence;
        all_of(others);
        break;
      case Collective::kAllToAll:
        pattern = WaitPattern::kWaitAtNxN;
        all_of(others);
        break;
      case Collective::kFromRoot:
        pattern = WaitPattern::kLateBroadcast;
        if (std::ranges::find(others, part.root) != others.end()) all_of({part.root});
        break;
      case Collective::kToRoot:
        pattern = WaitPattern::kEarlyReduce;
        if (part.root == rank) all_of(others);
        break;
      default:
        pattern = WaitPattern::kEarlyScan;
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
          call->causes.push_back({WaitPattern::kLateComplete, {queue.front()}});
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

  // Each location in turn as far as it goes, until all are at their ends.
  void set_times() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t location = 0; location < lines_.size(); ++location)
        while (lines_[location].next < trace_.events[location].size() && advance(location))
          moved = true;
    }
  }

  static std::uint64_t corrected(const Line& line, std::uint64_t raw) {
    const std::uint64_t back = line.shift == 0 ? 0 : (raw - line.set_at) / 128;
    return back >= line.shift ? raw : raw + line.shift - back;
  }

  bool advance(std::uint32_t location) {
    Line& line = lines_[location];
    const std::uint64_t raw = trace_.events[location][line.next].time;
    if (Region* const region = line.enters[line.next]) {
      region->enter = corrected(line, raw);
      region->entered = true;
    }
    if (Region* const region = line.leaves[line.next]) {
      std::uint64_t least = 0;
      for (const auto& [pattern, others] : region->causes)
        for (const Region* const other : others) {
          if (!other->entered) return false;
          if (is_certain(pattern)) least = std::max(least, other->enter);
        }
      for (const auto& [pattern, others] : region->causes)
        if (is_certain(pattern) && last_of(others) > corrected(line, raw)) ++report_.violations;
      if (corrected(line, raw) < least) {
        line.shift = least - raw;
        line.set_at = raw;
      }
      region->leave = corrected(line, raw);
    }
    ++line.next;
    return true;
  }

  // No call ends before these.
  static bool is_certain(WaitPattern pattern) {
    return pattern == WaitPattern::kLateSender || pattern == WaitPattern::kWaitAtBarrier ||
           pattern == WaitPattern::kLateComplete;
  }

  static std::uint64_t last_of(const std::vector<Region*>& regions) {
    std::uint64_t last = 0;
    for (const Region* const region : regions) last = std::max(last, region->enter);
    return last;
  }

  static std::uint64_t last_sender(const Region& call) {
    std::uint64_t last = 0;
    for (const auto& [pattern, others] : call.causes)
      if (pattern == WaitPattern::kLateSender) last = std::max(last, last_of(others));
    return last;
  }

  static std::uint64_t first_sender(const Region& call) {
    std::uint64_t first = UINT64_MAX;
    for (const auto& [pattern, others] : call.causes)
      if (pattern == WaitPattern::kLateSender)
        for (const Region* const sender : others) first = std::min(first, sender->enter);
    return first;
  }

  // Regions are in the order of their enters, those of MPI do not overlap.
  void find_wrong_order() {
    for (std::uint32_t location = 0; location < lines_.size(); ++location) {
      std::vector<Region*> calls;
      for (Region& region : regions_)
        if (region.location == location && first_sender(region) < UINT64_MAX)
          calls.push_back(&region);
      for (std::size_t at = 0; at < calls.size(); ++at) {
        std::size_t waits = 0;
        for (std::size_t later = at + 1; later < calls.size() && waits < 64; ++later) {
          if (first_sender(*calls[later]) < calls[at]->enter) calls[at]->wrong_order = true;
          if (last_sender(*calls[later]) > calls[later]->enter) ++waits;
        }
      }
    }
  }

  void book(Region& region) {
    std::uint64_t inside = 0;
    for (const Region& other : regions_)
      if (other.location == region.location && other.enter_event > region.enter_event &&
          other.leave_event < region.leave_event &&
          std::ranges::count(other.path, '/') == std::ranges::count(region.path, '/') + 1)
        inside += other.leave - other.enter;
    auto& time = report_.times[{region.location, region.path}];
    ++time.first;
    time.second += region.leave - region.enter - inside;

    std::array<std::uint64_t, kWaitPatterns> until{};
    const auto extend = [&](WaitPattern pattern, std::uint64_t end) {
      std::uint64_t& known = until.at(static_cast<std::size_t>(pattern));
      known = std::max(known, std::min(end, region.leave));
    };
    for (const auto& [pattern, others] : region.causes) extend(pattern, last_of(others));
    for (const Region* const receiver : region.receivers)
      if (receiver->enter < region.leave) extend(WaitPattern::kLateReceiver, receiver->enter);
    const std::uint64_t posted = last_of(region.posts);
    if (region.is_start && posted <= region.leave) extend(WaitPattern::kLatePost, posted);
    if (region.start != nullptr && posted > region.start->leave && posted <= region.leave)
      extend(WaitPattern::kLatePost, posted);
    if (!region.team.empty()) {
      std::uint64_t last = 0;
      for (const Region* const member : region.team) last = std::max(last, member->raw_enter);
      const std::uint64_t own = region.leave - region.enter - inside;
      extend(WaitPattern::kWaitAtOpenmpBarrier,
             region.enter + std::min(own, last - region.raw_enter));
    }
    std::uint64_t booked = region.enter;
    for (std::size_t pattern = 0; pattern < kWaitPatterns; ++pattern) {
      if (until.at(pattern) <= booked) continue;
      const std::uint64_t ticks = until.at(pattern) - booked;
      const bool wrong = pattern == 0 && region.wrong_order;
      const WaitPattern named =
          wrong ? WaitPattern::kLateSenderWrongOrder : static_cast<WaitPattern>(pattern);
      auto& waits = report_.waits[{std::string(name_of(named)), region.location, region.path}];
      ++waits.count;
      waits.ticks += ticks;
      waits.longest = std::max(waits.longest, ticks);
      booked = until.at(pattern);
    }
  }

  struct Begun {
    Region* call = nullptr;
    std::size_t at = 0;
    Channel channel;
    std::size_t index = 0;
  };

  const MemoryTrace& trace_;
  PlainReport report_;
  std::deque<Region> regions_;
  std::vector<Line> lines_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Begun> requests_;
  std::map<Channel, std::vector<Message>> sends_, receives_;
  std::map<std::pair<std::uint32_t, bool>, std::map<std::uint32_t, std::vector<Part>>> collectives_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Epochs> epochs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Region*>> barriers_;
};

}  // namespace

PlainReport reference_analysis(const MemoryTrace& trace) {
  return Reference(trace).run();
}

}  // namespace huddle
