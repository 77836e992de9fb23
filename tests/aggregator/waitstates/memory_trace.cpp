#include "tests/aggregator/waitstates/memory_trace.hpp"

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

class MemoryStream : public EventStream {
 public:
  MemoryStream(const std::vector<Event>& events, std::size_t readable)
      : events_(events), readable_(readable) {}

  std::size_t read(std::span<Event> into) override {
    if (at_ == readable_ && readable_ < events_.size())
      throw FormatError("memory", "event", "damage", "an event");
    const std::size_t count = std::min(into.size(), std::min(readable_, events_.size()) - at_);
    std::copy_n(events_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return {}; }

 private:
  const std::vector<Event>& events_;
  std::size_t readable_;
  std::size_t at_ = 0;
};

bool begins(EventKind kind) {
  return kind == EventKind::kSend || kind == EventKind::kIsend ||
         kind == EventKind::kIrecvRequest || kind == EventKind::kCollectiveRequest;
}

Event of(EventKind kind, std::uint32_t peer, std::uint32_t tag, std::uint32_t subject) {
  Event event;
  event.kind = kind;
  event.peer = peer;
  event.tag = tag;
  event.subject = subject;
  return event;
}

Event with(std::uint64_t request, Event event) {
  event.request = request;
  return event;
}

}  // namespace

MemoryTrace::MemoryTrace(std::uint32_t ranks) {
  all.ranks.resize(ranks);
  TraceCommunicator world{"world", {}, {}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    add_thread(rank);
    world.ranks.push_back(rank);
  }
  all.communicators.push_back(world);
}

std::uint32_t MemoryTrace::add_thread(std::uint32_t rank) {
  const auto location = static_cast<std::uint32_t>(all.locations.size());
  const auto thread = static_cast<std::uint32_t>(all.ranks[rank].locations.size());
  all.locations.push_back({"", rank, thread, 0});
  all.ranks[rank].locations.push_back(location);
  events.emplace_back();
  return location;
}

std::uint32_t MemoryTrace::add_communicator(std::vector<std::uint32_t> ranks,
                                            std::vector<std::uint32_t> remote) {
  all.communicators.push_back({"", std::move(ranks), std::move(remote)});
  return static_cast<std::uint32_t>(all.communicators.size() - 1);
}

std::uint32_t MemoryTrace::add_window(std::uint32_t communicator) {
  all.windows.push_back({"", communicator});
  return static_cast<std::uint32_t>(all.windows.size() - 1);
}

std::uint32_t MemoryTrace::add_group(std::vector<std::uint32_t> ranks) {
  all.groups.push_back(std::move(ranks));
  return static_cast<std::uint32_t>(all.groups.size() - 1);
}

std::uint32_t MemoryTrace::add_team(std::vector<std::uint32_t> locations) {
  all.teams.push_back(std::move(locations));
  return static_cast<std::uint32_t>(all.teams.size() - 1);
}

std::uint32_t MemoryTrace::region(const std::string& name) {
  for (std::uint32_t index = 0; index < all.regions.size(); ++index)
    if (all.regions[index].name == name) return index;
  TraceRegion::Kind kind = TraceRegion::Kind::kUser;
  if (name.starts_with("MPI_")) kind = TraceRegion::Kind::kMpi;
  if (name.starts_with("omp barrier")) kind = TraceRegion::Kind::kOpenmpBarrier;
  if (name.starts_with("omp critical")) kind = TraceRegion::Kind::kThreadLock;
  if (name.starts_with("omp single")) kind = TraceRegion::Kind::kOpenmp;
  all.regions.push_back({name, kind});
  return static_cast<std::uint32_t>(all.regions.size() - 1);
}

void MemoryTrace::add(std::uint32_t location, std::uint64_t time, Event event) {
  event.time = time;
  events[location].push_back(event);
}

void MemoryTrace::enter(std::uint32_t location, std::uint64_t time, const std::string& name) {
  add(location, time, of(EventKind::kEnter, kNobody, 0, region(name)));
}

void MemoryTrace::leave(std::uint32_t location, std::uint64_t time, const std::string& name) {
  add(location, time, of(EventKind::kLeave, kNobody, 0, region(name)));
}

void MemoryTrace::call(std::uint32_t location, std::uint64_t from, std::uint64_t to,
                       const std::string& name, std::initializer_list<Event> inside) {
  enter(location, from, name);
  for (const Event& event : inside)
    if (begins(event.kind)) add(location, from, event);
  for (const Event& event : inside)
    if (!begins(event.kind)) add(location, to, event);
  leave(location, to, name);
}

std::unique_ptr<EventStream> MemoryTrace::events_of(std::uint32_t location) {
  const std::size_t readable =
      damaged_after.empty() ? events[location].size() : damaged_after[location];
  return std::make_unique<MemoryStream>(events[location], readable);
}

Event sent(std::uint32_t to, std::uint32_t tag, std::uint32_t communicator) {
  return of(EventKind::kSend, to, tag, communicator);
}
Event received(std::uint32_t from, std::uint32_t tag, std::uint32_t communicator) {
  return of(EventKind::kRecv, from, tag, communicator);
}
Event isend(std::uint64_t request, std::uint32_t to, std::uint32_t tag,
            std::uint32_t communicator) {
  return with(request, of(EventKind::kIsend, to, tag, communicator));
}
Event isend_ends(std::uint64_t request) {
  return with(request, of(EventKind::kIsendComplete, kNobody, 0, 0));
}
Event irecv(std::uint64_t request) {
  return with(request, of(EventKind::kIrecvRequest, kNobody, 0, 0));
}
Event irecv_ends(std::uint64_t request, std::uint32_t from, std::uint32_t tag,
                 std::uint32_t communicator) {
  return with(request, of(EventKind::kIrecv, from, tag, communicator));
}
Event collective(Collective kind, std::uint32_t root, std::uint32_t communicator) {
  Event event = of(EventKind::kCollectiveEnd, root, 0, communicator);
  event.collective = kind;
  return event;
}
Event icollective(std::uint64_t request) {
  return with(request, of(EventKind::kCollectiveRequest, kNobody, 0, 0));
}
Event icollective_ends(std::uint64_t request, Collective kind, std::uint32_t root,
                       std::uint32_t communicator) {
  Event event = with(request, of(EventKind::kCollectiveComplete, root, 0, communicator));
  event.collective = kind;
  return event;
}
Event of_window(EventKind kind, std::uint32_t window, std::uint32_t group) {
  Event event = of(kind, kNobody, 0, window);
  event.group = group;
  return event;
}
Event of_team(EventKind kind, std::uint32_t team) {
  return of(kind, kNobody, 0, team);
}

}  // namespace huddle
