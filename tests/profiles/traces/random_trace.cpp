#include "tests/profiles/traces/random_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>

namespace huddle::traces {
namespace {

struct Call {
  const char* name;
  EventKind kind;
  Collective collective = Collective::kNone;
};

constexpr std::array<Call, 25> kCalls{{
    {"MPI_Send", EventKind::kSend},
    {"MPI_Isend", EventKind::kIsend},
    {"MPI_Recv", EventKind::kRecv},
    {"MPI_Wait", EventKind::kIrecv},
    {"MPI_Irecv", EventKind::kIrecvRequest},
    {"MPI_Waitall", EventKind::kIsendComplete},
    {"MPI_Cancel", EventKind::kRequestCancelled},
    {"MPI_Barrier", EventKind::kCollectiveEnd, Collective::kBarrier},
    {"MPI_Alltoallw", EventKind::kCollectiveEnd, Collective::kAllToAll},
    {"MPI_Reduce_scatter_block", EventKind::kCollectiveEnd, Collective::kAllToAll},
    {"MPI_Scatterv", EventKind::kCollectiveEnd, Collective::kFromRoot},
    {"MPI_Gather", EventKind::kCollectiveEnd, Collective::kToRoot},
    {"MPI_Scan", EventKind::kCollectiveEnd, Collective::kScan},
    {"MPI_Comm_dup", EventKind::kCollectiveEnd, Collective::kOther},
    {"unheard_of", EventKind::kCollectiveEnd, Collective::kAllToAll},
    {"MPI_Test", EventKind::kCollectiveComplete, Collective::kToRoot},
    {"MPI_Win_fence", EventKind::kWindowFence},
    {"MPI_Win_post", EventKind::kWindowPost},
    {"MPI_Win_start", EventKind::kWindowStart},
    {"MPI_Win_complete", EventKind::kWindowComplete},
    {"MPI_Win_wait", EventKind::kWindowWait},
    {"MPI_Rget", EventKind::kOneSided},
    {"MPI_File_write_all", EventKind::kFileCollective},
    {"MPI_Win_lock", EventKind::kWindowLocked},
    {"MPI_Win_unlock", EventKind::kWindowUnlocked},
}};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  SampleTrace make() {
    make_ranks();
    make_communicators();
    for (TraceCommunicator& each : trace_.definitions.communicators) each.files = true;
    for (const Call& call : kCalls)
      trace_.definitions.regions.push_back({call.name, TraceRegion::Kind::kMpi});
    for (int i = 0; i < 3; ++i)
      trace_.definitions.regions.push_back(
          {fmt::format("f{}<\n\"&>", i), TraceRegion::Kind::kUser});
    trace_.events.resize(trace_.definitions.locations.size());
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      time_ = below(1000);
      const std::uint32_t calls = below(4) == 0 ? 0 : below(3000);
      for (std::uint32_t n = 0; n < calls; ++n) add_call(i);
      longest_ = std::max(longest_, time_);
    }
    trace_.definitions.duration = longest_;
    return std::move(trace_);
  }

