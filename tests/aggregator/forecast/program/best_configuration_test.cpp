#include "aggregator/forecast/program/best_configuration.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

const std::vector<Configuration> kMeasured = {
    {100, 1, 1, 2.4}, {100, 1, 4, 2.4}, {100, 4, 1, 2.4}, {200, 4, 1, 2.4}, {200, 4, 2, 1.2}};

TEST_CASE("without being asked, the combinations that were measured with any size are candidates") {
  CHECK(candidate_configurations(kMeasured, 150, {}) ==
        std::vector<Configuration>{
            {150, 1, 1, 2.4}, {150, 1, 4, 2.4}, {150, 4, 1, 2.4}, {150, 4, 2, 1.2}});
}

TEST_CASE("what is asked is combined with all that was measured of the other factors") {
  const std::vector<Configuration> candidates =
      candidate_configurations(kMeasured, 100, {{2, 3, 2}, {}, {2.4}});
  CHECK(candidates == std::vector<Configuration>{{100, 2, 1, 2.4},
                                                 {100, 2, 2, 2.4},
                                                 {100, 2, 4, 2.4},
                                                 {100, 3, 1, 2.4},
                                                 {100, 3, 2, 2.4},
                                                 {100, 3, 4, 2.4}});
}

TEST_CASE("of a factor that never changed nothing else can be asked") {
  const std::vector<Configuration> measured = {{1, 1, 1, 2.4}, {1, 1, 2, 2.4}};
  CHECK(candidate_configurations(measured, 1, {{1}, {}, {2.4}}).size() == 2);
  CHECK(error_of([&] {
          candidate_configurations(measured, 1, {{4}, {}, {}});
        }) == "all rows have processes 1, so nothing is known of 4: measure some");
  CHECK(error_of([&] {
          candidate_configurations(measured, 1, {{}, {}, {1.2}});
        }) == "all rows have frequency 2.4 GHz, so nothing is known of 1.2 GHz: measure some");
}

TEST_CASE("a question of too many configurations is refused") {
  std::vector<double> many;
  for (int i = 1; i <= 400; ++i) many.push_back(i);
  CHECK(error_of([&] {
          candidate_configurations(kMeasured, 100, {many, many, {}});
        }) ==
        "400 processes x 400 threads x 2 frequencies are 320000 configurations, and 100000 can be "
        "compared: ask for fewer");
}

TEST_CASE("the size is the one that is asked, or the only one") {
  CHECK(size_to_choose_for(kMeasured, 1000) == 1000);
  CHECK(size_to_choose_for({{64, 1, 1, 1}, {64, 2, 1, 1}}, 0) == 64);
  CHECK(error_of([] { size_to_choose_for(kMeasured, 0); }) ==
        "the rows have 2 problem sizes, 100, 200: name one of them, or one between or beyond");
  CHECK(error_of([] {
          size_to_choose_for({{64, 1, 1, 1}}, 128);
        }) == "all rows have size 64, so nothing is known of 128: measure some");
}

TEST_CASE("the error names the term of the choice that can't be met") {
  const auto term_of = [](const AskedFactors& asked) {
    try {
      candidate_configurations({{1, 1, 1, 2.4}}, 1, asked);
    } catch (const ChoiceError& error) {
      return error.term();
    }
    return ChoiceTerm::candidates;
  };
  CHECK(term_of({{4}, {}, {}}) == ChoiceTerm::processes);
  CHECK(term_of({{}, {4}, {}}) == ChoiceTerm::threads);
  CHECK(term_of({{}, {}, {1.2}}) == ChoiceTerm::frequency);
}

TEST_CASE("a reference without a frequency runs at the highest one") {
  CHECK(reference_configuration(kMeasured, 100, 4, 2, 0) == Configuration{100, 4, 2, 2.4});
  CHECK(reference_configuration(kMeasured, 100, 4, 2, 1.2) == Configuration{100, 4, 2, 1.2});
  CHECK(error_of([] {
          reference_configuration({{1, 1, 8, 1}}, 1, 4, 8, 0);
        }) == "all rows have processes 1, so nothing is known of 4: measure some");
}

Estimate within(double value, double share) {
  return {value, value * (1 - share), value * (1 + share)};
}

