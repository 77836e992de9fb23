#include "tests/profiles/traces/sample_trace.hpp"

#include <fmt/format.h>

namespace huddle::traces {
namespace {

enum Region : std::uint32_t {
  kMain,
  kSend,
  kIsend,
  kRecv,
  kIrecv,
  kWait,
  kTest,
  kCancel,
  kBarrier,
  kAllreduce,
  kBcast,
  kIreduce,
  kExscan,
  kSplit,
  kWinCreate,
  kWinFree,
  kWinFence,
  kWinPost,
  kWinStart,
  kWinComplete,
  kWinWait,
  kPut,
  kGet,
  kAccumulate,
  kImplicitBarrier,
  kParallel,
};
constexpr const char* kNames[] = {"main",
                                  "MPI_Send",
                                  "MPI_Isend",
                                  "MPI_Recv",
                                  "MPI_Irecv",
                                  "MPI_Wait",
                                  "MPI_Test",
                                  "MPI_Cancel",
                                  "MPI_Barrier",
                                  "MPI_Allreduce",
                                  "MPI_Bcast",
                                  "MPI_Ireduce",
                                  "MPI_Exscan",
                                  "MPI_Comm_split",
                                  "MPI_Win_create",
                                  "MPI_Win_free",
                                  "MPI_Win_fence",
                                  "MPI_Win_post",
                                  "MPI_Win_start",
                                  "MPI_Win_complete",
                                  "MPI_Win_wait",
                                  "MPI_Put",
                                  "MPI_Get",
                                  "MPI_Accumulate",
                                  "!$omp implicit barrier @a.c:7",
                                  "!$omp parallel @a.c:5"};

enum Comm : std::uint32_t { kWorld, kSelf, kOdd, kBetween };

TraceDefinitions definitions() {
  TraceDefinitions all;
  all.ticks_per_second = 1'000'000'000;
  all.duration = 5000;
  for (const char* name : kNames) {
    auto kind = TraceRegion::Kind::kMpi;
    if (std::string_view(name) == "main") kind = TraceRegion::Kind::kUser;
    if (std::string_view(name).starts_with("!$omp parallel")) kind = TraceRegion::Kind::kOpenmp;
    if (std::string_view(name).starts_with("!$omp implicit"))
      kind = TraceRegion::Kind::kOpenmpBarrier;
    all.regions.push_back({name, kind});
  }
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    all.ranks.push_back({fmt::format("MPI Rank {}", rank), rank < 2 ? "n0" : "n1", {rank}});
    all.locations.push_back({"Master thread", rank, 0, 0});
  }
  all.ranks[0].locations.push_back(4);
  all.locations.push_back({"OMP thread 1", 0, 1, 0});
  all.communicators = {{"MPI_COMM_WORLD", {0, 1, 2, 3}, {}},
                       {"MPI_COMM_SELF", {}, {}},
                       {"odd", {3, 1}, {}},
                       {"between", {2, 0}, {1, 3}}};
  all.windows = {{"window", kWorld}, {"", kOdd}};
  all.groups = {{1, 2}, {0}};
  all.teams = {{0, 4}};
  all.remarks = {"rank 3 ended early: the disk was full"};
  return all;
}

// Writes one function with what happens in it.
class Story {
 public:
  explicit Story(std::vector<Event>& events) : events_(events) {}
  void call(Region region, std::vector<Event> inside) {
    at({.subject = region, .kind = EventKind::kEnter});
    for (Event& event : inside) at(event);
    at({.subject = region, .kind = EventKind::kLeave});
  }
  void at(Event event) {
    event.time = time_ += 10;
    events_.push_back(event);
  }

