#include "aggregator/predict/energy/power_fit.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "aggregator/predict/energy/pattern_energy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

// A node of 2 packages of 2 dies of 8 cores.
constexpr Occupation kWhole{2, 4, 32, 0};

double true_watts(const Occupation& of) {
  const double share = of.mhz / 2400.0;
  return 90 + 20 * of.packages + 6 * of.dies + of.cores * (0.8 + 2.4 * share * share * share);
}

PowerObservations empty_observations() {
  PowerObservations observations;
  observations.node = "n0";
  observations.whole = kWhole;
  observations.sensors = {"package-0", "package-1"};
  return observations;
}

// `noise`: standard deviation of what each job draws, relative.
void observe(PowerObservations& observations, const Occupation& of, std::uint32_t job,
             double noise = 0) {
  static std::mt19937 random(7);
  std::normal_distribution<double> deviation(0, 1);
  const double watts = true_watts(of) * (1 + noise * deviation(random));
  observations.add({of, job % PowerObservations::kGroups}, {Seconds{60}, Joules{60 * watts}},
                   *parse_utc("2026-11-27"));
}

PowerObservations of_many_jobs(double noise) {
  PowerObservations observations = empty_observations();
  std::uint32_t job = 0;
  for (const std::uint32_t mhz : {1200U, 1800U, 2400U})
    for (const Occupation& of :
         {Occupation{1, 1, 4, mhz}, Occupation{1, 1, 8, mhz}, Occupation{1, 2, 16, mhz},
          Occupation{1, 2, 8, mhz}, Occupation{2, 2, 16, mhz}, Occupation{2, 4, 32, mhz}})
      for (int i = 0; i < 8; ++i) observe(observations, of, job++, noise);
  for (int i = 0; i < 8; ++i) observe(observations, {0, 0, 0, 0}, job++, noise);
  return observations;
}

bool says(const PowerFit& fit, std::string_view words) {
  return std::any_of(fit.notes.begin(), fit.notes.end(),
                     [&](const std::string& note) { return note.find(words) != note.npos; });
}

TEST_CASE("figures of a node are found from its occupations") {
  const PowerFit fit = fit_power({of_many_jobs(0)});
  CHECK(fit.idle_node.value == doctest::Approx(90));
  CHECK(fit.package.value == doctest::Approx(20));
  CHECK(fit.die.value == doctest::Approx(6));
  CHECK(fit.core_at({2.4e9}).value == doctest::Approx(3.2));
  CHECK(fit.core_at({1.2e9}).value == doctest::Approx(1.1));
  CHECK(fit.by_frequency);
  CHECK(fit.notes.empty());
  CHECK(*fit.error < 1e-6);
}

TEST_CASE("with jobs that differ by 5 %, nodes are predicted within 3 %, and the error says 5 %") {
  const PowerFit fit = fit_power({of_many_jobs(0.05)});
  for (const Occupation& of : {Occupation{2, 4, 32, 2400}, Occupation{1, 2, 16, 1200},
                               Occupation{2, 4, 20, 2000}, Occupation{0, 0, 0, 0}}) {
    CAPTURE(of.cores);
    const double predicted = (fit.idle_node + fit.package * of.packages + fit.die * of.dies +
                              fit.core_at({of.mhz * 1e6}) * of.cores)
                                 .value;
    CHECK(std::abs(predicted / true_watts(of) - 1) < 0.03);
  }
  // Mean of the absolute value of a normal deviation.
  CHECK(*fit.error == doctest::Approx(0.05 * 0.8).epsilon(0.3));
}

TEST_CASE("what jobs of whole nodes do not tell apart gets no figure of its own, and a note") {
  PowerObservations observations = empty_observations();
  observe(observations, {0, 0, 0, 0}, 0);
  for (std::uint32_t job = 1; job < 20; ++job) observe(observations, {2, 4, 32, 2400}, job);
  const PowerFit fit = fit_power({observations});
  CHECK(fit.package == Watts{0});
  CHECK(fit.die == Watts{0});
  CHECK((fit.idle_node + fit.core_at({2.4e9}) * 32).value ==
        doctest::Approx(true_watts({2, 4, 32, 2400})));
  CHECK_FALSE(fit.by_frequency);
  CHECK(says(fit, "package"));
  CHECK(says(fit, "die"));
  CHECK(says(fit, "clock"));
  CHECK_FALSE(says(fit, "never seen idle"));
}

