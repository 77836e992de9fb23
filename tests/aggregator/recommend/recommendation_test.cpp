#include "aggregator/recommend/recommendation.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recommend {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;

// Recommends by the simple model, whose figures can be told by hand, unless `options` has a model.
Recommendation recommend_on(const Machine& machine, const std::vector<Profile>& profiles,
                            RecommendationOptions options = {}) {
  const predict::Reference reference = predict::reference_on({1, 1, 1}, profiles.front().ranks);
  if (options.model == nullptr) options.computation = ComputationMethod::kSimple;
  return recommend(profiles, machine, small_node(), reference, options);
}

Recommendation recommended(const std::vector<Profile>& profiles,
                           const RecommendationOptions& options = {}) {
  return recommend_on(slow_machine(), profiles, options);
}

std::vector<std::string> order_of(const Recommendation& recommendation) {
  std::vector<std::string> names;
  for (const Candidate& candidate : recommendation.candidates)
    names.push_back(candidate.forecast.pattern);
  return names;
}

const PatternForecast& forecast_of(const Recommendation& recommendation, const std::string& name) {
  const auto found =
      std::find_if(recommendation.candidates.begin(), recommendation.candidates.end(),
                   [&](const Candidate& candidate) { return candidate.forecast.pattern == name; });
  REQUIRE(found != recommendation.candidates.end());
  return found->forecast;
}

std::string chosen_by(const Recommendation& recommendation) {
  return recommendation.chosen() == nullptr ? "none" : recommendation.chosen()->pattern.name();
}

using Names = std::vector<std::string>;

TEST_CASE("fewest nodes come first, then packages, then dies") {
  CHECK(order_of(recommended({run_of(4, 1)})) ==
        Names{"1:2:2", "2:1:2", "2:2:1", "2:2:2", "1:1:2", "1:2:1", "2:1:1", "1:1:1"});
}

TEST_CASE("among patterns of one energy rank the faster one comes first") {
  Profile profile = run_of(4, 1);
  add_messages(profile, 0, 1, 1, 10);  // 2:2:2 puts both on a die, 2:2:1 can't
  const Names order = order_of(recommended({profile}, {{.slowdown = 1}}));
  const auto place = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  CHECK(place("2:2:2") < place("2:2:1"));
}

TEST_CASE("a forecast adds up, and slowdown is against the reference") {
  Profile profile = run_of(2, 1, 90);
  add_messages(profile, 0, 1, 1, 6);  // between nodes 4 + 6/1 = 10; in a die 1 + 6/10 = 1.6
  const Recommendation recommendation = recommended({profile});
  CHECK(recommendation.reference_forecast.time.value == doctest::Approx(100));
  CHECK(recommendation.reference_forecast.computation.value == doctest::Approx(90));
  CHECK(recommendation.reference_forecast.communication.value == doctest::Approx(10));
  CHECK(recommendation.reference_forecast.slowdown == 0);
  const PatternForecast packed = forecast_of(recommendation, "1:1:2");
  CHECK(packed.nodes == 1);
  CHECK(packed.ranks_per_node == 2);
  CHECK(packed.time.value == doctest::Approx(91.6));
  CHECK(packed.communication.value == doctest::Approx(1.6));
  CHECK(packed.slowdown == doctest::Approx(-0.084));
  CHECK_FALSE(packed.energy.has_value());
}

TEST_CASE("the reference may always be chosen, however little is known of it") {
  const std::vector<Profile> samples = {run_of(8, 1, 100), run_of(8, 8, 200)};
  const Recommendation cautious = recommended(samples, {{.risk = Risk::kInterval}});
  CHECK(forecast_of(cautious, "1:1:1").feasible);
  CHECK(forecast_of(cautious, "1:1:1").reason.empty());
}

