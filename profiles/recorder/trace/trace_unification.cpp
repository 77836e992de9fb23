#include "profiles/recorder/trace/trace_unification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "profiles/recorder/process/byte_packing.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/event.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"
#include "profiles/vocabulary/rank_set.hpp"

namespace huddle::recorder {

namespace {

constexpr std::uint32_t kNoGroup = RecordedTrace::kNoGroup;
constexpr std::uint32_t kEverybody = RecordedTrace::kEverybody;

std::string name_of_thread(std::uint32_t thread) {
  return thread == 0 ? "Master thread" : fmt::format("Thread {}", thread);
}

template <class Number>
std::uint64_t hash_of_list(const std::vector<Number>& list) {
  return hash_of({reinterpret_cast<const char*>(list.data()),  // NOLINT: its bytes
                  list.size() * sizeof(Number)});
}

}  // namespace

std::vector<std::uint32_t> known_ranks(const std::vector<std::uint32_t>& group) {
  std::vector<std::uint32_t> known(group);
  known.erase(std::remove(known.begin(), known.end(), traces::kNobody), known.end());
  return known;
}

TracePiece piece_of(const RecordedTrace& trace, const CallPathFunctions& functions) {
  TracePiece piece;
  piece.rank = trace.rank;
  piece.node = trace.node;
  piece.program = trace.program;
  piece.build_id = trace.build_id;
  piece.threads = static_cast<std::uint32_t>(std::max<std::size_t>(trace.threads.size(), 1));
  std::string operations;
  for (const std::string& name : trace.operations) operations.append(name).append("\n");
  piece.operations = hash_of(operations);
  piece.functions = functions.functions;
  std::vector<std::string> names = names_of_regions(trace.regions, trace.modules);
  for (std::size_t i = 0; i < names.size(); ++i)
    piece.regions.push_back(
        {std::move(names[i]), trace.regions[i].kind != RecordedRegion::kParallel});
  piece.teams = trace.teams;
  for (const auto& group : trace.groups) piece.groups.push_back(hash_of_list(known_ranks(group)));
  piece.communicators = trace.communicators;
  piece.windows = trace.windows;
  piece.remarks = trace.remarks;
  return piece;
}

TraceUnification::TraceUnification(const std::vector<std::string>& operations,
                                   std::uint32_t ranks) {
  RecordedTrace own;
  own.operations = operations;
  operations_ = piece_of(own, {}).operations;
  for (const std::string& name : operations)
    definitions_.regions.push_back({name, traces::TraceRegion::Kind::kMpi});
  definitions_.ranks.resize(ranks);
  first_location_.resize(ranks);
}

void TraceUnification::check(const TracePiece& piece) const {
  const auto refuse = [&](std::string_view why) {
    throw Error(fmt::format("the trace of rank {} does not fit: {}", piece.rank, why));
  };
  if (piece.rank >= definitions_.ranks.size()) refuse("there is no such rank");
  if (!definitions_.ranks[piece.rank].locations.empty()) refuse("it has been added before");
  if (piece.operations != operations_) refuse("it is of another version of the recorder");
  if (piece.threads == 0) refuse("it has no threads");
  const auto is_group = [&](std::uint32_t group) {
    return group == kEverybody || group == kNoGroup || group < piece.groups.size();
  };
  for (const RecordedCommunicator& each : piece.communicators)
    if (!is_group(each.group) || !is_group(each.remote)) refuse("a communicator without its group");
  for (const RecordedWindow& each : piece.windows)
    if (each.communicator >= piece.communicators.size()) refuse("a window without communicator");
  for (const std::vector<std::uint32_t>& team : piece.teams) {
    std::unordered_set<std::uint32_t> seen;
    for (const std::uint32_t thread : team)
      if (thread >= piece.threads || !seen.insert(thread).second) refuse("a team of other threads");
  }
}

std::vector<std::uint32_t> TraceUnification::new_groups(const TracePiece& piece) const {
  check(piece);
  std::vector<std::uint32_t> indices;
  std::unordered_set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < piece.groups.size(); ++i)
    if (!groups_.contains(piece.groups[i]) && seen.insert(piece.groups[i]).second)
      indices.push_back(i);
  return indices;
}

