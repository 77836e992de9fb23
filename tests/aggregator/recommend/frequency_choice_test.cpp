// Patterns at several frequencies: which is chosen, and what it takes.
#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recommend {
namespace {

// A busy core draws 1 + 8 (f / 2 GHz)^3 W; nothing else draws anything but nodes that are on.
Machine machine_with(double idle_node_w, std::vector<Hertz> settable = {{1e9}, {1.5e9}, {2e9}}) {
  Machine machine = slow_machine();
  machine.power = PowerFigures{{idle_node_w}, {0}, {0}, {0}, {9}, Origin::kGiven};
  machine.frequencies = Frequencies{
      std::move(settable), {2e9}, {{{0}, {1}, {}, {}}}, ClockDomain::kCore, Origin::kGiven};
  return machine;
}

// Four ranks, one a node, whose cycles give the frequency.
Profile run_at(double hertz, double computation_s) {
  Profile profile = run_of(4, 1, computation_s);
  for (RankRecord& record : profile.rank_records) {
    record.events = {"cycles", "task-clock"};
    record.event_totals = {hertz * computation_s, computation_s * 1e9};
  }
  return profile;
}

RecommendationOptions any_frequency(double slowdown, Objective objective = Objective::kEnergy) {
  RecommendationOptions options;
  options.computation = ComputationMethod::kSimple;  // by hand
  options.slowdown = slowdown;
  options.objective = objective;
  options.frequencies = FrequencyRange{};
  return options;
}

Recommendation recommended(const Machine& machine, const std::vector<Profile>& profiles,
                           const RecommendationOptions& options) {
  return recommend(profiles, machine, small_node(), predict::reference_on({1, 1, 1}, 4), options);
}

Hertz chosen_frequency(const Recommendation& recommendation) {
  REQUIRE(recommendation.chosen() != nullptr);
  REQUIRE(recommendation.chosen()->forecast.frequency);
  return *recommendation.chosen()->forecast.frequency;
}

TEST_CASE("frequencies that are left alone are named nowhere") {
  RecommendationOptions options = any_frequency(1);
  options.frequencies.reset();
  const Recommendation kept = recommended(machine_with(0), {run_of(4, 1)}, options);
  CHECK_FALSE(kept.reference_forecast.frequency);
  for (const Candidate& candidate : kept.candidates) CHECK_FALSE(candidate.forecast.frequency);
  CHECK(kept.choice_notes.empty());
}

TEST_CASE("a program that only computes gains nothing from a lower frequency within 5 %") {
  const Recommendation bounded = recommended(machine_with(0), {run_of(4, 1)}, any_frequency(0.05));
  CHECK(chosen_frequency(bounded) == Hertz{2e9});
  CHECK(bounded.chosen()->forecast.time.value == doctest::Approx(100));
  CHECK(bounded.chosen()->forecast.energy->value == doctest::Approx(4 * 9 * 100));
  CHECK(*bounded.reference_forecast.frequency == Hertz{2e9});
}

TEST_CASE("where the bound allows it, energy is P = a + c f^3 times a time that grows with 1/f") {
  const Recommendation slow = recommended(machine_with(0), {run_of(4, 1)}, any_frequency(1));
  CHECK(chosen_frequency(slow) == Hertz{1e9});
  CHECK(slow.chosen()->forecast.time.value == doctest::Approx(200));
  CHECK(slow.chosen()->forecast.slowdown == doctest::Approx(1));
  CHECK(slow.chosen()->forecast.energy->value == doctest::Approx(4 * 2 * 200));
}

TEST_CASE("nodes that draw much while they are on are better done soon") {
  const Recommendation soon = recommended(machine_with(100), {run_of(4, 1)}, any_frequency(1));
  CHECK(chosen_frequency(soon) == Hertz{2e9});
  CHECK(soon.chosen()->forecast.nodes == 1);
  CHECK(soon.chosen()->forecast.energy->value == doctest::Approx((100 + 4 * 9) * 100));
}

TEST_CASE("a program that waits for memory takes the lowest frequency within the bound") {
  // From 2 to 1 GHz 100 s become 104 s: 4 s of cores, 96 s of memory.
  const std::vector<Profile> samples = {run_at(2e9, 100), run_at(1e9, 104)};
  const Recommendation lowest = recommended(machine_with(100), samples, any_frequency(0.05));
  CHECK(chosen_frequency(lowest) == Hertz{1e9});
  CHECK(lowest.chosen()->forecast.time.value == doctest::Approx(104));
  CHECK(lowest.chosen()->forecast.energy->value == doctest::Approx((100 + 4 * 2) * 104));
  CHECK(lowest.reference_forecast.time.value == doctest::Approx(100));
  const Recommendation strict = recommended(machine_with(100), samples, any_frequency(0.02));
  CHECK(chosen_frequency(strict) == Hertz{1.5e9});  // 96 s + 4 s 2/1.5
  CHECK(strict.chosen()->forecast.time.value == doctest::Approx(96 + 4 / 0.75));
}

TEST_CASE("energy, energy x time and time choose different frequencies") {
  // Only cores: P/f, P/f^2 and 1/f with f/2 GHz of 1/2, 3/4 and 1: 4, 5.8, 9; 8, 7.8, 9; 2, 1.3, 1.
  const auto frequency_for = [](Objective objective) {
    return chosen_frequency(
        recommended(machine_with(0), {run_of(4, 1)}, any_frequency(1, objective)));
  };
  CHECK(frequency_for(Objective::kEnergy) == Hertz{1e9});
  CHECK(frequency_for(Objective::kEdp) == Hertz{1.5e9});
  CHECK(frequency_for(Objective::kTime) == Hertz{2e9});
}

TEST_CASE("messages take as long at a lower frequency, waiting for others grows with it") {
  Profile profile = run_of(2, 1, 90);
  add_messages(profile, 0, 1, 1, 6);  // between nodes 4 + 6/1 = 10
  Profile waiting = profile;
  for (RankRecord& record : waiting.rank_records) {
    record.run_time = {109};
    record.mpi_time = {19};  // 10 s of messages and 9 s, a tenth of the computation
  }
  RecommendationOptions options = any_frequency(2, Objective::kTime);
  options.frequencies = FrequencyRange{{1e9}, {1e9}};
  const auto sparse_time = [&](const Profile& run) {
    const Recommendation all = recommend({run}, machine_with(0), small_node(),
                                         predict::reference_on({1, 1, 1}, 2), options);
    for (const Candidate& candidate : all.candidates)
      if (candidate.forecast.pattern == "1:1:1") return candidate.forecast.time.value;
    return 0.0;
  };
  CHECK(sparse_time(profile) == doctest::Approx(180 + 10));
  CHECK(sparse_time(waiting) == doctest::Approx(180 + 10 + 18));
}

TEST_CASE("only frequencies of the range count; what none makes feasible is shown at its fastest") {
  RecommendationOptions options = any_frequency(1);
  options.frequencies = FrequencyRange{{1.2e9}, {1.6e9}};
  CHECK(chosen_frequency(recommended(machine_with(0), {run_of(4, 1)}, options)) == Hertz{1.5e9});
  options.slowdown = 0.05;
  options.frequencies = FrequencyRange{{0}, {1.6e9}};
  const Recommendation none = recommended(machine_with(0), {run_of(4, 1)}, options);
  CHECK(none.chosen() == nullptr);
  CHECK(*none.candidates.front().forecast.frequency == Hertz{1.5e9});
  CHECK(none.candidates.front().forecast.reason == "slower than the bound of 5.0 %");
}

TEST_CASE("a frequency above the nominal one makes computation faster") {
  const Machine machine = machine_with(0, {{1e9}, {2e9}, {2.5e9}});
  const Recommendation fast =
      recommended(machine, {run_of(4, 1)}, any_frequency(1, Objective::kTime));
  CHECK(chosen_frequency(fast) == Hertz{2.5e9});
  CHECK(fast.chosen()->forecast.time.value == doctest::Approx(80));
}

TEST_CASE("what is known about frequencies is used, and a note names what is missing") {
  const auto notes = [](const Profile& profile) {
    return recommended(machine_with(0), {profile}, any_frequency(1)).choice_notes;
  };
  REQUIRE(notes(run_of(4, 1)).size() == 1);
  CHECK(notes(run_of(4, 1))[0].starts_with(
      "how much of the computation waits for memory is unknown"));
  Profile counted = run_at(2e9, 100);
  for (RankRecord& record : counted.rank_records) {
    record.events.emplace_back("instructions");
    record.event_totals.push_back(0.5 * record.event_totals[0]);  // IPC 1/2: 50 s of cores
  }
  REQUIRE(notes(counted).size() == 1);
  CHECK(
      notes(counted)[0].starts_with("how much longer computation takes at a lower frequency is "
                                    "guessed from instructions per cycle"));
  const Recommendation guessed = recommended(machine_with(0), {counted}, any_frequency(1));
  CHECK(guessed.chosen()->forecast.time.value == doctest::Approx(150));
  CHECK(recommended(machine_with(0), {run_at(2e9, 100), run_at(1e9, 104)}, any_frequency(1))
            .choice_notes.empty());
}

TEST_CASE("frequencies that can't be considered are refused with what to do") {
  const auto refusal = [](const Machine& machine, const std::vector<Profile>& profiles,
                          const RecommendationOptions& options) {
    return error_of<UsageError>([&] { recommended(machine, profiles, options); });
  };
  Machine machine = machine_with(0);
  CHECK(refusal(machine, {run_at(1e9, 100)}, any_frequency(1)) ==
        "the profile of app was measured at 1 GHz, by its cycles: give a profile at the machine's "
        "nominal 2 GHz first");
  RecommendationOptions beyond = any_frequency(1);
  beyond.frequencies = FrequencyRange{{3e9}, {4e9}};
  CHECK(refusal(machine, {run_of(4, 1)}, beyond) ==
        "the machine slow has no frequency in that range: it has 1 GHz to 2 GHz");
  machine.power.reset();
  const std::string no_power =
      "frequencies are chosen for least energy, but the machine slow does not say what its cores "
      "draw at each: add \"power\", and \"power\" in \"frequencies\", to its document, or choose "
      "for least time";
  CHECK(refusal(machine, {run_of(4, 1)}, any_frequency(1)) == no_power);
  CHECK_NOTHROW(recommended(machine, {run_of(4, 1)}, any_frequency(1, Objective::kTime)));
  machine = machine_with(0);
  machine.frequencies->power.clear();
  CHECK(refusal(machine, {run_of(4, 1)}, any_frequency(1)) == no_power);
  CHECK(refusal(slow_machine(), {run_of(4, 1)}, any_frequency(1)) ==
        "the machine slow has no frequencies to choose from: add \"frequencies\" to its document");
}

TEST_CASE("a plan names the frequency that was chosen") {
  const Profile profile = run_of(4, 1);
  const Recommendation slow = recommended(machine_with(0), {profile}, any_frequency(1));
  const Plan plan = plan_of(slow, profile, small_node(), Grouping::kMapped);
  REQUIRE(plan.frequency);
  CHECK(*plan.frequency == Hertz{1e9});
  CHECK(
      plan.reason ==
      "1 of 4 nodes (1:2:2) at 1 GHz, predicted +100.0 % time (contention unknown), -56 % energy");
}

}  // namespace
}  // namespace huddle::recommend