TEST_CASE("two samples that say packing slows hold the choice back") {
  const std::vector<Profile> samples = {run_of(8, 1, 100), run_of(8, 8, 200)};
  const Recommendation strict = recommended(samples);
  CHECK(chosen_by(strict) == "1:2:1");  // a die each is nearer to 1:1:1; a full die is not
  CHECK(strict.chosen()->forecast.nodes == 4);
  CHECK(forecast_of(strict, "2:2:2").slowdown == doctest::Approx(1));
  CHECK(forecast_of(strict, "2:2:2").reason == "slower than the bound of 5.0 %");
  CHECK_FALSE(forecast_of(strict, "2:1:2").feasible);
  CHECK(chosen_by(recommended(samples, {{.slowdown = 1}})) == "2:2:2");
}

TEST_CASE("patterns that are not feasible come last and say why") {
  const Recommendation recommendation = recommended({run_of(8, 1, 100), run_of(8, 8, 200)});
  bool infeasible = false;
  for (const Candidate& candidate : recommendation.candidates) {
    if (!candidate.forecast.feasible) infeasible = true;
    CHECK(candidate.forecast.feasible != infeasible);
    // A feasible candidate may have a reason as well: that it may turn out beyond the bound.
    if (!candidate.forecast.feasible) CHECK_FALSE(candidate.forecast.reason.empty());
    if (candidate.forecast.feasible && !candidate.forecast.reason.empty())
      CHECK(candidate.forecast.reason.starts_with("may be beyond the bound"));
  }
  CHECK(infeasible);
}

TEST_CASE("memory of a node rules out what does not fit on its fullest one") {
  Profile profile = run_of(10, 1);
  for (RankRecord& record : profile.rank_records) record.peak_resident = {kGib * 3 / 2};
  Machine machine = slow_machine();
  machine.node_memory = {4 * kGib};
  const Recommendation recommendation = recommend_on(machine, {profile});
  CHECK(chosen_by(recommendation) == "1:1:2");
  CHECK(forecast_of(recommendation, "2:1:2").reason == "needs 6.0 GiB on a node of 4.0 GiB");
  machine.node_memory = {6 * kGib};
  CHECK(recommend_on(machine, {profile}).chosen()->forecast.ranks_per_node == 4);
  machine.node_memory = {0};  // unknown
  CHECK(chosen_by(recommend_on(machine, {profile})) == "2:2:2");
}

TEST_CASE("one large rank counts where it is, not everywhere") {
  Profile profile = run_of(4, 1);
  profile.rank_records[0].peak_resident = profile.rank_records[1].peak_resident = {1};
  profile.rank_records[2].peak_resident = {3 * kGib};
  profile.rank_records[3].peak_resident = {2 * kGib};
  Machine machine = slow_machine();
  machine.node_memory = {4 * kGib};
  const Recommendation recommendation = recommend_on(machine, {profile});
  CHECK(forecast_of(recommendation, "1:2:2").reason == "needs 5.0 GiB on a node of 4.0 GiB");
  CHECK(forecast_of(recommendation, "1:1:1").feasible);
  CHECK(recommendation.choice_notes.empty());
}

TEST_CASE("ranks whose memory is unknown are not taken to need none") {
  Profile profile = run_of(4, 1);
  profile.rank_records[2].peak_resident = {3 * kGib};
  Machine machine = slow_machine();
  machine.node_memory = {8 * kGib};
  const Recommendation recommendation = recommend_on(machine, {profile});
  CHECK(forecast_of(recommendation, "1:2:2").reason == "needs 12.0 GiB on a node of 8.0 GiB");
  CHECK(chosen_by(recommendation) == "1:1:2");
  REQUIRE(recommendation.choice_notes.size() == 1);
  CHECK(recommendation.choice_notes[0].starts_with("how much memory 3 of 4 ranks took is unknown"));
  const std::vector<std::string> nobody = recommend_on(machine, {run_of(4, 1)}).choice_notes;
  REQUIRE(nobody.size() == 1);
  CHECK(nobody[0].starts_with("the profile does not know how much memory the ranks took"));
  machine.node_memory = {0};  // nothing to compare with
  CHECK(recommend_on(machine, {profile}).choice_notes.empty());
}