TEST_CASE("notes are of parts and clocks that the node has") {
  PowerObservations observations = empty_observations();
  observations.whole = {2, 2, 32, 0};
  for (const Occupation& of : {Occupation{0, 0, 0, 0}, Occupation{1, 1, 8, 0}})
    observe(observations, of, 0);
  const PowerFit fit = fit_power({observations});
  CHECK_FALSE(says(fit, "die"));
  CHECK(says(fit, "clocks of cores could not be read"));
  CHECK_FALSE(says(fit, "nearly the same clock"));
}

TEST_CASE("one occupation alone shows nothing") {
  PowerObservations observations = empty_observations();
  CHECK_THROWS_AS(fit_power({observations}), Error);
  observe(observations, {2, 4, 32, 2400}, 1);
  CHECK_THROWS_WITH_AS(fit_power({observations}), doctest::Contains("what a busy core draws"),
                       Error);
}

TEST_CASE("an error on jobs left out is not known from jobs of one group") {
  PowerObservations observations = empty_observations();
  for (const Occupation& of : {Occupation{0, 0, 0, 0}, Occupation{1, 1, 8, 2400}})
    observe(observations, of, 8);
  CHECK_FALSE(fit_power({observations}).error);
}

TEST_CASE("no figure is negative") {
  PowerObservations observations = empty_observations();
  observations.add({{0, 0, 0, 0}, 0}, {Seconds{60}, Joules{6000}}, {});
  observations.add({{1, 1, 8, 2400}, 1}, {Seconds{60}, Joules{7800}}, {});
  // A second package seems to save power.
  observations.add({{2, 2, 16, 2400}, 2}, {Seconds{60}, Joules{8400}}, {});
  observations.add({{2, 2, 8, 2400}, 3}, {Seconds{60}, Joules{6600}}, {});
  const PowerFit fit = fit_power({observations});
  CHECK(fit.idle_node >= Watts{0});
  CHECK(fit.package >= Watts{0});
  CHECK(fit.die >= Watts{0});
  CHECK(fit.core_static >= Watts{0});
}

TEST_CASE("nodes of different sizes or sensors are not fitted together") {
  const PowerObservations observations = of_many_jobs(0);
  PowerObservations other = observations;
  other.node = "n1";
  CHECK_NOTHROW(fit_power({observations, other}));
  other.whole.cores = 64;
  CHECK_THROWS_WITH_AS(fit_power({observations, other}), doctest::Contains("n1 has 2, 4 and 64"),
                       Error);
  other = observations;
  other.sensors = {"psys"};
  CHECK_THROWS_AS(fit_power({observations, other}), Error);
}

TEST_CASE("a machine document has the figures at its nominal frequency, and who measured them") {
  const PowerFit fit = fit_power({of_many_jobs(0)});
  Machine machine;
  machine.topology = "package:2 die:2 core:8 pu:1";
  machine.power = PowerFigures{{1}, {7}, {1}, {1}, {1}, Origin::kAssumed};
  machine.frequencies = Frequencies{{{1.2e9}, {1.8e9}, {2.4e9}},
                                    {1.8e9},
                                    {{{1.2e9}, {9}, Watts{9}, Watts{9}}},
                                    {},
                                    Origin::kGiven};
  put_power(fit, Watts{30}, "huddle-energyd on n0", machine);
  CHECK(machine.power->origin == Origin::kMeasured);
  CHECK(machine.power->source == "huddle-energyd on n0");
  CHECK(machine.power->idle_node.value == doctest::Approx(120));
  CHECK(machine.power->off_node == Watts{7});
  CHECK(machine.power->core.value == doctest::Approx(0.8 + 2.4 * 0.75 * 0.75 * 0.75).epsilon(1e-3));
  for (const double hertz : {1.2e9, 1.5e9, 1.8e9, 2.4e9})
    CHECK(power_at(machine, {hertz}).core.value ==
          doctest::Approx(0.8 + 2.4 * std::pow(hertz / 2.4e9, 3)).epsilon(1e-3));
  CHECK(machine.frequencies->power_source == "huddle-energyd on n0");
  CHECK(parse_machine(to_json(machine), "text").power->source == "huddle-energyd on n0");
}

TEST_CASE("figures at a nominal frequency that was never seen are called extrapolated") {
  PowerObservations observations = empty_observations();
  observe(observations, {0, 0, 0, 0}, 0);
  observe(observations, {1, 1, 8, 1200}, 1);
  Machine machine;
  machine.frequencies = Frequencies{{{1.2e9}, {2.4e9}}, {2.4e9}, {}, {}, Origin::kGiven};
  put_power(fit_power({observations}), Watts{0}, "n0", machine);
  CHECK(machine.power->source == "n0; extrapolated to the nominal frequency");
}

}  // namespace
}  // namespace huddle::predict
