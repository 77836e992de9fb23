#include "aggregator/waitstates/criticalpath/run_study.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::waitstates {
namespace {

struct Analysed {
  Analysed() {
    report.ticks_per_second = 100;
    report.locations.resize(3);
    report.locations[0].end = 1000;
    report.locations[1].thread = 1;  // of rank 0
    report.locations[1].end = 900;
    report.locations[2].rank = 1;
    report.locations[2].begin = 100;
    report.locations[2].end = 1000;
    report.waits = {{WaitPattern::kLateSender, 1, 0, 1, 50, 50, {}},
                    {WaitPattern::kLateSender, 2, 0, 1, 30, 30, {}},
                    {WaitPattern::kWaitAtOpenmpBarrier, 3, 0, 1, 5, 5, {}},
                    {WaitPattern::kWaitAtOpenmpBarrier, 3, 1, 1, 10, 10, {}}};
    slack.ranks = {{600, 1.5}, {800, 1}};
    slack.run_time = 1000;
    slack.stretched_run_time = 1002;
  }
  WaitReport report;
  SlackReport slack;
};

TEST_CASE("a profile gets the findings of a trace, in seconds and by rank") {
  const Analysed analysed;
  const Profile before = run_of(2, 1);
  Profile profile = with_wait_states(before, analysed.report, analysed.slack);
  REQUIRE(profile.wait_states);
  CHECK(*profile.wait_states ==
        WaitSummary{"trace",
                    {10},
                    {10.02},
                    {{{10}, {6}, {3}}, {{9}, {8}, {0}}},
                    {{"late_sender", {{0.8}, {0}}}, {"wait_at_openmp_barrier", {{0.15}, {0}}}}});
  profile.wait_states.reset();
  CHECK(profile == before);
}

TEST_CASE("a trace of other ranks, or half a profile, is refused") {
  const Analysed analysed;
  const auto refusal = [&](const Profile& profile) -> std::string {
    try {
      with_wait_states(profile, analysed.report, analysed.slack);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(run_of(3, 1)).find("is of 3 ranks, the trace of 2") != std::string::npos);
  Profile cut = run_of(2, 1);
  cut.complete = false;
  cut.cut_short_reason = "MPI_Abort";
  CHECK(refusal(cut).find("cut short (MPI_Abort)") != std::string::npos);
}

}  // namespace
}  // namespace huddle::waitstates