PieceNumbers TraceUnification::add(
    const TracePiece& piece, const std::vector<std::vector<std::uint32_t>>& ranks_of_new_groups) {
  PieceNumbers numbers;
  std::size_t next_list = 0;
  for (const std::uint64_t key : piece.groups) {
    const auto next = static_cast<std::uint32_t>(definitions_.groups.size());
    const auto [where, is_new] = groups_.emplace(key, next);
    if (is_new) definitions_.groups.push_back(ranks_of_new_groups.at(next_list++));
    numbers.groups.push_back(where->second);
  }
  for (const std::string& name : piece.functions) {
    const auto next = static_cast<std::uint32_t>(definitions_.regions.size());
    const auto [where, is_new] = functions_.emplace(name, next);
    if (is_new) definitions_.regions.push_back({name, traces::TraceRegion::Kind::kUser});
    numbers.functions.push_back(where->second);
  }
  number_regions(piece, numbers);
  std::uint32_t selves = 0;
  for (const RecordedCommunicator& each : piece.communicators)
    numbers.communicators.push_back(number_of(piece, each, numbers.groups, selves));
  for (std::size_t i = 0; i < piece.communicators.size(); ++i)
    if (piece.communicators[i].files)
      definitions_.communicators[numbers.communicators[i]].files = true;
  for (const RecordedWindow& each : piece.windows) {
    const auto next = static_cast<std::uint32_t>(definitions_.windows.size());
    const auto [where, is_new] = windows_.emplace(each.key, next);
    if (is_new) definitions_.windows.push_back({{}, numbers.communicators[each.communicator]});
    numbers.windows.push_back(where->second);
  }
  add_rank(piece);
  number_teams(piece, numbers);
  return numbers;
}

void TraceUnification::number_regions(const TracePiece& piece, PieceNumbers& numbers) {
  for (const PieceRegion& region : piece.regions) {
    const auto next = static_cast<std::uint32_t>(definitions_.regions.size());
    const auto [where, is_new] = regions_.emplace(region.name, next);
    if (is_new)
      definitions_.regions.push_back({region.name, region.is_barrier
                                                       ? traces::TraceRegion::Kind::kOpenmpBarrier
                                                       : traces::TraceRegion::Kind::kOpenmp});
    numbers.regions.push_back(where->second);
  }
}

// Each rank has teams of its own: their members are its threads.
void TraceUnification::number_teams(const TracePiece& piece, PieceNumbers& numbers) {
  for (std::vector<std::uint32_t> team : piece.teams) {
    for (std::uint32_t& thread : team) thread += first_location_[piece.rank];
    numbers.teams.push_back(static_cast<std::uint32_t>(definitions_.teams.size()));
    definitions_.teams.push_back(std::move(team));
  }
}

void TraceUnification::add_rank(const TracePiece& piece) {
  traces::TraceRank& rank = definitions_.ranks[piece.rank];
  rank.name = fmt::format("MPI Rank {}", piece.rank);
  rank.node = piece.node;
  take_program(piece);
  first_location_[piece.rank] = static_cast<std::uint32_t>(definitions_.locations.size());
  for (std::uint32_t thread = 0; thread < piece.threads; ++thread) {
    rank.locations.push_back(static_cast<std::uint32_t>(definitions_.locations.size()));
    definitions_.locations.push_back({name_of_thread(thread), piece.rank, thread, 0});
  }
  remark(piece.rank, piece.remarks);
}

// A rank of which nothing is left does not say what it ran.
void TraceUnification::take_program(const TracePiece& piece) {
  if (piece.program.empty() || programs_ == Programs::kSeveral) return;
  if (programs_ == Programs::kNone) {
    definitions_.program = piece.program;
    definitions_.build_id = piece.build_id;
    programs_ = Programs::kOne;
  } else if (definitions_.program != piece.program || definitions_.build_id != piece.build_id) {
    definitions_.program.clear();
    definitions_.build_id.clear();
    programs_ = Programs::kSeveral;
  }
}

