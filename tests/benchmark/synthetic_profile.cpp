#include "tests/benchmark/synthetic_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kRanksPerNode = 128;
constexpr std::uint64_t kSteps = 1000;
const std::array<const char*, 3> kEvents = {"instructions", "cycles", "cache-misses"};

// A face of a block is large, an edge is small, a corner is a number.
std::uint64_t bytes_at(int distance) {
  return distance == 1 ? 65536 : distance == 2 ? 1024 : 8;
}

std::uint32_t largest_divisor(std::uint32_t number, double at_most) {
  auto divisor = std::max(1U, static_cast<std::uint32_t>(at_most + 0.5));
  while (number % divisor != 0) --divisor;
  return divisor;
}

// No two ranks take quite as long: a number from 0 to 1 that looks random.
double jitter(std::uint64_t seed) {
  seed = (seed + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>(seed >> 11U) * 0x1p-53;
}

std::uint64_t communicator_of(std::uint32_t rank) {
  return 1 + rank / kRanksPerNode;
}

}  // namespace

SyntheticProfile::SyntheticProfile(std::uint32_t ranks, std::uint32_t neighbours,
                                   std::uint32_t phases)
    : ranks_(ranks), phases_(phases) {
  sides_[0] = largest_divisor(ranks, std::cbrt(ranks));
  sides_[1] = largest_divisor(ranks / sides_[0], std::sqrt(ranks / sides_[0]));
  sides_[2] = ranks / sides_[0] / sides_[1];
  int reach = 1;
  while (std::pow(2 * reach + 1, 3) - 1 < neighbours) ++reach;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        if (x != 0 || y != 0 || z != 0) offsets_.push_back({{x, y, z}, x * x + y * y + z * z});
  std::stable_sort(offsets_.begin(), offsets_.end(),
                   [](const Offset& a, const Offset& b) { return a.distance < b.distance; });
  offsets_.resize(std::min<std::size_t>(offsets_.size(), neighbours));
}

Profile SyntheticProfile::head() const {
  Profile profile;
  profile.label = "torus";
  profile.user = "ann";
  profile.ranks = ranks_;
  profile.executable = "/opt/torus";
  profile.build_id = "5f3c0a1b";
  profile.mpi_library = "none: made up";
  profile.started_at = "2024-05-06T07:08:09Z";
  profile.notes = {"No program ran: this profile was made up to be large."};
  return profile;
}

std::uint32_t SyntheticProfile::neighbour(std::uint32_t rank, const Offset& offset) const {
  const std::array<std::uint32_t, 3> at = {rank / (sides_[1] * sides_[2]),
                                           rank / sides_[2] % sides_[1], rank % sides_[2]};
  std::array<std::uint32_t, 3> to{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto side = static_cast<std::int64_t>(sides_[axis]);
    const std::int64_t moved = (std::int64_t{at[axis]} + offset.steps[axis]) % side;
    to[axis] = static_cast<std::uint32_t>(moved < 0 ? moved + side : moved);
  }
  return (to[0] * sides_[1] + to[1]) * sides_[2] + to[2];
}

std::vector<SentMessages> SyntheticProfile::sent(std::uint32_t rank) const {
  std::vector<SentMessages> cells;
  for (const Offset& offset : offsets_) {
    const std::uint64_t bytes = bytes_at(offset.distance);
    cells.push_back({{neighbour(rank, offset)}, size_class_of(bytes), kSteps, {kSteps * bytes}});
  }
  const auto key = [](const SentMessages& cell) {
    return std::tuple(cell.receiver, cell.size_class);
  };
  std::sort(cells.begin(), cells.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  // On a narrow torus two ways lead to one rank.
  cells.erase(std::unique(cells.begin(), cells.end(),
                          [&](const auto& a, const auto& b) { return key(a) == key(b); }),
              cells.end());
  return cells;
}

std::vector<PhaseRecord> SyntheticProfile::phases(std::uint32_t rank) const {
  std::vector<PhaseRecord> phases;
  for (std::uint32_t group = 0; group < phases_; ++group) {
    const double mean = 0.001 * (1 + group + jitter(rank * std::uint64_t{97} + group));
    PhaseRecord phase;
    phase.group = group + 1;
    phase.count = kSteps;
    phase.mean = {mean};
    phase.variance_s2 = 0.01 * mean * mean;
    phase.shortest = {0.8 * mean};
    phase.longest = {1.5 * mean};
    phase.mpi_time = {0.1 * mean * kSteps};
    phase.delimiter_time = {0.2 * mean * kSteps};
    phase.counted = kSteps / 10;
    phase.counted_time = {mean * static_cast<double>(phase.counted)};
    for (std::size_t event = 0; event < kEvents.size(); ++event)
      phase.counts.push_back(
          std::floor(phase.counted_time.value * 1e9 / static_cast<double>(event + 1)));
    phases.push_back(std::move(phase));
  }
  return phases;
}

RankRecord SyntheticProfile::record(std::uint32_t rank) const {
  RankRecord record;
  record.rank = {rank};
  record.node = fmt::format("node{:05}", rank / kRanksPerNode);
  record.pus.add(rank % kRanksPerNode);
  record.run_time = {100 + jitter(rank)};
  record.mpi_time = {20 + 10 * jitter(rank)};
  record.cpu_time = record.run_time;
  record.peak_resident = {(std::uint64_t{1} << 30U) + rank};
  record.sent = sent(rank);
  record.collectives = {
      {"allreduce", "world", ranks_, 4, kSteps, {8 * kSteps}, {0.5 + jitter(rank)}},
      {"bcast",
       "derived",
       std::min(kRanksPerNode, ranks_),
       11,
       10,
       {10240},
       {0.01 * jitter(rank)},
       communicator_of(rank)}};
  const std::uint64_t requests = kSteps * record.sent.size();
  record.calls = {{"allreduce", kSteps, kSteps, {0.5 + jitter(rank)}},
                  {"bcast", 10, 10, {0.01 * jitter(rank)}},
                  {"irecv", requests, requests / 8, {1e-7 * static_cast<double>(requests)}},
                  {"isend", requests, requests / 8, {3e-7 * static_cast<double>(requests)}},
                  {"waitall", kSteps, kSteps, {10 * jitter(rank)}}};
  if (phases_ == 0) return record;
  record.events.assign(kEvents.begin(), kEvents.end());
  record.event_totals = {3e11, 2e11, 1e8};
  record.phases = phases(rank);
  return record;
}

SharedTables SyntheticProfile::shared() const {
  SharedTables shared;
  for (std::uint32_t first = 0; first < ranks_; first += kRanksPerNode) {
    const std::uint32_t last = std::min(first + kRanksPerNode, ranks_) - 1;
    shared.communicators.push_back(
        {communicator_of(first), RankSet::parse(fmt::format("{}-{}", first, last), ranks_), {}});
  }
  for (std::uint32_t group = 0; group < phases_; ++group)
    shared.phase_groups.push_back({group + 1, fmt::format("waitall at step+0x{:x}", 16 * group),
                                   fmt::format("waitall at step+0x{:x}", 16 * (group + 1))});
  return shared;
}

}  // namespace huddle
