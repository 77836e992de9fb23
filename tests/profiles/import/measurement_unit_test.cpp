#include "profiles/import/measurement_unit.hpp"

#include <doctest/doctest.h>

using namespace huddle;
using imports::Dimension;

namespace {

// "ms after solve_time"; empty if there is none.
std::string found_in(std::string_view name, Dimension dimension = Dimension::time) {
  const auto found = imports::unit_in_name(name, dimension);
  return found ? found->word + " after " + found->rest : "";
}

}  // namespace

TEST_CASE("units are converted to the last bit, and case counts where it must") {
  CHECK(imports::unit_named("MHz")->in_base(1730) == 1.73);
  CHECK(imports::unit_named("ms")->in_base(1) == 0.001);
  CHECK(imports::unit_named("Wh")->in_base(1) == 3600);
  CHECK(imports::unit_named("mJ")->in_base(1) == 0.001);
  CHECK(imports::unit_named("MJ")->in_base(1) == 1e6);
  CHECK(imports::unit_named("mj")->in_base(1) == 0.001);
  CHECK(imports::unit_named("SEC")->dimension == Dimension::time);
  CHECK(imports::unit_named("\u00b5s")->in_base(1) == 1e-6);
  CHECK_FALSE(imports::unit_named("parsec"));
  CHECK_FALSE(imports::unit_named(""));
}

TEST_CASE("the unit of a column is a word of its name, wherever tools put it") {
  CHECK(found_in("solve_time_ms") == "ms after solve_time");
  CHECK(found_in("wall.us") == "us after wall");
  CHECK(found_in("solve [\u00b5s]") == "\u00b5s after solve");
  CHECK(found_in("TIME_MSEC") == "MSEC after TIME");
  CHECK(found_in("time_ns_mean") == "ns after time");
  CHECK(found_in("ns_per_op") == "ns after ");
  CHECK(found_in("ms_elapsed") == "ms after elapsed");
  CHECK(found_in("solveTimeMs") == "Ms after solveTime");
  CHECK(found_in("timems") == "ms after time");
  CHECK(found_in("seconds") == "seconds after ");
  CHECK(found_in("node_energy_kj", Dimension::energy) == "kj after node_energy");
  CHECK(found_in("pkg_uJ", Dimension::energy) == "uJ after pkg");
  CHECK(found_in("EnergyKWh", Dimension::energy) == "KWh after Energy");
  CHECK(found_in("AVG_CPUFREQ_KHZ", Dimension::frequency) == "KHZ after AVG_CPUFREQ");
}

TEST_CASE("letters that may be no unit, or of another dimension, are none") {
  for (const char* name :
       {"solve_min", "times", "items", "n", "", "_", "time_kj", "loops", "steps"})
    CHECK_MESSAGE(found_in(name).empty(), name);
  CHECK(found_in("sumJ", Dimension::energy).empty());
  CHECK(found_in("time_ms", Dimension::none).empty());
}