// Times of threads 1, 2, 4, 8: 100, 55, 40, 39 s; energies 1000, 800, 700, 900 J.
ForecastAt predicted(const Configuration& where, double share = 0.01) {
  const bool few = where.threads <= 2;
  const double time = few ? (where.threads < 2 ? 100 : 55) : (where.threads < 8 ? 40 : 39);
  const double energy = few ? (where.threads < 2 ? 1000 : 800) : (where.threads < 8 ? 700 : 900);
  ForecastAt forecast;
  forecast.where = where;
  forecast.time_s = within(time, share);
  forecast.energy_j = within(energy, share);
  return forecast;
}

std::vector<Configuration> some_threads() {
  return {{1, 1, 1, 1}, {1, 1, 2, 1}, {1, 1, 4, 1}, {1, 1, 8, 1}};
}

BestConfiguration best_of(const BestOptions& options, double share = 0.01) {
  return best_configuration(
      some_threads(), [&](const Configuration& where) { return predicted(where, share); }, options);
}

double threads_of(const BestCandidate* candidate) {
  REQUIRE(candidate != nullptr);
  return candidate->forecast.where.threads;
}

TEST_CASE("the least energy within the bound over the fastest is chosen") {
  const BestConfiguration best = best_of({});
  CHECK(threads_of(best.chosen()) == 4);
  CHECK(threads_of(&*best.reference) == 8);
  CHECK(*best.chosen()->slowdown == doctest::Approx(40.0 / 39 - 1));
  CHECK(best.remarks.empty());
}

TEST_CASE("what is too slow stands behind all others, and says so") {
  const BestConfiguration best = best_of({.most_slowdown = 0.01});
  CHECK(threads_of(best.chosen()) == 8);
  CHECK(best.candidates[1].why_not == "too slow");
  CHECK(threads_of(&best.candidates[1]) == 4);
}

TEST_CASE("without a bound the least counts alone") {
  BestOptions options;
  options.most_slowdown.reset();
  options.reference = Configuration{1, 1, 8, 1};
  const BestConfiguration best = best_of(options);
  for (const BestCandidate& candidate : best.candidates) CHECK(candidate.feasible);
  CHECK(threads_of(best.chosen()) == 4);
}

TEST_CASE("each objective has its own least") {
  CHECK(threads_of(best_of({.objective = Objective::kTime}).chosen()) == 8);
  const BestConfiguration best = best_of({.objective = Objective::kEdp});
  CHECK(threads_of(best.chosen()) == 4);
  CHECK(best.chosen()->edp_js->value == doctest::Approx(28000));
  CHECK(best.chosen()->edp_js->high == doctest::Approx(28000 * 1.01 * 1.01));
}

TEST_CASE("a cautious choice has its whole interval within the bound") {
  BestOptions options;
  options.certain = true;
  CHECK(threads_of(best_of(options, 0.01).chosen()) == 4);
  const BestConfiguration best = best_of(options, 0.05);
  CHECK(threads_of(best.chosen()) == 8);  // the reference itself may always be chosen
  CHECK(best.candidates[1].why_not == "may be too slow");
}

TEST_CASE("a reference that is given counts, also if it is no candidate") {
  BestOptions options;
  options.reference = Configuration{1, 1, 2, 1};
  const BestConfiguration best = best_of(options);
  CHECK(threads_of(&*best.reference) == 2);
  CHECK(*best.chosen()->slowdown == doctest::Approx(40.0 / 55 - 1));
  CHECK(*best.reference->slowdown == 0);
}

TEST_CASE("those whose intervals meet the chosen one's are not distinguishable from it") {
  BestOptions options;
  options.most_slowdown = 1;
  CHECK_FALSE(best_of(options, 0.01).candidates[1].alike);
  const BestConfiguration best = best_of(options, 0.1);
  CHECK_FALSE(best.candidates[0].alike);
  CHECK(best.candidates[1].alike);        // 800 J - 10 % against 700 J + 10 %
  CHECK_FALSE(best.candidates[2].alike);  // 900 J - 10 %
}

