#include "aggregator/forecast/sizes/predicted_profile.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kRanks = 4;
constexpr std::uint64_t kGroup = 7;

// A stencil on a plane with `size` cells along each side of a rank's square: rank 1 has half as
// much more to do than the others.
Profile stencil(double size, std::uint32_t ranks_per_node = 2) {
  Profile profile = run_of(kRanks, ranks_per_node, 0);
  profile.executable = "/opt/stencil";
  profile.build_id = "abc";
  profile.shared.phase_groups = {{kGroup, "waitall at a", "waitall at a"}};
  for (RankRecord& record : profile.rank_records) {
    const double busy = record.rank.value == 1 ? 1.5 : 1;
    const auto side = static_cast<std::uint64_t>(size);
    const Rank next{(record.rank.value + 1) % kRanks};
    record.sent = {{next, 4, 50, {400}},
                   {next, size_class_of(8 * (side + 2)), 1000, {1000 * 8 * (side + 2)}}};
    record.collectives = {{"allreduce", "world", kRanks, 4, 100, {800}, {1e-3}}};
    record.calls = {{"isend", 1050, 525, {0.01}}};
    PhaseRecord phase;
    phase.group = kGroup;
    phase.count = 1000;
    phase.mean = {busy * 1e-8 * size * size};
    phase.shortest = phase.mean * 0.9;
    phase.longest = phase.mean * 1.2;
    phase.counted = 10;
    phase.counted_time = phase.mean * 10.0;
    phase.counts = {10 * busy * 30 * size * size};
    record.phases = {phase};
    record.events = {"instructions"};
    record.event_totals = {1000 * busy * 30 * size * size};
    record.mpi_time = {1e-5 * size * 1000 / busy};
    record.run_time = record.mpi_time + phase.mean * 1000.0 + Seconds{0.1};
    record.cpu_time = record.run_time;
    record.peak_resident = {1'000'000 + 16 * side * side};
    record.node_energy = {{"node", {100}}};
  }
  return profile;
}

std::vector<SizedRun> runs_of(const std::vector<double>& sizes) {
  std::vector<SizedRun> runs;
  for (const double size : sizes) runs.push_back({stencil(size), size, std::to_string(size)});
  return runs;
}

TEST_CASE("messages of a size that was not run are predicted exactly, in their size class") {
  const PredictedProfiles predicted = predict_profiles(runs_of({64, 128, 512}), 300);
  REQUIRE(predicted.profiles.size() == 1);
  const Profile truth = stencil(300);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const RankRecord& record = predicted.profiles[0].rank_records[rank];
    CHECK(record.sent == truth.rank_records[rank].sent);
    REQUIRE(record.collectives.size() == 1);
    CHECK(record.collectives[0].calls == 100);
    CHECK(record.collectives[0].bytes == Bytes{800});
    CHECK(record.collectives[0].time.value == doctest::Approx(1e-3));
    REQUIRE(record.calls.size() == 1);
    CHECK(record.calls[0].calls == 1050);
    CHECK(record.calls[0].timed == 525);
  }
}

TEST_CASE("times, counters and memory of each rank follow the size") {
  const PredictedProfiles predicted = predict_profiles(runs_of({64, 128, 256, 512}), 384);
  const Profile truth = stencil(384);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    CAPTURE(rank);
    const RankRecord& record = predicted.profiles[0].rank_records[rank];
    const RankRecord& measured = truth.rank_records[rank];
    CHECK(record.computation_time().value ==
          doctest::Approx(measured.computation_time().value).epsilon(0.03));
    CHECK(record.run_time.value == doctest::Approx(measured.run_time.value).epsilon(0.05));
    REQUIRE(record.phases.size() == 1);
    CHECK(record.phases[0].count == 1000);
    CHECK(record.phases[0].mean.value ==
          doctest::Approx(measured.phases[0].mean.value).epsilon(0.02));
    CHECK(record.phases[0].shortest <= record.phases[0].mean);
    CHECK(record.phases[0].longest >= record.phases[0].mean);
    CHECK(record.phases[0].counts[0] ==
          doctest::Approx(measured.phases[0].counts[0]).epsilon(0.02));
    CHECK(record.event_totals[0] == doctest::Approx(measured.event_totals[0]).epsilon(0.02));
    CHECK(static_cast<double>(record.peak_resident.value) ==
          doctest::Approx(static_cast<double>(measured.peak_resident.value)).epsilon(0.01));
  }
}

TEST_CASE("a predicted profile does not pass for a measured one") {
  const PredictedProfiles predicted = predict_profiles(runs_of({64, 128, 256}), 100);
  const Profile& profile = predicted.profiles[0];
  CHECK(profile.problem_size == 100);
  CHECK(profile.notes ==
        std::vector<std::string>{
            "Predicted for size 100 from runs of sizes 64, 128, 256: not measured."});
  CHECK(profile.arguments.empty());
  CHECK(profile.started_at == "");
  for (const RankRecord& record : profile.rank_records) CHECK(record.node_energy.empty());
}

