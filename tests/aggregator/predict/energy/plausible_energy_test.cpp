#include "aggregator/predict/energy/plausible_energy.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

// 2 nodes for 100 s: at most 10 kW each for 110 s, at least 1 W each for 90 s.
CheckedEnergy checked(std::string_view text) {
  return check_energy(text, 2, Seconds{100}, PowerBound{});
}

TEST_CASE("an energy that nodes can draw is believed") {
  for (const char* text : {"40000", "181", "2199999", "40000.5"}) {
    CAPTURE(text);
    CHECK(checked(text).energy);
    CHECK(checked(text).doubt.empty());
  }
  CHECK(checked("40000").energy == Joules{40000});
}

TEST_CASE("what stands for no figure is none, and no reason to doubt") {
  for (const char* text :
       {"", "0", "4294967294", "4294967295", "18446744073709551614", "18446744073709551615"}) {
    CAPTURE(text);
    CHECK_FALSE(checked(text).energy);
    CHECK(checked(text).doubt.empty());
  }
}

TEST_CASE("what can't be right is reported and not used") {
  CHECK(checked("-12").doubt == "-12 J is negative");
  CHECK(checked("2200001").doubt == "2.2e+06 J is more than the 2.2e+06 J of 2 nodes in 100 s");
  CHECK(checked("4294967000").doubt ==
        "4.295e+09 J is more than the 2.2e+06 J of 2 nodes in 100 s");
  CHECK(checked("179").doubt == "179 J is less than the 180 J of 2 nodes in 100 s");
  CHECK(checked("3.5K").doubt == "\"3.5K\" is no number");
  CHECK(checked("nan").doubt != "");
  CHECK(checked("inf").doubt != "");
  for (const char* text : {"-12", "2200001", "179", "3.5K", "nan", "inf"})
    CHECK_FALSE(checked(text).energy);
}

TEST_CASE(
    "a run that is shorter than a meter's readings are apart may have drawn next to nothing") {
  CHECK(check_energy("3", 8, Seconds{0.5}, PowerBound{}).energy == Joules{3});
}

TEST_CASE("a machine's power figures bound what its nodes draw, at the frequency that takes most") {
  Machine machine;
  machine.name = "m";
  machine.topology = "package:2 die:2 core:2 pu:1";
  CHECK(power_bound(machine).most == PowerBound{}.most);
  PowerFigures power;
  power.idle_node = Watts{100};
  power.package = Watts{20};
  power.die = Watts{5};
  power.core = Watts{10};
  machine.power = power;
  CHECK(power_bound(machine).most == Watts{2 * (100 + 40 + 20 + 80)});
  machine.frequencies.emplace();
  machine.frequencies->power = {{Hertz{3e9}, Watts{20}, Watts{30}, std::nullopt},
                                {Hertz{1e9}, Watts{2}, std::nullopt, std::nullopt}};
  CHECK(power_bound(machine).most == Watts{2 * (100 + 60 + 20 + 160)});
}

}  // namespace
}  // namespace huddle::predict
