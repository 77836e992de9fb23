#include "profiles/balancing/rank_balancer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace huddle::balancing {
namespace {

const std::vector<Hertz> kClocks = {{1.2e9}, {1.5e9}, {1.8e9}, {2.1e9}, {2.4e9}};

/// Ranks that compute, and then wait for the last.
class Program {
 public:
  explicit Program(std::size_t ranks, BalanceSettings settings = {})
      : balancers_(ranks, RankBalancer(ClockSteps(kClocks), settings)) {}

  /// `load` gives seconds at the top clock.
  void run(int periods, const std::function<double(std::size_t rank)>& load) {
    for (int period = 0; period < periods; ++period) {
      std::vector<double> times;
      for (std::size_t rank = 0; rank < balancers_.size(); ++rank)
        times.push_back(load(rank) * (kClocks.back() / clock(rank)));
      const double length = *std::max_element(times.begin(), times.end()) + besides;
      for (std::size_t rank = 0; rank < balancers_.size(); ++rank)
        balancers_[rank].period_ended({{times[rank]}, {length}, clock(rank)});
      if (last_)
        for (RankBalancer& balancer : balancers_) balancer.agreed(*last_);
      BalanceReport report = balancers_[0].report();
      for (const RankBalancer& balancer : balancers_) report.combine(balancer.report());
      if (broken_rank) report.maxima[BalanceReport::kBroken] = 1;
      last_ = report;
      time += length;
    }
  }

  [[nodiscard]] Hertz clock(std::size_t rank) const { return balancers_[rank].clock(); }
  [[nodiscard]] const BalanceStatus& status(std::size_t rank = 0) const {
    return balancers_[rank].status();
  }
  [[nodiscard]] const RankBalancer& balancer(std::size_t rank) const { return balancers_[rank]; }
  [[nodiscard]] bool all_at_top() const {
    return std::all_of(balancers_.begin(), balancers_.end(), [](const RankBalancer& balancer) {
      return balancer.clock() == kClocks.back();
    });
  }

  double time = 0;
  double besides = 0.01;
  bool broken_rank = false;

 private:
  std::vector<RankBalancer> balancers_;
  std::optional<BalanceReport> last_;
};

double uneven(std::size_t rank) {
  return rank == 0 ? 1.0 : 0.6;
}

}  // namespace

TEST_CASE("clocks follow loads within two balance points, and stay") {
  Program program(4);
  program.run(16, uneven);
  CHECK(program.status().points == 2);
  CHECK(program.clock(0) == Hertz{2.4e9});
  for (const std::size_t rank : {1U, 2U, 3U}) CHECK(program.clock(rank) == Hertz{1.5e9});
  CHECK(program.status().imbalance == doctest::Approx(1 / 0.6).epsilon(0.3));
  program.run(100, uneven);
  CHECK(program.clock(1) == Hertz{1.5e9});
  CHECK(program.time == doctest::Approx(116 * 1.01));
  CHECK(program.status().rest == BalanceRest::kNone);
}

TEST_CASE(
    "until something is known everybody has the top clock, and where nothing can be gained, too") {
  Program program(4);
  program.run(3, uneven);
  CHECK(program.all_at_top());
  Program even(4);
  for (int i = 0; i < 100; ++i) {
    even.run(1, [](std::size_t) { return 1.0; });
    CHECK(even.all_at_top());
  }
  CHECK(even.balancer(1).lease().value == 0);
}

TEST_CASE("a lowered rank whose work grows raises its clock by itself, at the end of that period") {
  Program program(4);
  program.run(30, uneven);
  REQUIRE(program.clock(3) < Hertz{2.4e9});
  program.run(1, [](std::size_t rank) { return rank == 3 ? 0.9 : uneven(rank); });
  CHECK(program.clock(3) == Hertz{2.4e9});
  CHECK(program.clock(2) < Hertz{2.4e9});
}

TEST_CASE("a lease lasts a little longer than a period does") {
  Program program(4);
  program.run(30, uneven);
  CHECK(program.balancer(0).lease().value == 0);
  CHECK(program.balancer(1).lease().value > 1.01);
  CHECK(program.balancer(1).lease().value < 1.2);
}

TEST_CASE("where the critical rank's work shrinks, all clocks go to the top three periods later") {
  Program program(4);
  program.run(30, uneven);
  const auto shrunk = [](std::size_t rank) { return rank == 0 ? 0.3 : 0.6; };
  program.run(3, shrunk);
  CHECK(program.all_at_top());
  CHECK(program.status().rest == BalanceRest::kMeasuring);
}

