#include "tests/aggregator/waitstates/memory_trace.hpp"

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

class MemoryStream : public traces::EventStream {
 public:
  MemoryStream(const std::vector<traces::Event>& events, std::size_t readable)
      : events_(events), readable_(readable) {}

  std::size_t read(std::span<traces::Event> into) override {
    if (at_ == readable_ && readable_ < events_.size())
      throw FormatError("memory", "event", "damage", "an event");
    const std::size_t count = std::min(into.size(), std::min(readable_, events_.size()) - at_);
    std::copy_n(events_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return {}; }

 private:
  const std::vector<traces::Event>& events_;
  std::size_t readable_;
  std::size_t at_ = 0;
};

bool begins(traces::EventKind kind) {
  return kind == traces::EventKind::kSend || kind == traces::EventKind::kIsend ||
         kind == traces::EventKind::kIrecvRequest || kind == traces::EventKind::kCollectiveRequest;
}

traces::Event of(traces::EventKind kind, std::uint32_t peer, std::uint32_t tag,
                 std::uint32_t subject) {
  traces::Event event;
  event.kind = kind;
  event.peer = peer;
  event.tag = tag;
  event.subject = subject;
  return event;
}

traces::Event with(std::uint64_t request, traces::Event event) {
  event.request = request;
  return event;
}

}  // namespace

MemoryTrace::MemoryTrace(std::uint32_t ranks) {
  all.ranks.resize(ranks);
  traces::TraceCommunicator world{"world", {}, {}};
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
  traces::TraceRegion::Kind kind = traces::TraceRegion::Kind::kUser;
  if (name.starts_with("MPI_")) kind = traces::TraceRegion::Kind::kMpi;
  if (name.starts_with("omp barrier")) kind = traces::TraceRegion::Kind::kOpenmpBarrier;
  if (name.starts_with("omp critical")) kind = traces::TraceRegion::Kind::kThreadLock;
  if (name.starts_with("omp single")) kind = traces::TraceRegion::Kind::kOpenmp;
  all.regions.push_back({name, kind});
  return static_cast<std::uint32_t>(all.regions.size() - 1);
}

void MemoryTrace::add(std::uint32_t location, std::uint64_t time, traces::Event event) {
  event.time = time;
  events[location].push_back(event);
}

void MemoryTrace::enter(std::uint32_t location, std::uint64_t time, const std::string& name) {
  add(location, time, of(traces::EventKind::kEnter, traces::kNobody, 0, region(name)));
}

void MemoryTrace::leave(std::uint32_t location, std::uint64_t time, const std::string& name) {
  add(location, time, of(traces::EventKind::kLeave, traces::kNobody, 0, region(name)));
}

void MemoryTrace::call(std::uint32_t location, std::uint64_t from, std::uint64_t to,
                       const std::string& name, std::initializer_list<traces::Event> inside) {
  enter(location, from, name);
  for (const traces::Event& event : inside)
    if (begins(event.kind)) add(location, from, event);
  for (const traces::Event& event : inside)
    if (!begins(event.kind)) add(location, to, event);
  leave(location, to, name);
}

std::unique_ptr<traces::EventStream> MemoryTrace::events_of(std::uint32_t location) {
  const std::size_t readable =
      damaged_after.empty() ? events[location].size() : damaged_after[location];
  return std::make_unique<MemoryStream>(events[location], readable);
}

traces::Event sent(std::uint32_t to, std::uint32_t tag, std::uint32_t communicator) {
  return of(traces::EventKind::kSend, to, tag, communicator);
}
traces::Event received(std::uint32_t from, std::uint32_t tag, std::uint32_t communicator) {
  return of(traces::EventKind::kRecv, from, tag, communicator);
}
traces::Event isend(std::uint64_t request, std::uint32_t to, std::uint32_t tag,
                    std::uint32_t communicator) {
  return with(request, of(traces::EventKind::kIsend, to, tag, communicator));
}
traces::Event isend_ends(std::uint64_t request) {
  return with(request, of(traces::EventKind::kIsendComplete, traces::kNobody, 0, 0));
}
traces::Event irecv(std::uint64_t request) {
  return with(request, of(traces::EventKind::kIrecvRequest, traces::kNobody, 0, 0));
}
traces::Event irecv_ends(std::uint64_t request, std::uint32_t from, std::uint32_t tag,
                         std::uint32_t communicator) {
  return with(request, of(traces::EventKind::kIrecv, from, tag, communicator));
}
traces::Event collective(traces::Collective kind, std::uint32_t root, std::uint32_t communicator) {
  traces::Event event = of(traces::EventKind::kCollectiveEnd, root, 0, communicator);
  event.collective = kind;
  return event;
}
traces::Event icollective(std::uint64_t request) {
  return with(request, of(traces::EventKind::kCollectiveRequest, traces::kNobody, 0, 0));
}
traces::Event icollective_ends(std::uint64_t request, traces::Collective kind, std::uint32_t root,
                               std::uint32_t communicator) {
  traces::Event event =
      with(request, of(traces::EventKind::kCollectiveComplete, root, 0, communicator));
  event.collective = kind;
  return event;
}
traces::Event of_window(traces::EventKind kind, std::uint32_t window, std::uint32_t group) {
  traces::Event event = of(kind, traces::kNobody, 0, window);
  event.group = group;
  return event;
}
traces::Event of_team(traces::EventKind kind, std::uint32_t team) {
  return of(kind, traces::kNobody, 0, team);
}

}  // namespace huddle::waitstates
