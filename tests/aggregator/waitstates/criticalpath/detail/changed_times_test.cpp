#include "aggregator/waitstates/criticalpath/detail/changed_times.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

// A thousand ticks a second: the transition takes 3 of them.
PowerStates three_states() {
  PowerStates power;
  power.machine = "three";
  power.states = {{"2 GHz", 10, 4, 0, 0, 2e9},
                  {"1 GHz", 6, 3, 0.003, 0.5, 1e9},
                  {"500 MHz", 4, 2, 0.003, 0.5, 5e8}};
  return power;
}

// Two ranks that compute 10, 20 and 30 ticks in "main/a", "main/b" and "main/a" before calls of 5.
ActivityLog three_computations() {
  LogBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    builder.call(rank, 10, 15, "main/a");
    builder.call(rank, 35, 40, "main/b");
    builder.call(rank, 70, 75, "main/a");
    builder.span(rank, 0, 75);
  }
  return builder.build();
}

// The slack that power states are chosen by: one factor for each rank.
SlackReport slack_of_ranks(const std::vector<double>& stretches) {
  SlackReport slack;
  for (const double stretch : stretches) slack.ranks.push_back({60, stretch});
  return slack;
}

TEST_CASE("without a change computation takes what was measured, at the first power state") {
  const ActivityLog log = three_computations();
  const ChangedTimes times(log, three_states());
  for (std::uint64_t activity = 0; activity < 3; ++activity) {
    CHECK(times.ticks(0, activity, 17) == 17);
    CHECK(times.speed(0, activity) == ChangedTimes::Speed{});
    CHECK_FALSE(times.switches(0, activity));
  }
  CHECK(times.states_by_slack().empty());
}

TEST_CASE("a transition is paid for where the state differs from the computation before") {
  const ActivityLog log = three_computations();
  const ChangedTimes times(log, parse_what_if("b[1]@1GHz"), three_states(), nullptr);
  const std::uint64_t first = log.first_of(1);
  CHECK(times.ticks(1, first, 10) == 10);
  CHECK(times.switches(1, first + 1));
  CHECK(times.ticks(1, first + 1, 20) == 2 * 20 + 3);
  CHECK(times.switches(1, first + 2));  // back to the first state, whose transition is free
  CHECK(times.ticks(1, first + 2, 30) == 30);
  CHECK_FALSE(times.switches(0, 1));  // the other rank's computation is as it was
  CHECK(times.ticks(0, 1, 20) == 20);
}

TEST_CASE("a rank's first computation finds its state set") {
  const ActivityLog log = three_computations();
  const ChangedTimes times(log, parse_what_if("*@500MHz"), three_states(), nullptr);
  CHECK_FALSE(times.switches(0, log.first_of(0)));
  CHECK(times.ticks(0, log.first_of(0), 10) == 40);
  CHECK_FALSE(times.switches(0, 1));
}

TEST_CASE("the part that waits for memory does not depend on the frequency") {
  const ActivityLog log = three_computations();
  const auto ticks = [&](const char* text) {
    return ChangedTimes(log, parse_what_if(text), three_states(), nullptr).ticks(0, 0, 100);
  };
  CHECK(ticks("*@1GHz,memory=0%") == 200);
  CHECK(ticks("*@1GHz,memory=25%") == 175);  // 25 + 75 x 2
  CHECK(ticks("*@1GHz,memory=100%") == 100);
  CHECK(ticks("*@x0") == 0);
}

TEST_CASE("by slack a rank gets the lowest frequency whose stretch is within its own") {
  const ActivityLog log = three_computations();
  const auto states = [&](double first, double second) {
    const SlackReport slack = slack_of_ranks({first, second});
    return ChangedTimes(log, parse_what_if("slack"), three_states(), &slack).states_by_slack();
  };
  using States = std::vector<std::uint32_t>;
  CHECK(states(1, 1) == States{0, 0});
  CHECK(states(1.999, 2) == States{0, 1});
  CHECK(states(3.9, 4) == States{1, 2});
  CHECK(states(2 * (1 - 1e-10), std::numeric_limits<double>::infinity()) == States{1, 2});
}

TEST_CASE("a faster state and one without a frequency are nobody's by slack") {
  const ActivityLog log = three_computations();
  PowerStates power = three_states();
  power.states[1].name = "3 GHz";
  power.states[2].name = "turbo";
  const SlackReport slack = slack_of_ranks({8, 8});
  CHECK(ChangedTimes(log, parse_what_if("slack"), power, &slack).states_by_slack() ==
        std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("slack of other ranks than the log's, and states without frequencies, are refused") {
  const ActivityLog log = three_computations();
  const SlackReport slack = slack_of_ranks({2, 2, 2});
  const auto refusal = [&](const PowerStates& power, const SlackReport* of) {
    return error_of<UsageError>([&] { ChangedTimes(log, parse_what_if("slack"), power, of); });
  };
  CHECK(refusal(three_states(), &slack) ==
        "what if \"slack\": the slack of the ranks is not known");
  CHECK(refusal(three_states(), nullptr) ==
        "what if \"slack\": the slack of the ranks is not known");
  PowerStates nameless = three_states();
  nameless.states[0].name = "P0";
  const SlackReport of_two = slack_of_ranks({2, 2});
  CHECK(refusal(nameless, &of_two) ==
        "what if \"slack\": the first power state does not say its frequency");
}

TEST_CASE("a pattern of many stars is matched in little time") {
  const std::string name(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  CHECK(fits_pattern(name, pattern + "*"));
  CHECK_FALSE(fits_pattern(name, pattern + "*b"));
}

}  // namespace
}  // namespace huddle::waitstates