TEST_CASE("of equal configurations the first is chosen") {
  const BestConfiguration best = best_configuration(some_threads(),
                                                    [](const Configuration& where) {
                                                      ForecastAt forecast;
                                                      forecast.where = where;
                                                      forecast.time_s = within(10, 0);
                                                      forecast.energy_j = within(10, 0);
                                                      return forecast;
                                                    },
                                                    {});
  CHECK(threads_of(best.chosen()) == 1);
  CHECK(threads_of(&*best.reference) == 1);
}

TEST_CASE("what is beyond what was measured is left out unless it is asked for") {
  const auto beyond = [](const Configuration& where) {
    ForecastAt forecast = predicted(where);
    if (where.threads > 2) forecast.beyond = {"threads"};
    return forecast;
  };
  const BestConfiguration best = best_configuration(some_threads(), beyond, {});
  CHECK(best.candidates.size() == 2);
  CHECK(best.left_out == 2);
  CHECK(best.remarks.empty());
  BestOptions options;
  options.asked.threads = {1, 2, 4, 8};
  const BestConfiguration asked = best_configuration(some_threads(), beyond, options);
  CHECK(asked.candidates.size() == 4);
  REQUIRE(asked.remarks.size() == 1);
  CHECK(asked.remarks[0] ==
        "some of this is beyond what was measured (threads): the less sure, the farther beyond");
}

TEST_CASE("a size beyond what was measured leaves nothing out") {
  const auto beyond = [](const Configuration& where) {
    ForecastAt forecast = predicted(where);
    forecast.beyond = {"size"};
    return forecast;
  };
  CHECK(best_configuration(some_threads(), beyond, {}).candidates.size() == 4);
}

TEST_CASE("threads that were not measured with the size are beyond, unless threads are asked for") {
  const auto beyond = [](const Configuration& where) {
    ForecastAt forecast = predicted(where);
    if (where.threads == 8) forecast.beyond = {"threads with size"};
    return forecast;
  };
  CHECK(best_configuration(some_threads(), beyond, {}).left_out == 1);
  BestOptions options;
  options.asked.processes = {1};
  CHECK(best_configuration(some_threads(), beyond, options).left_out == 1);
  options.asked.threads = {1, 2, 4, 8};
  CHECK(best_configuration(some_threads(), beyond, options).left_out == 0);
}

TEST_CASE("without energy only time can be served, and the other way round") {
  const auto no_energy = [](const Configuration& where) {
    ForecastAt forecast = predicted(where);
    forecast.energy_j.reset();
    return forecast;
  };
  CHECK(error_of([&] { best_configuration(some_threads(), no_energy, {}); }) ==
        "no energy was measured, so that only the least time can be asked for");
  CHECK(threads_of(best_configuration(some_threads(), no_energy, {.objective = Objective::kTime})
                       .chosen()) == 8);
  const auto no_time = [](const Configuration& where) {
    ForecastAt forecast = predicted(where);
    forecast.time_s.reset();
    return forecast;
  };
  CHECK(error_of([&] { best_configuration(some_threads(), no_time, {}); }) ==
        "no time was measured, so that no slowdown can be bounded; without a bound (none) the "
        "choice is by energy alone");
  BestOptions options;
  options.most_slowdown.reset();
  const BestConfiguration best = best_configuration(some_threads(), no_time, options);
  CHECK(threads_of(best.chosen()) == 4);
  CHECK_FALSE(best.reference);
}

TEST_CASE("a forecast that is no number is not chosen") {
  const auto unknown = [](const Configuration& where) {
    ForecastAt forecast = predicted(where);
    if (where.threads == 4) forecast.energy_j->value = std::numeric_limits<double>::quiet_NaN();
    return forecast;
  };
  const BestConfiguration best = best_configuration(some_threads(), unknown, {});
  CHECK(threads_of(best.chosen()) == 8);
  CHECK(threads_of(&best.candidates[1]) != 4);
  CHECK(best.candidates.back().why_not == "not known");
}

TEST_CASE("nothing to choose from is an error") {
  CHECK(error_of([] {
          best_configuration(some_threads(),
                             [](const Configuration& where) {
                               ForecastAt forecast = predicted(where);
                               forecast.beyond = {"processes"};
                               return forecast;
                             },
                             {});
        }) ==
        "there is no configuration to choose from: 4 are beyond what was measured, and are "
        "considered only if they are asked for");
}

}  // namespace
}  // namespace huddle
