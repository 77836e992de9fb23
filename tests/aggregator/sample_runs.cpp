#include "tests/aggregator/sample_runs.hpp"

#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

constexpr const char* kTopology = "package:2 die:2 core:2 pu:1";

}  // namespace

commgraph::NodeTopology small_node() {
  return commgraph::load_topology(kTopology);
}

Machine slow_machine() {
  Machine machine;
  machine.name = "slow";
  machine.topology = kTopology;
  machine.links = {{{{1}, {10}, Origin::kGiven},
                    {{2}, {5}, Origin::kGiven},
                    {{3}, {2}, Origin::kGiven},
                    {{4}, {1}, Origin::kGiven}}};
  return machine;
}

Profile run_of(std::uint32_t ranks, std::uint32_t ranks_per_node, double computation_s) {
  Profile profile;
  profile.label = "app";
  profile.user = "ann";
  profile.ranks = ranks;
  profile.executable = "/opt/app";
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    RankRecord record;
    record.rank = {rank};
    record.node = "n" + std::to_string(rank / ranks_per_node);
    record.pus.add(rank % ranks_per_node);
    record.run_time = {computation_s};
    profile.rank_records.push_back(record);
  }
  return profile;
}

void add_messages(Profile& profile, std::uint32_t sender, std::uint32_t receiver,
                  std::uint64_t messages, std::uint64_t bytes) {
  profile.rank_records[sender].sent.push_back(
      {{receiver}, size_class_of(bytes / messages), messages, {bytes}});
}

}  // namespace huddle