std::vector<std::uint32_t> TraceUnification::ranks_of(
    std::uint32_t group, const std::vector<std::uint32_t>& groups) const {
  if (group == kNoGroup) return {};
  if (group != kEverybody) return definitions_.groups[groups[group]];
  std::vector<std::uint32_t> all(definitions_.ranks.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// Each rank has communicators of itself alone, and in the trace all have the same: the definitions
// don't grow with the ranks.
std::uint32_t TraceUnification::number_of(const TracePiece& piece,
                                          const RecordedCommunicator& communicator,
                                          const std::vector<std::uint32_t>& groups,
                                          std::uint32_t& selves) {
  const auto next = static_cast<std::uint32_t>(definitions_.communicators.size());
  if (communicator.self) {
    if (selves == selves_.size()) {
      definitions_.communicators.push_back({communicator.name, {}, {}});
      selves_.push_back(next);
    }
    return selves_[selves++];
  }
  const auto [where, is_new] = communicators_.emplace(communicator.key, next);
  if (!is_new) {
    std::string& name = definitions_.communicators[where->second].name;
    if (name.empty()) name = communicator.name;
    return where->second;
  }
  traces::TraceCommunicator whole{communicator.name, ranks_of(communicator.group, groups),
                                  ranks_of(communicator.remote, groups)};
  // Without ranks it would be of one's self; the other side may be of another world.
  if (whole.ranks.empty()) whole.ranks = {piece.rank};
  definitions_.communicators.push_back(std::move(whole));
  return next;
}

void TraceUnification::add_result(std::uint32_t rank, const PieceResult& result) {
  for (std::size_t thread = 0; thread < result.events.size(); ++thread)
    definitions_.locations.at(first_location_.at(rank) + thread).events = result.events[thread];
  if (result.has_events) {
    begin_ = timed_ ? std::min(begin_, result.first) : result.first;
    end_ = std::max(end_, result.last);
    timed_ = true;
  }
  clock_uncertainty_ns_ = std::max(clock_uncertainty_ns_, result.clock_uncertainty_ns);
  for (const RecordedPower& of_sensor : result.power) {
    traces::TracePower& power = power_.emplace_back();
    power.node = definitions_.ranks.at(rank).node;
    power.sensor = of_sensor.sensor;
    power.rank = rank;
    for (std::size_t i = 0; i < std::min(of_sensor.ticks.size(), of_sensor.watts.size()); ++i)
      power.samples.push_back({of_sensor.ticks[i], of_sensor.watts[i]});
  }
  remark(rank, result.remarks);
}

namespace {

// The samples that begin and end at these times, cut to them.
std::vector<traces::TracePower::Sample> between(
    const std::vector<traces::TracePower::Sample>& samples, std::uint64_t begin,
    std::uint64_t end) {
  std::vector<traces::TracePower::Sample> cut;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const std::uint64_t from = std::max(samples[i - 1].time, begin);
    const std::uint64_t to = std::min(samples[i].time, end);
    if (from >= to) continue;
    if (cut.empty()) cut.push_back({from, samples[i].watts});
    cut.push_back({to, samples[i].watts});
  }
  return cut;
}

}  // namespace

std::vector<traces::TracePower> TraceUnification::take_power() {
  for (traces::TracePower& power : power_) power.samples = between(power.samples, begin_, end_);
  std::erase_if(power_, [](const traces::TracePower& power) { return power.samples.empty(); });
  return std::move(power_);
}

void TraceUnification::remark(std::uint32_t rank, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) remarks_[sentence].push_back(rank);
}

traces::TraceDefinitions TraceUnification::take() {
  for (auto& [sentence, ranks] : remarks_) {
    const bool one = ranks.size() == 1;
    const RankSet set(std::move(ranks));
    definitions_.remarks.push_back(
        fmt::format("{} {}: {}", one ? "rank" : "ranks", set.list(), sentence));
  }
  definitions_.ticks_per_second = 1'000'000'000;
  definitions_.duration = end_ - begin_;
  if (clock_uncertainty_ns_ >= 1000)
    definitions_.remarks.push_back(
        fmt::format("times of different nodes may be off against each other by {:.1f} us",
                    static_cast<double>(clock_uncertainty_ns_) / 1000));
  return std::move(definitions_);
}

}  // namespace huddle::recorder
