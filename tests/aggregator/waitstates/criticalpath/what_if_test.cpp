#include "aggregator/waitstates/criticalpath/what_if.hpp"

#include <doctest/doctest.h>

#include <string>

#include "aggregator/waitstates/criticalpath/detail/changed_times.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

// A thousand ticks a second.
PowerStates two_states() {
  PowerStates power;
  power.machine = "two";
  power.states = {{"2 GHz", 10, 4, 0, 0, 2e9}, {"1 GHz", 6, 3, 0.002, 0.5, 1e9}};
  return power;
}

// Rank 0 solves for 40 and prints for 10, rank 1 solves for 100; then they meet, which takes 5.
LogBuilder unequal() {
  LogBuilder builder(2);
  builder.call(0, 40, 40, "main/solve", "main/MPI_Pcontrol");
  builder.call(0, 50, 105, "main/print", "main/MPI_Barrier");
  builder.call(1, 100, 105, "main/solve/inner", "main/MPI_Barrier");
  builder.barrier({{0, 1}, {1, 0}});
  builder.span(0, 0, 105);
  builder.span(1, 0, 105);
  return builder;
}

std::string refusal(std::string_view text) {
  try {
    parse_what_if(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("what-ifs are read from text") {
  CHECK(parse_what_if("slack").by_slack);
  const WhatIf one = parse_what_if("solve*@1.2GHz");
  REQUIRE(one.changes.size() == 1);
  CHECK(one.changes[0] == Change{"solve*", {}, Hertz{1.2e9}, 1, 0});
  const WhatIf two = parse_what_if(" *[0-3,8]@1.2 GHz,memory=30% ; operator[](int)@x1.5");
  REQUIRE(two.changes.size() == 2);
  CHECK(two.changes[0].ranks->list() == "0-3,8");
  CHECK(two.changes[0].memory_share == doctest::Approx(0.3));
  CHECK(two.changes[1] == Change{"operator[](int)", {}, {}, 1.5, 0});
}

TEST_CASE("texts that are no what-ifs are refused with what may be there") {
  CHECK(refusal("solve").find("is not of the form REGIONS@FREQUENCY; expected is \"slack\"") !=
        std::string::npos);
  for (const char* text :
       {"", "@1GHz", "a@", "a@fast", "a@x", "a@x-1", "a@xnan", "a@x1e9", "a[1-]@1GHz", "a[]@1GHz",
        "a@1GHz,memory=130%", "a@1GHz,cache=3%", "a@x2,memory=10%", "a@1GHz;", "a@1GHz,"}) {
    CAPTURE(text);
    CHECK(refusal(text).starts_with("what if \""));
  }
}

TEST_CASE("patterns of names have * and ?") {
  CHECK(fits_pattern("solve", "solve"));
  CHECK(fits_pattern("solve_all", "solve*"));
  CHECK(fits_pattern("solve", "*"));
  CHECK(fits_pattern("", "*"));
  CHECK(fits_pattern("halo3", "halo?"));
  CHECK(fits_pattern("abcabd", "*ab?"));
  CHECK_FALSE(fits_pattern("solve", "solv"));
  CHECK_FALSE(fits_pattern("solve", "?solve"));
  CHECK_FALSE(fits_pattern("", "?"));
}

TEST_CASE("computation at a lower frequency takes longer, and waiting less") {
  const ActivityLog log = unequal().build();
  const WhatIfReport report = what_if(log, parse_what_if("solve[0]@1GHz"), two_states(), nullptr);
  CHECK(report.measured_run_time == 105);
  CHECK(report.unchanged.run_time == 105);
  CHECK(report.unchanged.ranks[0] == ReplayedRank{50, 5, 50, 0});
  CHECK(report.touched == 40);
  CHECK(report.changed.run_time == 105);
  // 80 of solving and 10 of printing, for which the clock goes up again.
  CHECK(report.changed.ranks[0] == ReplayedRank{90, 5, 10, 0});
  CHECK(report.changed.ranks[1] == report.unchanged.ranks[1]);
  // Before, busy: 2 x 105 ms at 10 W. Idle: rank 0 waits for 50 ms at 4 W.
  CHECK(report.unchanged.energy == ReplayedEnergy{2'100'000'000, 1'800'000'000});
  // 80 ms at 6 W, 10 + 10 + 5 ms and rank 1's 105 ms at 10 W.
  CHECK(report.changed.energy == ReplayedEnergy{1'780'000'000, 1'720'000'000});
}

TEST_CASE("going down to a state and back takes its transition's time and energy") {
  const ActivityLog log = unequal().build();
  const WhatIfReport report = what_if(log, parse_what_if("print@1GHz"), two_states(), nullptr);
  CHECK(report.changed.ranks[0] == ReplayedRank{40 + 20 + 2, 5, 38, 0});
  // 40 + 5 ms at 10 W; 22 + 38 ms at 6 W; 0.5 J; rank 1's 105 ms at 10 W.
  CHECK(report.changed.energy.busy_nj == 450'000'000LL + 360'000'000 + 500'000'000 + 1'050'000'000);
}

TEST_CASE("regions count with all that is called in them, and of two changes the last one") {
  const ActivityLog log = unequal().build();
  CHECK(what_if(log, parse_what_if("solve@1GHz"), two_states(), nullptr).changed.run_time == 205);
  CHECK(what_if(log, parse_what_if("solve@1GHz;inner@x0.5"), two_states(), nullptr)
            .changed.run_time == 50 + 45);
  CHECK(what_if(log, parse_what_if("*@1GHz"), two_states(), nullptr).changed.run_time == 205);
  CHECK(what_if(log, parse_what_if("*@1GHz,memory=50%"), two_states(), nullptr).changed.run_time ==
        155);
  CHECK(what_if(log, parse_what_if("nobody@1GHz"), two_states(), nullptr).touched == 0);
}

TEST_CASE("frequencies that the machine does not have are refused with those it has") {
  const ActivityLog log = unequal().build();
  const auto said = [&](const PowerStates& power, const char* text) -> std::string {
    try {
      what_if(log, parse_what_if(text), power, nullptr);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(said(two_states(), "*@1.5GHz") ==
        "what if at 1.5 GHz: there is no such power state; there are 2 GHz, 1 GHz");
  PowerStates nameless = two_states();
  for (PowerState& state : nameless.states) state = {"P", 10, 4, 0, 0, 0};
  CHECK(said(nameless, "*@1.5GHz").find("name a factor") != std::string::npos);
  CHECK(said(two_states(), "slack").find("slack of the ranks is not known") != std::string::npos);
}

TEST_CASE("by slack each rank gets the lowest frequency that it can have") {
  const ActivityLog log = unequal().build();
  const SlackReport slack = slack_of(log);
  const WhatIfReport report = what_if(log, parse_what_if("slack"), two_states(), &slack);
  CHECK(report.changed.states == std::vector<std::uint32_t>{1, 0});
  CHECK(report.changed.run_time == 105);
  CHECK(report.changed.ranks[0] == ReplayedRank{100, 5, 0, 0});
  // 100 ms at 6 W and 5 ms in MPI at 10 W.
  CHECK(report.changed.energy.busy_nj == 650'000'000 + 1'050'000'000);
}

TEST_CASE(
    "a run that is nearly all in MPI saves nearly nothing, whatever clock its ranks could have") {
  LogBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    builder.call(rank, 0, 700, "main", "main/MPI_Init");
    builder.call(rank, 701 + rank, 1000, "main/solve", "main/MPI_Alltoall");
    builder.span(rank, 0, 1000);
  }
  const ActivityLog log = builder.build();
  const SlackReport slack = slack_of(log);
  const WhatIfReport report = what_if(log, parse_what_if("*@1GHz"), two_states(), &slack);
  CHECK(report.unchanged.ranks[0] == ReplayedRank{1, 299, 0, 0, 700});
  CHECK(report.unchanged.set_up == 700);
  // 300 ms of each rank at 10 W, with MPI_Init in no figure; then 2 and 4 ms of them at 6 W.
  CHECK(report.unchanged.energy.busy_nj == 6'000'000'000);
  CHECK(report.changed.energy.busy_nj >= 5'980'000'000);
}

TEST_CASE("each rank's time is computation, transfer, waiting and what is outside of its run") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomProgram program(2 + seed % 5, 80, seed);
    const WhatIfReport report =
        what_if(program.log(), parse_what_if("inner@1GHz;output[1]@x3"), two_states(), nullptr);
    for (const WhatIfOutcome* outcome : {&report.unchanged, &report.changed})
      for (const ReplayedRank& rank : outcome->ranks)
        CHECK(rank.computation + rank.transfer + rank.waiting + rank.outside + rank.set_up ==
              outcome->run_time);
    CHECK(report.changed.energy.idle_nj <= report.changed.energy.busy_nj);
  }
}

}  // namespace
}  // namespace huddle::waitstates