TEST_CASE("clocks that cost more than the bound twice go to the top for good, with a reason") {
  Program program(4);
  program.run(30, uneven);
  for (int period = 0; period < 300 && program.status().rest != BalanceRest::kBroken; ++period) {
    // The network's clock hangs on those of the cores.
    program.besides = program.all_at_top() ? 0.01 : 0.2;
    program.run(1, uneven);
  }
  CHECK(program.status().rest == BalanceRest::kBroken);
  CHECK(program.status().overruns == 2);
  CHECK(program.all_at_top());
  program.run(200, uneven);
  CHECK(program.all_at_top());
  CHECK(text_of(program.status().rest) == "the clocks cost more time than they may, twice");
  CHECK(name_of(program.status().rest) == "broken");
}

TEST_CASE("each rest has a name of its own, and what is no name is none") {
  std::set<std::string_view> names;
  for (int rest = 0; rest <= static_cast<int>(BalanceRest::kStopped); ++rest) {
    const std::string_view name = name_of(static_cast<BalanceRest>(rest));
    CHECK(balance_rest_of(name) == static_cast<BalanceRest>(rest));
    CHECK(names.insert(name).second);
  }
  CHECK_FALSE(balance_rest_of("asleep"));
}

TEST_CASE("periods that grow by more than the work does count as a cost of the clocks") {
  Program program(4);
  program.run(30, uneven);
  REQUIRE_FALSE(program.all_at_top());
  program.besides = 0.2;  // messages are slower at lower clocks
  program.run(12, uneven);
  CHECK(program.status().overruns == 1);
  CHECK(program.status().rest == BalanceRest::kCost);
  CHECK(program.all_at_top());
}

TEST_CASE("a program that takes work from slowed ranks is left alone") {
  Program program(4);
  // Every third iteration it moves a fifth of the difference from the rank that took longest to the
  // one that took least: it would balance itself, but for clocks that hide the imbalance.
  std::vector<double> loads = {1.0, 0.6, 0.6, 0.6};
  for (int period = 0; period < 1000; ++period) {
    std::vector<double> times;
    for (std::size_t rank = 0; rank < 4; ++rank)
      times.push_back(loads[rank] * (kClocks.back() / program.clock(rank)));
    program.run(1, [&](std::size_t rank) { return loads[rank]; });
    if (period % 3 != 2) continue;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    const double moved = 0.2 * (*most - *least);
    loads[static_cast<std::size_t>(most - times.begin())] -= moved;
    loads[static_cast<std::size_t>(least - times.begin())] += moved;
  }
  CHECK(program.all_at_top());
  CHECK(*std::max_element(loads.begin(), loads.end()) < 0.8);
}

TEST_CASE("a rank that can't go on stops all") {
  Program program(4);
  program.run(30, uneven);
  program.broken_rank = true;
  program.run(2, uneven);
  CHECK(program.all_at_top());
  CHECK(program.status().rest == BalanceRest::kStopped);
}

TEST_CASE(
    "an imbalance beyond the clocks is said at the first balance point, and clocks are still low") {
  Program program(4);
  const auto far = [](std::size_t rank) { return rank == 0 ? 1.0 : 0.3; };
  program.run(6, far);
  CHECK(program.status().beyond_clocks);
  CHECK(program.clock(1) == Hertz{1.2e9});
  program.run(60, far);
  CHECK(program.clock(1) == Hertz{1.2e9});
  CHECK(program.time == doctest::Approx(66 * 1.01));
}

TEST_CASE("after work was moved loads are measured anew, at the top clock") {
  Program program(2);
  program.run(30, uneven);
  RankBalancer moved = program.balancer(1);
  REQUIRE(moved.clock() < Hertz{2.4e9});
  moved.work_was_moved();
  CHECK(moved.clock() == Hertz{2.4e9});
  CHECK(moved.status().rest == BalanceRest::kMeasuring);
}

TEST_CASE("periods without work or without a clock do no harm") {
  Program program(3);
  program.run(50, [](std::size_t) { return 0.0; });
  CHECK(program.all_at_top());
  RankBalancer balancer(ClockSteps(kClocks), {});
  balancer.period_ended({{1}, {1}, {0}});
  balancer.agreed(balancer.report());
  CHECK(balancer.clock() == Hertz{2.4e9});
}

}  // namespace huddle::balancing