TEST_CASE("the interval is known from three sizes on and holds the truth of a clean law") {
  const PredictedProfiles two = predict_profiles(runs_of({64, 256}), 128);
  CHECK_FALSE(two.run_time_low.has_value());
  CHECK(two.notes.at(0).starts_with("how far off it may be is unknown"));
  const PredictedProfiles four = predict_profiles(runs_of({64, 128, 256, 512}), 384);
  REQUIRE(four.run_time_low.has_value());
  REQUIRE(four.run_time_high.has_value());
  const Seconds truth = stencil(384).run_time();
  CHECK(*four.run_time_low <= truth);
  CHECK(*four.run_time_high >= truth);
  CHECK(*four.run_time_low <= four.run_time);
  CHECK(*four.run_time_high >= four.run_time);
  CHECK(four.notes.empty());
}

TEST_CASE("beyond the measured sizes a note says how far") {
  const PredictedProfiles predicted = predict_profiles(runs_of({64, 128, 256}), 1024);
  CHECK(predicted.beyond == doctest::Approx(4));
  REQUIRE(predicted.notes.size() == 1);
  CHECK(predicted.notes[0].starts_with("size 1024 is 4 times the largest that was run: caches"));
  CHECK(predicted.profiles[0].rank_records[0].sent[1].bytes == Bytes{1000 * 8 * 1026});
  const PredictedProfiles below = predict_profiles(runs_of({64, 128, 256}), 48);
  CHECK(below.notes.at(0) ==
        "size 48 is 0.75 times the smallest that was run: it is not between sizes that were run");
}

TEST_CASE("each layout that was run with two sizes is predicted, the first run's first") {
  std::vector<SizedRun> runs = runs_of({64, 128, 256});
  for (const double size : {64.0, 256.0}) runs.push_back({stencil(size, 1), size, "wide"});
  runs.push_back({stencil(64, 4), 64, "dense"});
  const PredictedProfiles predicted = predict_profiles(runs, 100);
  REQUIRE(predicted.profiles.size() == 2);
  CHECK(predicted.profiles[0].nodes().size() == 2);
  CHECK(predicted.profiles[1].nodes().size() == 4);
  CHECK(predicted.notes ==
        std::vector<std::string>{"1 layout of ranks is not used: it was run with one size only"});
}

TEST_CASE("messages that fall together in one class at some sizes are not lost") {
  std::vector<SizedRun> runs = runs_of({64, 128, 256});
  // At size 64 both kinds are of one class.
  for (RankRecord& record : runs[0].profile.rank_records)
    record.sent = {{record.sent[0].receiver, 10, 1050, {1050 * 520}}};
  const PredictedProfiles predicted = predict_profiles(runs, 200);
  const std::vector<SentMessages>& sent = predicted.profiles[0].rank_records[0].sent;
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].messages + sent[1].messages == 1050);
}

TEST_CASE(
    "a phase that one size lacks still counts, and one that only one size has is the rest's") {
  std::vector<SizedRun> runs = runs_of({64, 128, 256});
  PhaseRecord extra = runs[2].profile.rank_records[0].phases[0];
  extra.group = 9;
  runs[2].profile.rank_records[0].phases.push_back(extra);
  runs[2].profile.rank_records[0].run_time += extra.mean * 1000.0;
  runs[0].profile.rank_records[2].phases.clear();
  const PredictedProfiles predicted = predict_profiles(runs, 200);
  CHECK(predicted.profiles[0].rank_records[0].phases.size() == 1);
  CHECK(predicted.profiles[0].rank_records[2].phases.size() == 1);
}

TEST_CASE("runs that do not belong together are refused, and the file is named") {
  const auto refusal = [](std::vector<SizedRun> runs) {
    return error_of<Error>([&] { predict_profiles(runs, 100); });
  };
  std::vector<SizedRun> runs = runs_of({64, 128});
  runs[1].profile = run_of(8, 2);
  runs[1].file = "other.json";
  CHECK(refusal(runs).starts_with("other.json is of 8 ranks and 64.000000 of 4: "));
  runs[1].profile = stencil(128);
  runs[1].profile.build_id = "def";
  CHECK(refusal(runs).starts_with("other.json is of another program ("));
  runs[1].profile = stencil(128);
  runs[1].profile.complete = false;
  CHECK(refusal(runs).starts_with("other.json was cut short"));
  CHECK(refusal(runs_of({64, 64})).starts_with("2 profiles say nothing about size 100: "));
  CHECK(refusal({}) == "a forecast needs at least one profile");
}

}  // namespace
}  // namespace huddle