TEST_CASE("no pattern may use more nodes than allowed") {
  Machine machine = slow_machine();
  machine.nodes = 2;
  const Recommendation recommendation = recommend_on(machine, {run_of(8, 1)});
  CHECK(forecast_of(recommendation, "1:1:1").reason == "needs 8 nodes, at most 2 may be used");
  CHECK(forecast_of(recommendation, "1:1:2").reason == "needs 4 nodes, at most 2 may be used");
  CHECK(forecast_of(recommendation, "2:1:2").feasible);
  CHECK(chosen_by(recommend_on(machine, {run_of(8, 1)}, {{}, 1})) == "2:2:2");
  CHECK(chosen_by(recommend_on(machine, {run_of(9, 1)}, {{}, 1})) == "none");
}

TEST_CASE("where a site asks for so many nodes, patterns on fewer are not feasible") {
  RecommendationOptions options;
  options.least_nodes = 3;
  const Recommendation recommendation = recommended({run_of(8, 1)}, options);
  CHECK(forecast_of(recommendation, "2:1:2").reason == "needs 2 nodes, at least 3 must be used");
  CHECK(forecast_of(recommendation, "2:2:2").reason == "needs 1 node, at least 3 must be used");
  CHECK(chosen_by(recommendation) == "1:1:2");
  options.most_nodes = 2;
  CHECK(error_of<UsageError>([&] { recommended({run_of(8, 1)}, options); }) ==
        "at least 3 nodes and at most 2 can't be used");
}

TEST_CASE("where nodes are shared, only patterns that Slurm makes of itself are feasible") {
  RecommendationOptions options;
  options.shares_nodes = true;
  const Recommendation recommendation = recommended({run_of(8, 1)}, options);
  const std::string reason = "is not what Slurm gives where nodes are shared";
  CHECK(forecast_of(recommendation, "1:2:2").reason == reason);
  CHECK(forecast_of(recommendation, "2:2:1").reason == reason);
  CHECK(forecast_of(recommendation, "2:1:2").reason != reason);
  CHECK(forecast_of(recommendation, "1:1:1").reason != reason);
}

TEST_CASE("where nodes are shared, each of them has as many ranks") {
  RecommendationOptions options;
  options.shares_nodes = true;
  const Recommendation recommendation = recommended({run_of(6, 1)}, options);
  CHECK(forecast_of(recommendation, "2:1:2").reason ==
        "is not what Slurm gives where nodes are shared");
  CHECK(forecast_of(recommendation, "2:1:1").reason !=
        "is not what Slurm gives where nodes are shared");
}

TEST_CASE("without a known number of nodes the reference's is the limit") {
  const predict::Reference reference = predict::reference_over(2, 8, small_node());
  const Recommendation recommendation =
      recommend({run_of(8, 1)}, slow_machine(), small_node(), reference, {});
  CHECK(forecast_of(recommendation, "1:1:1").reason == "needs 8 nodes, at most 2 may be used");
}

TEST_CASE("a number of ranks that fills no pattern leaves the last node less full") {
  const Recommendation recommendation = recommended({run_of(10, 1)});
  for (const Candidate& candidate : recommendation.candidates) {
    const std::uint32_t share = candidate.pattern.ranks_per_node();
    std::vector<std::uint32_t> count(candidate.forecast.nodes);
    for (const std::uint32_t core : candidate.core_of) ++count.at(core / share);
    for (std::size_t node = 0; node + 1 < count.size(); ++node) CHECK(count[node] == share);
    CHECK(count.back() == 10 - share * (count.size() - 1));
  }
}

TEST_CASE("ranks that talk share a node, unless natural order is asked for") {
  Profile profile = run_of(4, 1);
  add_messages(profile, 0, 2, 1, 100);
  add_messages(profile, 1, 3, 1, 100);
  const RecommendationOptions two_nodes{{.slowdown = 1}, 2};
  const Recommendation mapped = recommended({profile}, two_nodes);
  RecommendationOptions in_order = two_nodes;
  in_order.grouping = Grouping::kRankOrder;
  const Recommendation natural = recommended({profile}, in_order);
  for (const Candidate& candidate : natural.candidates)
    for (std::uint32_t rank = 0; rank < 4; ++rank) CHECK(candidate.core_of[rank] == rank);
  CHECK(forecast_of(mapped, "1:1:2").communication.value == doctest::Approx(1 + 100.0 / 10));
  CHECK(forecast_of(natural, "1:1:2").communication.value == doctest::Approx(2 * 100.0 / 1));
}

