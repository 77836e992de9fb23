#include "spank_plugin/charm/energy_options.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::charm {

TEST_CASE("EnergyLB's options are keys with values") {
  EnergyOptions options;
  read_energy_options("", "X", options);
  CHECK(options.settings.balancer == ChareBalancer::kRefine);
  CHECK(options.clocks.empty());
  read_energy_options(
      "balancer=greedy_comm,worthwhile=8%,grain=coarse,clocks=2.4GHz/1.2GHz,"
      "sensitivity=0.75, patience=3,lease=0",
      "X", options);
  CHECK(options.settings.balancer == ChareBalancer::kGreedyComm);
  CHECK(options.settings.worthwhile == doctest::Approx(0.08));
  CHECK(options.grain == ClockGrain::kCoarse);
  CHECK(options.clocks == std::vector<Hertz>{{2.4e9}, {1.2e9}});
  CHECK(options.sensitivity == 0.75);
  CHECK_FALSE(options.settings.learn_sensitivity);
  CHECK(options.settings.patience == 3);
  CHECK(options.settings.lease == 0);
  read_energy_options("balancer=none", "X", options);
  CHECK(options.settings.balancer == ChareBalancer::kNone);
  CHECK(options.sensitivity == 0.75);
  read_energy_options("sensitivity=learn", "X", options);
  CHECK(options.settings.learn_sensitivity);
}

TEST_CASE("a mistake in EnergyLB's options changes nothing, and is told with what is allowed") {
  const auto told = [](const std::string& text) {
    EnergyOptions options;
    try {
      read_energy_options("patience=4," + text, "+EnergyLB", options);
    } catch (const UsageError& error) {
      CHECK(options.settings.patience == 2);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(told("balancer=fast") ==
        "+EnergyLB: balancer=fast is not understood, balancer takes none, greedy, refine, "
        "greedy_comm or refine_comm");
  CHECK(told("speed=1") ==
        "+EnergyLB: \"speed=1\" is not known, it takes, parted by commas, balancer=, worthwhile=, "
        "grain=, clocks=, sensitivity=, patience=, lease=");
  CHECK(told("patience=3") == "+EnergyLB: patience is there twice, say it once");
  for (const char* text : {"worthwhile=-1", "worthwhile=101%", "worthwhile=", "worthwhile=%",
                           "worthwhile=nan", "sensitivity=2", "grain=core", "clocks=",
                           "clocks=1GHz/", "clocks=0", "lease=1e9", "lease", ",", "balancer"})
    CHECK_MESSAGE(!told(text).empty(), text);
}

TEST_CASE("patience is a whole number") {
  EnergyOptions options;
  for (const char* text : {"patience=0", "patience=1.5", "patience=65", "patience=x"})
    CHECK_THROWS_AS(read_energy_options(text, "X", options), UsageError);
}

}  // namespace huddle::charm
