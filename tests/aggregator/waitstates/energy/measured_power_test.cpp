#include "aggregator/waitstates/energy/measured_power.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/found_waits.hpp"

namespace huddle::waitstates {
namespace {

// Two ranks on n0 and one on n1, with a clock of 1,000 ticks a second.
traces::TraceDefinitions three_ranks() {
  traces::TraceDefinitions definitions;
  definitions.ticks_per_second = 1000;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    definitions.ranks.push_back({"", rank < 2 ? "n0" : "n1", {rank}});
    definitions.locations.push_back({"", rank, 0, 0});
  }
  return definitions;
}

// A trace that knows what its nodes drew.
struct PoweredTrace : MemoryTrace {
  using MemoryTrace::MemoryTrace;
  std::vector<traces::TracePower> drawn;
  bool damaged = false;
  std::vector<traces::TracePower> power() override {
    if (damaged) throw FormatError("t", "byte 1", "nonsense", "power");
    return drawn;
  }
};

// Rank 1 waits from 100 to 500 for rank 0, both on n0.
PoweredTrace late_sender() {
  PoweredTrace trace(2);
  for (traces::TraceRank& rank : trace.all.ranks) rank.node = "n0";
  trace.call(0, 500, 510, "MPI_Send", {sent(1)});
  trace.call(1, 100, 520, "MPI_Recv", {received(0)});
  return trace;
}

}  // namespace

TEST_CASE("a thread has its share of what all sensors of its node showed") {
  const traces::TraceDefinitions definitions = three_ranks();
  const MeasuredPower power({{"n0", "package-0", 0, {{0, 0}, {1000, 100}, {3000, 50}}},
                             {"n0", "package-1", 0, {{500, 0}, {4000, 20}}}},
                            definitions);
  CHECK(power.of(definitions, 2) == nullptr);
  const NodePower* const node = power.of(definitions, 1);
  REQUIRE(node != nullptr);
  CHECK(node == power.of(definitions, 0));
  CHECK(node->described() == MeasuredNode{"n0", {"package-0", "package-1"}, 80, 500, 3000, 5});
  // Half of a second at 100 W and one at 50 W, and 1.5 s at 20 W, by two threads.
  const NodePower::Share share = node->share(500, 2000);
  CHECK(share.joules == doctest::Approx((50 + 50 + 30) / 2.0));
  CHECK(share.known_ticks == 1500);
  CHECK(node->share(0, 600).known_ticks == 100);
  CHECK(node->share(2900, 9000).known_ticks == 100);
  CHECK(node->share(4000, 5000).known_ticks == 0);
  CHECK(node->share(1000, 1000).joules == 0);
}

TEST_CASE("power that says nothing of a node's threads is as none") {
  const traces::TraceDefinitions definitions = three_ranks();
  const auto is_measured = [&](const std::vector<traces::TracePower>& power) {
    return MeasuredPower(power, definitions).of(definitions, 0) != nullptr;
  };
  CHECK(is_measured({{"n0", "a", 0, {{0, 1}, {10, 1}}}}));
  CHECK_FALSE(is_measured({}));
  CHECK_FALSE(is_measured({{"n0", "a", 0, {{0, 1}}}}));
  CHECK_FALSE(is_measured({{"n7", "a", 0, {{0, 1}, {10, 1}}}}));
  CHECK_FALSE(is_measured({{"", "a", 0, {{0, 1}, {10, 1}}}}));
  CHECK_FALSE(is_measured({{"n0", "a", 0, {{0, 1}, {10, 1}}}, {"n0", "b", 0, {{10, 1}, {20, 1}}}}));
  CHECK_FALSE(is_measured({{"n0", "a", 0, {{5, 1}, {5, 1}}}}));
}

TEST_CASE("what waiting took is measured where the trace has its node's power") {
  PoweredTrace trace = late_sender();
  const std::int64_t assumed = report_of(trace).waits.at(0).energy.spent_nj;
  CHECK(assumed == 4000);  // 400 ns of 10 W
  trace.drawn = {{"n0", "node", 0, {{0, 0}, {1000, 60}}}};
  const WaitReport report = report_of(trace);
  CHECK(report.waits.at(0).energy.spent_nj == 400 * 60 / 2);
  // Idle, a core takes 4 W of 10 W.
  CHECK(report.waits.at(0).energy.saving_nj == 400 * 30 * 6 / 10);
  CHECK(report.waits.at(0).energy.winners == report_of(trace).waits.at(0).energy.winners);
  REQUIRE(report.measured.size() == 1);
  CHECK(report.measured[0].node == "n0");
  CHECK(report.measured[0].mean_w == doctest::Approx(60));
}

TEST_CASE(
    "a node that draws less than the machine's idle power saves a share of it, never less than "
    "nothing") {
  PoweredTrace trace = late_sender();
  trace.drawn = {{"n0", "node", 0, {{0, 0}, {1000, 2}}}};
  const WaitEnergy energy = report_of(trace).waits.at(0).energy;
  CHECK(energy.spent_nj == 400);
  CHECK(energy.saving_nj == 240);
}

TEST_CASE("before and after its samples a node's power is assumed") {
  PoweredTrace trace = late_sender();
  trace.drawn = {{"n0", "node", 0, {{200, 0}, {300, 60}}}};
  CHECK(report_of(trace).waits.at(0).energy.spent_nj == 100 * 30 + 300 * 10);
}

TEST_CASE("power that can't be read costs a remark") {
  PoweredTrace trace = late_sender();
  trace.damaged = true;
  const WaitReport report = report_of(trace);
  CHECK(report.waits.at(0).energy.spent_nj == 4000);
  CHECK(report.measured.empty());
  REQUIRE(report.remarks.size() == 1);
  CHECK(report.remarks[0].find("power can't be read, and is assumed") != std::string::npos);
}

}  // namespace huddle::waitstates