TEST_CASE("ranks whose collectives move data between them share a node, too") {
  Profile profile = run_of(4, 1);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    profile.rank_records[rank].collectives = {
        {"allreduce", "derived", 2, 4, 10, {80}, {}, 1 + rank % 2}};
  profile.shared.communicators = {{1, RankSet({0, 2}), {}}, {2, RankSet({1, 3}), {}}};
  const Recommendation mapped = recommended({profile}, {{.slowdown = 1}, 2});
  for (const Candidate& candidate : mapped.candidates) {
    const std::uint32_t a_node = candidate.forecast.ranks_per_node;
    if (a_node == 1) continue;
    CHECK(candidate.core_of[0] / a_node == candidate.core_of[2] / a_node);
    CHECK(candidate.core_of[1] / a_node == candidate.core_of[3] / a_node);
  }
}

TEST_CASE("with time as the objective the fastest feasible pattern is first") {
  Profile profile = run_of(4, 1, 10);
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) add_messages(profile, rank, rank ^ 1U, 1, 50);
  const Recommendation recommendation = recommended({profile}, {{.objective = Objective::kTime}});
  for (const Candidate& candidate : recommendation.candidates)
    if (candidate.forecast.feasible)
      CHECK(recommendation.chosen()->forecast.time <= candidate.forecast.time);
}

Machine machine_with_power(PowerFigures power) {
  Machine machine = slow_machine();
  machine.power = power;
  return machine;
}

TEST_CASE("without power figures there is no energy, and energy x time can't be the objective") {
  CHECK_FALSE(recommended({run_of(4, 1)}).candidates.front().forecast.energy);
  CHECK(error_of<UsageError>([] {
          recommended({run_of(4, 1)}, {{.objective = Objective::kEdp}});
        }).starts_with("the objective is energy x time, but the machine "));
}

TEST_CASE("with power figures the least predicted energy is first") {
  // Nodes cost nothing, packages much: better four nodes with a package each than one with two.
  const Machine machine = machine_with_power({{0}, {0}, {100}, {1}, {0}, Origin::kGiven});
  const Recommendation recommendation = recommend_on(machine, {run_of(4, 1)});
  CHECK(chosen_by(recommendation) == "1:2:2");
  CHECK(forecast_of(recommendation, "1:2:2").energy->value == doctest::Approx(100 * (100 + 2)));
  CHECK(forecast_of(recommendation, "2:1:2").energy->value == doctest::Approx(100 * (200 + 2)));
  const auto least = std::min_element(
      recommendation.candidates.begin(), recommendation.candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.forecast.energy < b.forecast.energy; });
  CHECK(least->forecast.energy == recommendation.chosen()->forecast.energy);
}

TEST_CASE("energy x time weighs time twice") {
  // Packed: communication is faster. Energy alone would take the slower one of fewer parts.
  Profile profile = run_of(4, 1, 10);
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) add_messages(profile, rank, rank ^ 1U, 1, 50);
  const Machine machine = machine_with_power({{1}, {0}, {1}, {1}, {1}, Origin::kGiven});
  const Recommendation recommendation =
      recommend_on(machine, {profile}, {{.objective = Objective::kEdp}});
  for (const Candidate& candidate : recommendation.candidates)
    if (candidate.forecast.feasible)
      CHECK(recommendation.chosen()->forecast.energy->value *
                recommendation.chosen()->forecast.time.value <=
            candidate.forecast.energy->value * candidate.forecast.time.value);
}

