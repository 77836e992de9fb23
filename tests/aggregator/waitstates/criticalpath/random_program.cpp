#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

#include <algorithm>
#include <numeric>

namespace huddle::waitstates {

RandomProgram::RandomProgram(std::uint32_t ranks, unsigned operations, unsigned seed)
    : ranks_(ranks), state_(seed * 2654435761U + 1), calls_(ranks) {
  for (unsigned i = 0; i < operations; ++i) add_operation();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) trailing_.push_back(random(50));
}

// SplitMix64.
std::uint64_t RandomProgram::random(std::uint64_t most) {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return (z ^ (z >> 31U)) % (most + 1);
}

std::uint64_t RandomProgram::add_call(std::uint32_t rank) {
  static const char* const kPhases[] = {"main", "main/solve", "main/solve/inner", "main/output"};
  calls_[rank].push_back({random(9) == 0 ? 0 : random(100), random(5), kPhases[random(3)]});
  return calls_[rank].size() - 1;
}

void RandomProgram::add_operation() {
  std::vector<std::uint32_t> ranks(ranks_);
  std::iota(ranks.begin(), ranks.end(), 0U);
  for (std::size_t i = ranks.size(); i-- > 1;) std::swap(ranks[i], ranks[random(i)]);
  Operation operation{static_cast<Kind>(random(6)), {}};
  const bool message = operation.kind <= Kind::kExchange;
  ranks.resize(message ? 2 : 2 + random(ranks_ - 2));
  const bool nonblocking = operation.kind == Kind::kBarrier && random(2) == 0;
  for (const std::uint32_t rank : ranks) {
    const std::uint64_t begun_by = add_call(rank);
    operation.parts.push_back({rank, begun_by, nonblocking ? add_call(rank) : begun_by});
  }
  operations_.push_back(std::move(operation));
}

// When what a part of an operation waits for has begun.
std::uint64_t RandomProgram::wait_of(const Operation& operation, std::size_t part,
                                     const Times& times) const {
  const auto begin = [&](std::size_t of) {
    return times.enters[operation.parts[of].rank][operation.parts[of].begun_by];
  };
  std::uint64_t latest = 0;
  switch (operation.kind) {
    case Kind::kMessage:
      return part == 1 ? begin(0) : 0;
    case Kind::kRendezvous:
    case Kind::kExchange:
      return begin(1 - part);
    case Kind::kRoot:
      return part == 0 ? 0 : begin(0);
    case Kind::kToRoot:
      if (part != 0) return 0;
      [[fallthrough]];
    case Kind::kBarrier:
      for (std::size_t i = 0; i < operation.parts.size(); ++i) latest = std::max(latest, begin(i));
      return latest;
    case Kind::kScan:
      for (std::size_t i = 0; i < part; ++i) latest = std::max(latest, begin(i));
      return latest;
  }
  return 0;
}

// Operations are in an order in which they can happen one after the other.
RandomProgram::Times RandomProgram::live(const Computation& computation) const {
  Times times{std::vector<std::vector<std::uint64_t>>(ranks_),
              std::vector<std::vector<std::uint64_t>>(ranks_), std::vector<std::uint64_t>(ranks_)};
  std::vector<std::uint64_t>& now = times.ends;
  const auto enter = [&](std::uint32_t rank, std::uint64_t call) {
    now[rank] += computation(rank, call, calls_[rank][call].before);
    times.enters[rank].push_back(now[rank]);
  };
  const auto leave = [&](std::uint32_t rank, std::uint64_t call, std::uint64_t wait) {
    now[rank] = std::max(now[rank], wait) + calls_[rank][call].transfer;
    times.leaves[rank].push_back(now[rank]);
  };
  for (const Operation& operation : operations_) {
    for (const Operation::Part& part : operation.parts) {
      enter(part.rank, part.begun_by);
      if (part.call == part.begun_by) continue;
      leave(part.rank, part.begun_by, 0);
      enter(part.rank, part.call);
    }
    for (std::size_t i = 0; i < operation.parts.size(); ++i)
      leave(operation.parts[i].rank, operation.parts[i].call, wait_of(operation, i, times));
  }
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    now[rank] += computation(rank, calls_[rank].size(), trailing_[rank]);
  return times;
}

std::uint64_t RandomProgram::run_time(const Computation& computation) const {
  const Times times = live(computation);
  return *std::max_element(times.ends.begin(), times.ends.end());
}

RandomProgram RandomProgram::on_ideal_network() const {
  RandomProgram ideal = *this;
  for (std::vector<Call>& of_rank : ideal.calls_)
    for (Call& call : of_rank) call.transfer = 0;
  return ideal;
}

std::uint64_t RandomProgram::run_time() const {
  return run_time([](std::uint32_t, std::uint64_t, std::uint64_t ticks) { return ticks; });
}

void RandomProgram::report(const Operation& operation, LogBuilder& builder) const {
  const auto& parts = operation.parts;
  switch (operation.kind) {
    case Kind::kExchange:
      builder.message(parts[1].rank, parts[1].call, parts[0].rank, parts[0].call);
      builder.message(parts[0].rank, parts[0].call, parts[1].rank, parts[1].call);
      return;
    case Kind::kRendezvous:
      builder.rendezvous(parts[0].rank, parts[0].call, parts[1].rank, parts[1].call);
      [[fallthrough]];
    case Kind::kMessage:
      builder.message(parts[0].rank, parts[0].call, parts[1].rank, parts[1].call);
      return;
    default:
      break;
  }
  std::vector<LogBuilder::Member> members;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    DependencyKind kind = DependencyKind::kCollectiveAll;
    if (operation.kind == Kind::kScan) kind = DependencyKind::kCollectiveScan;
    if (operation.kind == Kind::kRoot)
      kind = i == 0 ? DependencyKind::kCollectivePart : DependencyKind::kCollectiveRoot;
    if (operation.kind == Kind::kToRoot)
      kind = i == 0 ? DependencyKind::kCollectiveRest : DependencyKind::kCollectivePart;
    members.push_back({parts[i].rank, parts[i].call, parts[i].begun_by, kind});
  }
  builder.collective(members);
}

ActivityLog RandomProgram::log(std::size_t in_memory) const {
  LogBuilder builder(ranks_, in_memory);
  const Times times = live([](std::uint32_t, std::uint64_t, std::uint64_t ticks) { return ticks; });
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    for (std::size_t call = 0; call < calls_[rank].size(); ++call)
      builder.call(rank, times.enters[rank][call], times.leaves[rank][call],
                   calls_[rank][call].phase);
    builder.span(rank, 0, times.ends[rank]);
  }
  for (const Operation& operation : operations_) report(operation, builder);
  return builder.build();
}

}  // namespace huddle::waitstates
