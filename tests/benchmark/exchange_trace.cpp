// Writes an OTF2 trace of a program that exchanges halos with its neighbours in a ring, and agrees
// on a sum after every step: of any width and length, for tests and for benchmarks/waitstates.
//
//   exchange_trace RANKS STEPS FOLDER     about 22 x RANKS x STEPS events

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "profiles/traces/write/trace_writer.hpp"

namespace {

using namespace huddle;

enum Region : std::uint32_t { kMain, kSolve, kIrecv, kIsend, kWaitall, kAllreduce };

traces::TraceDefinitions definitions(std::uint32_t ranks, std::uint64_t duration) {
  traces::TraceDefinitions all;
  all.duration = duration;
  for (const char* const name : {"main", "solve"})
    all.regions.push_back({name, traces::TraceRegion::Kind::kUser});
  for (const char* const name : {"MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"})
    all.regions.push_back({name, traces::TraceRegion::Kind::kMpi});
  all.communicators.push_back({"MPI_COMM_WORLD", {}, {}});
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    all.locations.push_back({"Master thread", rank, 0, 0});
    all.ranks.push_back({"MPI Rank " + std::to_string(rank), "node0", {rank}});
    all.communicators[0].ranks.push_back(rank);
  }
  return all;
}

// The same for all ranks but for the time that each takes in a step, which changes from step to
// step.
class Rank {
 public:
  Rank(std::uint32_t rank, std::uint32_t ranks) : rank_(rank), ranks_(ranks) {}

  static constexpr std::uint64_t kStep = 20000;

  void step(std::uint64_t number, std::vector<traces::Event>& events) {
    now_ = number * kStep;
    if (number == 0) region(events, traces::EventKind::kEnter, kMain);
    region(events, traces::EventKind::kEnter, kSolve);
    now_ += delay(rank_, number);
    region(events, traces::EventKind::kLeave, kSolve);
    const std::uint32_t left = (rank_ + ranks_ - 1) % ranks_;
    const std::uint32_t right = (rank_ + 1) % ranks_;
    const std::uint64_t first = number * 4;
    begin(events, kIrecv, traces::EventKind::kIrecvRequest, traces::kNobody, first);
    begin(events, kIrecv, traces::EventKind::kIrecvRequest, traces::kNobody, first + 1);
    begin(events, kIsend, traces::EventKind::kIsend, right, first + 2);
    begin(events, kIsend, traces::EventKind::kIsend, left, first + 3);
    region(events, traces::EventKind::kEnter, kWaitall);
    now_ = number * kStep + 12000;
    end(events, traces::EventKind::kIrecv, left, first);
    end(events, traces::EventKind::kIrecv, right, first + 1);
    end(events, traces::EventKind::kIsendComplete, traces::kNobody, first + 2);
    end(events, traces::EventKind::kIsendComplete, traces::kNobody, first + 3);
    region(events, traces::EventKind::kLeave, kWaitall);
    now_ += delay(rank_ + 7, number) / 4;
    region(events, traces::EventKind::kEnter, kAllreduce);
    now_ = number * kStep + 18000;
    traces::Event sum = of(traces::EventKind::kCollectiveEnd, 0);
    sum.collective = traces::Collective::kAllToAll;
    sum.bytes = 8;
    events.push_back(sum);
    region(events, traces::EventKind::kLeave, kAllreduce);
  }

  void finish(std::vector<traces::Event>& events) {
    now_ += 1000;
    region(events, traces::EventKind::kLeave, kMain);
  }

 private:
  static std::uint64_t delay(std::uint64_t rank, std::uint64_t step) {
    return 100 + (rank * 7919 + step * 104729) % 9973;
  }
  traces::Event of(traces::EventKind kind, std::uint32_t subject) const {
    traces::Event event;
    event.kind = kind;
    event.subject = subject;
    event.time = now_;
    return event;
  }
  void region(std::vector<traces::Event>& events, traces::EventKind kind, std::uint32_t region) {
    events.push_back(of(kind, region));
  }
  void end(std::vector<traces::Event>& events, traces::EventKind kind, std::uint32_t peer,
           std::uint64_t request) {
    traces::Event event = of(kind, 0);
    event.peer = peer;
    event.request = request;
    event.bytes = 4096;
    events.push_back(event);
  }
  void begin(std::vector<traces::Event>& events, std::uint32_t name, traces::EventKind kind,
             std::uint32_t peer, std::uint64_t request) {
    region(events, traces::EventKind::kEnter, name);
    end(events, kind, peer, request);
    now_ += 20;
    region(events, traces::EventKind::kLeave, name);
  }

  std::uint32_t rank_;
  std::uint32_t ranks_;
  std::uint64_t now_ = 0;
};

void write(std::uint32_t ranks, std::uint64_t steps, const std::string& folder) {
  traces::TraceWriter writer(folder, definitions(ranks, steps * Rank::kStep));
  constexpr std::size_t kBatch = 4096;
  std::vector<traces::Event> events;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Rank line(rank, ranks);
    for (std::uint64_t step = 0; step < steps; ++step) {
      line.step(step, events);
      if (events.size() < kBatch) continue;
      writer.write(rank, events);
      events.clear();
    }
    line.finish(events);
    writer.write(rank, events);
    events.clear();
  }
  writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: exchange_trace RANKS STEPS FOLDER\n", stderr);
    return 2;
  }
  try {
    write(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)),
          std::strtoull(argv[2], nullptr, 10), argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "exchange_trace: %s\n", error.what());
    return 1;
  }
  return 0;
}
