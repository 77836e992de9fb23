#include "tests/profiles/formats/sample_documents.hpp"

namespace huddle {

namespace {

void add_measurements(RankRecord& record, std::uint32_t ranks) {
  const std::uint32_t next = (record.rank.value + 1) % ranks;
  record.sent_to_neighbours = {{{next}, 3, 9, {40}}};
  record.put = {{{next}, 0, 1, {0}}, {{next}, 7, 2, {200}}};
  record.fetched = {{{next}, 12, 4, {16'000}}};
  record.calls = {{"allreduce", 6, 6, {0.125}, {}}, {"isend", 8, 2, {0.0625}, Seconds{0.25}}};
  record.phases = {
      {0, 7, {0.5}, 0.0625, {0.25}, {0.75}, {0.03125}, {1.5}, 3, {1.625}, {4e9, 3e9}},
      {18446744073709551615ULL, 1, {0.375}, 0, {0.375}, {0.375}, {0}, {0}, 0, {0}, {}}};
  record.openmp_regions = {{0, 5, 3, {0.5}, 0.0625, {0.25}, {0.75}, {0.125}, 2, 4},
                           {18446744073709551615ULL, 5, 1, {0.5}, 0, {0.5}, {0.5}, {0}, 1, 1}};
  record.openmp_regions[0].untimed_passes = 2;
  record.openmp_regions[0].observed_passes = 1;
  record.openmp_regions[0].busy.value = 0.375;
  record.openmp_regions[0].busiest.value = 0.5;
  record.openmp_regions[0].counted_passes = 1;
  record.openmp_regions[0].counted_for = 3;
  record.openmp_regions[0].counted_time.value = 1.5;
  record.openmp_regions[0].counts = {6e9, 0};
  record.region_periods = {{7, 9, {5, 5, 5}}, {21, 2, {5, 5}}};
  record.packed_regions = {
      {5, 4, 1, 1, 6, {1.5}, 0.0625, {1.25}, {1.75}, 0, {0}, 0, {0}, 0},
      {5, 4, 2, 2, 5, {0.75}, 0.125, {0.5}, {1}, 2, {0.875}, 70, {0.5}, 0.03125, 40, {0.625}}};
  record.smaller_teams = {
      {5, 4, 2, 1, 3, {0.25}, 0.0625, {0.125}, {0.5}, 1, {0.375}, 70, {0.5}, 0.03125}};
  record.region_positions = {
      7,
      14,
      {{5, 0, 0, 0, 4, 3, {0.5}, 0.25},
       {5, 18446744073709551615ULL, 3, 18446744073709551615ULL, 4, 9, {0.75}, 0.125}},
      {{5, 18446744073709551615ULL, 1, 1, 2, {1.5}, 0.0625, 1, {1.75}},
       {5, 18446744073709551615ULL, 2, 2, 2, {0.875}, 0.5, 0, {0}}}};
  record.periods = {{12, 30, {0, 18446744073709551615ULL, 0}}, {42, 2, {0, 0}}};
  record.balancing = RankBalancing{"following", 1.75, true, 12,    1,       {0.03125},
                                   {24.5},      125,  7,    {2e9}, {1.2e9}, {1.625e9}};
  if (record.rank.value % 2 == 1)
    record.balancing =
        RankBalancing{"measuring", {}, false, 0, 0, {}, {}, 0, 0, {2e9}, {2e9}, {2e9}};
  record.events = {"instructions", "cpu_core/cycles"};
  record.event_totals = {123456789012.0, 98765432109.5};
  if (record.rank.value % 2 == 0)
    record.node_energy = {{"package-0", {512.5}}, {"dram", {64}, EnergyOrigin::kAttributed}};
}

SharedTables sample_tables(std::uint32_t ranks) {
  SharedTables shared;
  shared.communicators = {{77, RankSet({0}), {}},
                          {1ULL << 63U, RankSet({0}), RankSet({ranks - 1})}};
  shared.phase_groups = {{0, "init", "allreduce at solve+0x2f4a < main+0x1b02"},
                         {18446744073709551615ULL, "waitall at halo+0x11", "finalize"}};
  shared.modules = {{"solve", "/usr/bin/solve", "0a1b", 4194304}};
  shared.openmp_regions = {{5, "region at solve+0x12a0"}, {6, "regions at other places"}};
  shared.absent_events = {{"cache-misses", "not supported", ranks}, {"llc", "EACCES", 1}};
  return shared;
}

WaitSummary sample_waits(std::uint32_t ranks) {
  WaitSummary waits{"trace", {12.5}, {12.53125}, {}, {{"late_sender", {}}, {"wait_at_nxn", {}}}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    waits.ranks.push_back({{12.25 + rank}, {7.5}, {rank * 0.5}});
    waits.patterns[0].waited.push_back({rank * 0.25});
    waits.patterns[1].waited.push_back({0.0625});
  }
  return waits;
}

}  // namespace

Profile sample_profile(std::uint32_t ranks) {
  Profile profile;
  profile.label = "halo";
  profile.user = "ann";
  profile.ranks = ranks;
  profile.executable = "/opt/halo";
  profile.build_id = "deadbeef";
  profile.arguments = {"-n", "100"};
  profile.scales_weakly = true;
  profile.problem_size = 65536.5;
  profile.mpi_library = "Open MPI v4.1.4";
  profile.slurm_job_id = 4711;
  profile.slurm_step_id = 3;
  profile.started_at = "2024-05-06T07:08:09Z";
  profile.counters_absent_reason = "perf_event_paranoid is 4";
  profile.notes = {"No energy meter on node1.", "Times of rank 1 are estimates."};
  profile.wait_states = sample_waits(ranks);
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
    record.collectives = {{"allreduce", "world", ranks, 4, 6, {48}, {0.125}},
                          {"barrier", "derived", 1, 0, 2, {0}, {0.25}, 77, Seconds{0.0625}}};
    add_measurements(record, ranks);
    profile.rank_records.push_back(record);
  }
  profile.shared = sample_tables(ranks);
  return profile;
}

Plan sample_plan() {
  Plan plan;
  plan.label = "halo";
  plan.user = "ann";
  plan.ranks = 3;
  plan.reference = {"1:1:1", 1, 3, {10}, {8}, {2}, 0.0, {}, true, ""};
  plan.chosen = {"1:1:2", 2, 2, {9.5}, {8}, {1.5}, -0.05, Joules{1200}, true, ""};
  plan.chosen.frequency = plan.frequency = Hertz{1.8e9};
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
  machine.messages = {
      {Distance::kDie, 1, {{{8}, {2e-7}, Origin::kMeasured}, {{1024}, {5e-7}, Origin::kGiven}}},
      {Distance::kNetwork, 2, {{{0}, {2e-6}, Origin::kMeasured}}}};
  machine.collectives = {{"allreduce", "2:2:2", 16, {{{8}, {1e-5}, Origin::kMeasured}}},
                         {"allreduce",
                          "10:1:1",
                          20,
                          {{{8}, {3e-5}, Origin::kAssumed}, {{64}, {4e-5}, Origin::kAssumed}}}};
  machine.memory_streams = {{Distance::kDie, 2, {1.5e10}, Origin::kMeasured},
                            {Distance::kNode, 8, {4e10}, Origin::kGiven}};
  machine.power = PowerFigures{{100}, {2.5}, {30}, {8}, {5}, Origin::kGiven, "the data sheet"};
  machine.frequencies = Frequencies{{{1.2e9}, {2.4e9}},
                                    {2.4e9},
                                    {{{0}, {1}, {}, {}}, {{1.2e9}, {2}, Watts{20}, Watts{6}}},
                                    ClockDomain::kPackage,
                                    Origin::kGiven,
                                    "a wattmeter"};
  machine.power_states =
      CorePowerStates{{{"2400 MHz", 20, 8, 0, 0, 2.4e9}, {"asleep", 12.5, 6.25, 1e-5, 0.05, 0}},
                      Origin::kMeasured,
                      "a meter"};
  return machine;
}

std::string text_of(const Profile& profile, Encoding encoding) {
  std::string text = encode_profile_head(profile, encoding);
  for (std::size_t i = 0; i < profile.rank_records.size(); ++i) {
    if (i > 0) text += rank_record_separator(encoding);
    text += encode_rank_record(profile.rank_records[i], encoding);
  }
  return text.append(encode_profile_tail(profile.shared, encoding));
}

}  // namespace huddle