 private:
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }

  void make_ranks() {
    TraceDefinitions& all = trace_.definitions;
    const std::uint32_t ranks = 1 + below(9);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      TraceRank& one = all.ranks.emplace_back();
      one.name = fmt::format("MPI Rank {}", rank);
      one.node = fmt::format("n{}", below(3));
      for (std::uint32_t thread = 0; thread < 1 + below(2); ++thread) {
        one.locations.push_back(static_cast<std::uint32_t>(all.locations.size()));
        all.locations.push_back({fmt::format("T{}", thread), rank, thread, 0});
      }
    }
  }

  // In any order, at least one.
  std::vector<std::uint32_t> some_ranks() {
    std::vector<std::uint32_t> ranks(trace_.definitions.ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    std::shuffle(ranks.begin(), ranks.end(), random_);
    ranks.resize(1 + below(static_cast<std::uint32_t>(ranks.size())));
    return ranks;
  }

  void make_communicators() {
    TraceDefinitions& all = trace_.definitions;
    std::vector<std::uint32_t> world(all.ranks.size());
    std::iota(world.begin(), world.end(), 0U);
    all.communicators.push_back({"MPI_COMM_WORLD", world, {}});
    all.communicators.push_back({"MPI_COMM_SELF", {}, {}});
    for (std::uint32_t i = 0; i < below(5); ++i)
      all.communicators.push_back({below(2) == 0 ? "" : fmt::format("c{}", i), some_ranks(), {}});
    if (world.size() > 1) {
      const std::uint32_t cut = 1 + below(static_cast<std::uint32_t>(world.size()) - 1);
      all.communicators.push_back(
          {"between", {world.begin() + cut, world.end()}, {world.begin(), world.begin() + cut}});
    }
    for (std::uint32_t i = 0; i < 1 + below(3); ++i)
      all.windows.push_back(
          {fmt::format("w{}", i), below(static_cast<std::uint32_t>(all.communicators.size()))});
    for (std::uint32_t i = 0; i < 1 + below(3); ++i) all.groups.push_back(some_ranks());
  }

  static bool holds(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  }

  // Whom the rank can talk to on a communicator; nobody if it is not in it.
  std::vector<std::uint32_t> partners(std::uint32_t communicator, std::uint32_t rank) const {
    const TraceCommunicator& one = trace_.definitions.communicators[communicator];
    if (one.ranks.empty()) return {rank};
    if (one.remote.empty())
      return holds(one.ranks, rank) ? one.ranks : std::vector<std::uint32_t>{};
    return holds(one.ranks, rank) ? one.remote : one.ranks;
  }

  void add(std::uint32_t location, Event event) {
    event.time = time_ += below(3) == 0 ? 0 : below(1U << below(31));
    trace_.events[location].push_back(event);
  }

  void add_call(std::uint32_t location) {
    const TraceDefinitions& all = trace_.definitions;
    const std::uint32_t number = below(kCalls.size());
    const Call& call = kCalls[number];
    const std::uint32_t rank = all.locations[location].rank;
    const std::uint32_t around = static_cast<std::uint32_t>(kCalls.size()) + below(3);
    add(location, {.subject = around, .kind = EventKind::kEnter});
    add(location, {.subject = number, .kind = EventKind::kEnter});
    if (const auto event = event_of(call, rank)) add(location, *event);
    add(location, {.subject = number, .kind = EventKind::kLeave});
    add(location, {.subject = around, .kind = EventKind::kLeave});
  }

  std::optional<Event> event_of(const Call& call, std::uint32_t rank) {
    const TraceDefinitions& all = trace_.definitions;
    Event event;
    event.kind = call.kind;
    event.collective = call.collective;
    const auto any_of = [&](const auto& list) {
      return below(static_cast<std::uint32_t>(list.size()));
    };
    const bool of_window =
        call.kind >= EventKind::kWindowFence && call.kind != EventKind::kFileCollective;
    event.subject = of_window ? any_of(all.windows) : any_of(all.communicators);
    const std::uint32_t communicator =
        of_window ? all.windows[event.subject].communicator : event.subject;
    const std::vector<std::uint32_t> others = partners(communicator, rank);
    if (others.empty()) return {};
    fill(call, others, any_of, event);
    return event;
  }

  template <class Choice>
  void fill(const Call& call, const std::vector<std::uint32_t>& others, const Choice& any_of,
            Event& event) {
    using K = EventKind;
    const bool rooted =
        call.collective == Collective::kFromRoot || call.collective == Collective::kToRoot;
    const bool collective = call.collective != Collective::kNone;
    if (call.kind <= K::kIrecv && call.kind != K::kIsendComplete && call.kind != K::kIrecvRequest)
      event.tag = below(1000);
    const bool by_request = call.kind == K::kIsendComplete || call.kind == K::kIrecvRequest ||
                            call.kind == K::kRequestCancelled;
    if (by_request) event.subject = 0;
    if (by_request || call.kind == K::kIsend || call.kind == K::kIrecv ||
        call.kind == K::kCollectiveComplete)
      event.request = (std::uint64_t{below(1U << 31U)} << 20U) + next_request_++;
    const bool locks = call.kind == K::kWindowLocked || call.kind == K::kWindowUnlocked;
    if (call.kind == K::kWindowLocked) event.request = below(2);
    if (locks && below(2) == 0) event.peer = others[any_of(others)];
    const bool with_peer = rooted || call.kind == K::kOneSided ||
                           (!collective && call.kind <= K::kIrecv && !by_request);
    if (with_peer) event.peer = others[any_of(others)];
    if (with_peer || call.kind == K::kFileCollective ||
        (collective && call.collective != Collective::kOther))
      event.bytes = std::uint64_t{below(1U << 31U)} << below(20);
    if (call.kind == K::kWindowPost || call.kind == K::kWindowStart)
      event.group = any_of(trace_.definitions.groups);
  }

  std::mt19937_64 random_;
  SampleTrace trace_;
  std::uint64_t time_ = 0;
  std::uint64_t longest_ = 0;
  std::uint64_t next_request_ = 0;
};

}  // namespace

SampleTrace random_trace(std::uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace huddle::traces