TEST_CASE("time that the measured run spent in MPI scales what is predicted") {
  Profile profile = run_of(2, 1, 90);
  add_messages(profile, 0, 1, 1, 6);  // 4 s + 6 s over the network
  for (RankRecord& record : profile.rank_records) {
    record.mpi_time = {5};
    record.run_time = {95};
  }
  const Recommendation overlapped = recommended({profile});
  CHECK(overlapped.reference_forecast.communication_bound->value == doctest::Approx(10));
  CHECK(overlapped.reference_forecast.communication.value == doctest::Approx(5));
  CHECK(overlapped.reference_forecast.time.value == doctest::Approx(95));
  // On one die: 1 s + 0.6 s, of which half counts.
  CHECK(forecast_of(overlapped, "1:1:2").communication.value == doctest::Approx(0.8));
}

TEST_CASE("the number of threads changes nothing") {
  Profile profile = run_of(8, 1, 10);
  for (std::uint32_t rank = 0; rank < 8; ++rank) add_messages(profile, rank, rank ^ 3U, 2, 70);
  RecommendationOptions options;
  const Recommendation alone = recommended({profile}, options);
  options.threads = 3;
  const Recommendation several = recommended({profile}, options);
  REQUIRE(alone.candidates.size() == several.candidates.size());
  for (std::size_t i = 0; i < alone.candidates.size(); ++i) {
    CHECK(alone.candidates[i].pattern == several.candidates[i].pattern);
    CHECK(alone.candidates[i].core_of == several.candidates[i].core_of);
  }
}

TEST_CASE("profiles that can't be compared are refused") {
  CHECK(error_of<UsageError>([] {
          recommend({}, slow_machine(), small_node(), predict::reference_on({1, 1, 1}, 4), {});
        }) == "a recommendation needs at least one profile");
  Profile cut = run_of(4, 1);
  cut.complete = false;
  cut.cut_short_reason = "killed";
  CHECK(error_of<UsageError>([&] { recommended({cut}); }) ==
        "the profile of app was cut short (killed): measure a whole run");
  CHECK(error_of<UsageError>([] {
          recommended({run_of(4, 1), run_of(8, 1)});
        }) ==
        "profiles of 4 and of 8 ranks can't be samples of one program: give those of one size");
  CHECK(error_of<UsageError>([] { recommended({run_of(4, 1, 0)}); }) ==
        "the profile of app has no run time in it, so no slowdown can be predicted from it: "
        "measure the program with huddle record, or map the profile, which needs no times, with "
        "huddle map");
}

TEST_CASE("leaving out what can't be chosen any more does not change the choice") {
  Profile profile = run_of(10, 1, 1);
  for (std::uint32_t rank = 0; rank < 10; ++rank)
    add_messages(profile, rank, (rank + 3) % 10, 1, 20 + rank);
  for (const std::uint64_t gib : {0U, 1U, 2U, 4U, 8U})
    for (const double slowdown : {0.0, 0.05, 1.0})
      for (const Objective objective : {Objective::kEnergy, Objective::kTime}) {
        Machine machine = slow_machine();
        machine.node_memory = {gib * kGib};
        profile.rank_records[0].peak_resident = {kGib};
        profile.rank_records[7].peak_resident = {kGib};
        RecommendationOptions options{{.slowdown = slowdown, .objective = objective}, 10};
        const std::vector<Profile> samples = {profile, run_of(10, 4, 1.5)};
        const Recommendation whole = recommend_on(machine, samples, options);
        options.only_until_chosen = true;
        const Recommendation shorter = recommend_on(machine, samples, options);
        CHECK(chosen_by(shorter) == chosen_by(whole));
        CHECK(shorter.candidates.size() <= whole.candidates.size());
        CHECK(whole.candidates.size() == 8);
        if (whole.chosen() != nullptr)
          CHECK(shorter.chosen()->forecast.time == whole.chosen()->forecast.time);
      }
}

TEST_CASE("progress is reported for every pattern") {
  std::vector<std::size_t> reported;
  recommend({run_of(4, 1)}, slow_machine(), small_node(), predict::reference_on({1, 1, 1}, 4), {},
            [&](std::size_t done, std::size_t all) {
              reported.push_back(done);
              CHECK(all == 8);
            });
  CHECK(reported == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8});
}

}  // namespace
}  // namespace huddle::recommend
