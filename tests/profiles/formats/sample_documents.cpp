#include "tests/profiles/formats/sample_documents.hpp"

namespace huddle {

Profile sample_profile(std::uint32_t ranks) {
  Profile profile;
  profile.label = "halo";
  profile.user = "ann";
  profile.ranks = ranks;
  profile.executable = "/opt/halo";
  profile.build_id = "deadbeef";
  profile.arguments = {"-n", "100"};
  profile.mpi_library = "Open MPI v4.1.4";
  profile.slurm_job_id = 4711;
  profile.slurm_step_id = 3;
  profile.started_at = "2024-05-06T07:08:09Z";
  profile.counters_absent_reason = "perf_event_paranoid is 4";
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    RankRecord record;
    record.rank = {rank};
    record.node = "node" + std::to_string(rank / 2);
    record.pus.add(rank % 2);
    record.run_time = {10.0 + rank};
    record.mpi_time = {2.5};
    record.cpu_time = Seconds{7.25};
    record.peak_resident = {1'000'000ULL + rank};
    record.sent = {{{(rank + 1) % ranks}, 0, 3, {0}}, {{(rank + 1) % ranks}, 11, 5, {6000}}};
    record.collectives = {{"allreduce", "world", ranks, 4, 6, {48}, {0.125}}};
    profile.rank_records.push_back(record);
  }
  return profile;
}

Plan sample_plan() {
  Plan plan;
  plan.label = "halo";
  plan.user = "ann";
  plan.ranks = 3;
  plan.reference = {"1:1:1", 1, 3, {10}, {8}, {2}, 0.0, {}, true, ""};
  plan.chosen = {"1:1:2", 2, 2, {9.5}, {8}, {1.5}, -0.05, Joules{1200}, true, ""};
  plan.runners_up = {{"2:1:1", 2, 2, {20}, {8}, {12}, 1.0, {}, false, "slower"}};
  plan.placement = {{{0}, PuSet::parse("0")}, {{1}, PuSet::parse("0-1")}, {{0}, PuSet::parse("2")}};
  plan.node_pus = 4;
  plan.between_nodes = {12'000};
  plan.reason = "2 of 3 nodes";
  plan.made_from = {"/s/profile-1.json"};
  return plan;
}

Machine sample_machine() {
  Machine machine;
  machine.name = "test nodes";
  machine.topology = "package:2 die:2 core:2 pu:1";
  machine.node_memory = {8'589'934'592};
  machine.nodes = 2;
  machine.links[3] = {{1e-6}, {1e10}, Origin::kMeasured};
  return machine;
}

std::string text_of(const Profile& profile, Encoding encoding) {
  std::string text = encode_profile_head(profile, encoding);
  for (std::size_t i = 0; i < profile.rank_records.size(); ++i) {
    if (i > 0) text += rank_record_separator(encoding);
    text += encode_rank_record(profile.rank_records[i], encoding);
  }
  return text.append(encode_profile_tail(encoding));
}

}  // namespace huddle