 private:
  std::vector<Event>& events_;
  std::uint64_t time_ = 0;
};

void tell_messages(Story& story) {
  using K = EventKind;
  story.call(kSend, {{.bytes = 100, .subject = kWorld, .peer = 1, .tag = 7, .kind = K::kSend}});
  story.call(kIsend, {{.request = 1,
                       .bytes = 1ULL << 33U,
                       .subject = kBetween,
                       .peer = 3,
                       .tag = 8,
                       .kind = K::kIsend}});
  story.call(kIrecv, {{.request = 2, .kind = K::kIrecvRequest}});
  story.call(kTest, {{.request = 2, .kind = K::kRequestTested}});
  story.call(
      kWait,
      {{.request = 1, .kind = K::kIsendComplete},
       {.request = 2, .bytes = 5, .subject = kSelf, .peer = 0, .tag = 1, .kind = K::kIrecv}});
  story.call(kIrecv, {{.request = 3, .kind = K::kIrecvRequest}});
  story.call(kCancel, {{.request = 3, .kind = K::kRequestCancelled}});
}

void tell_collectives(Story& story) {
  using K = EventKind;
  story.call(kBarrier,
             {{.subject = kWorld, .kind = K::kCollectiveEnd, .collective = Collective::kBarrier}});
  story.call(kAllreduce, {{.bytes = 64,
                           .subject = kWorld,
                           .kind = K::kCollectiveEnd,
                           .collective = Collective::kAllToAll}});
  story.call(kBcast, {{.bytes = 9,
                       .subject = kWorld,
                       .peer = 2,
                       .kind = K::kCollectiveEnd,
                       .collective = Collective::kFromRoot}});
  story.call(kIreduce, {{.request = 4, .kind = K::kCollectiveRequest}});
  story.call(kWait, {{.request = 4,
                      .bytes = 8,
                      .subject = kWorld,
                      .peer = 3,
                      .kind = K::kCollectiveComplete,
                      .collective = Collective::kToRoot}});
  story.call(kExscan, {{.bytes = 8,
                        .subject = kWorld,
                        .kind = K::kCollectiveEnd,
                        .collective = Collective::kScan}});
  story.call(kSplit,
             {{.subject = kWorld, .kind = K::kCollectiveEnd, .collective = Collective::kOther}});
}

void tell_windows(Story& story) {
  using K = EventKind;
  story.call(kWinCreate, {{.subject = 0, .kind = K::kWindowCreated}});
  story.call(kWinFence, {{.subject = 0, .kind = K::kWindowFence}});
  story.call(kPut, {{.bytes = 80, .subject = 0, .peer = 1, .kind = K::kOneSided}});
  story.call(kGet, {{.bytes = 81, .subject = 0, .peer = 2, .kind = K::kOneSided}});
  story.call(kAccumulate, {{.bytes = 82, .subject = 0, .peer = 3, .kind = K::kOneSided}});
  story.call(kWinStart, {{.subject = 0, .group = 0, .kind = K::kWindowStart}});
  story.call(kWinPost, {{.subject = 0, .group = 1, .kind = K::kWindowPost}});
  story.call(kWinComplete, {{.subject = 0, .kind = K::kWindowComplete}});
  story.call(kWinWait, {{.subject = 0, .kind = K::kWindowWait}});
  story.call(kWinFree, {{.subject = 0, .kind = K::kWindowFreed}});
}

}  // namespace

SampleTrace sample_trace() {
  SampleTrace trace{definitions(), {}};
  trace.events.resize(trace.definitions.locations.size());
  Story first(trace.events[0]);
  first.at({.subject = kMain, .kind = EventKind::kEnter});
  tell_messages(first);
  tell_collectives(first);
  tell_windows(first);
  first.at({.subject = kMain, .kind = EventKind::kLeave});

  Story second(trace.events[1]);
  second.call(kRecv,
              {{.bytes = 100, .subject = kWorld, .peer = 0, .tag = 7, .kind = EventKind::kRecv}});
  second.call(kRecv,
              {{.bytes = 3, .subject = kBetween, .peer = 0, .tag = 9, .kind = EventKind::kRecv}});
  second.call(kSend,
              {{.bytes = 3, .subject = kOdd, .peer = 3, .tag = 9, .kind = EventKind::kSend}});

  Story thread(trace.events[4]);
  thread.at({.subject = 0, .kind = EventKind::kTeamBegin});
  thread.at({.subject = kParallel, .kind = EventKind::kEnter});
  thread.call(kImplicitBarrier, {});
  thread.at({.subject = kParallel, .kind = EventKind::kLeave});
  thread.at({.subject = 0, .kind = EventKind::kTeamEnd});
  return trace;
}

}  // namespace huddle::traces
