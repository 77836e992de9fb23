#include "profiles/hardware/attribution/energy_ledger.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

namespace huddle::power {
namespace {

std::vector<LedgerSensor> two_packages() {
  return {{"package-0", PuSet::parse("0-3")}, {"package-1", PuSet::parse("4-7")}};
}

// Both packages counted so much more in a time of one second.
class Meters {
 public:
  std::vector<SensorReading> count(double first, double second, double seconds = 1) {
    joules_[0] += first;
    joules_[1] += second;
    time_ += seconds;
    return {{Joules{joules_[0]}, Seconds{time_}, lost_}, {Joules{joules_[1]}, Seconds{time_}, {}}};
  }
  void lose(double seconds) { lost_ += Seconds{seconds}; }

 private:
  std::vector<double> joules_ = {0, 0};
  double time_ = 0;
  Seconds lost_;
};

StepPlace on(const char* pus, std::uint32_t user = 1000) {
  return {user, PuSet::parse(pus)};
}

TEST_CASE("a package that one job has alone is measured for it, idle cores included") {
  EnergyLedger ledger(two_packages());
  Meters meters;
  ledger.advance(meters.count(5, 5), {});
  ledger.begin({17, "0"}, on("0-1"), {});
  ledger.advance(meters.count(40, 7), {});
  const auto account = ledger.end({17, "0"});
  REQUIRE(account);
  CHECK(account->shares[0].measured == Joules{40});
  CHECK(account->shares[0].attributed == Joules{0});
  CHECK(account->shares[1] == EnergyShare{});
  CHECK(ledger.ledgers()[1].unattributed == Joules{7});
  CHECK(account->total().energy() == Joules{40});
}

TEST_CASE("a shared package is attributed by CPU time, and says so") {
  EnergyLedger ledger(two_packages());
  Meters meters;
  ledger.advance(meters.count(0, 0), {});
  ledger.begin({1, "0"}, on("0-1"), {Seconds{10}, {}});
  ledger.begin({2, "0"}, on("2-3"), {Seconds{0}, {}});
  CHECK(ledger.needs_work());
  ledger.advance(meters.count(40, 0),
                 {{{1, "0"}, {Seconds{13}, {}}}, {{2, "0"}, {Seconds{1}, {}}}});
  CHECK(ledger.steps().at({1, "0"}).shares[0].attributed.value == doctest::Approx(30));
  CHECK(ledger.steps().at({2, "0"}).shares[0].attributed.value == doctest::Approx(10));
  CHECK(ledger.steps().at({1, "0"}).shares[0].measured == Joules{0});
  CHECK_FALSE(ledger.steps().at({1, "0"}).shares[0].idle_known);
}

TEST_CASE("idle power is learnt without jobs, shown apart, and shared by PUs") {
  EnergyLedger ledger(two_packages());
  Meters meters;
  ledger.advance(meters.count(0, 0), {});
  for (int i = 0; i < 6; ++i) ledger.advance(meters.count(8, 8), {});
  REQUIRE(ledger.ledgers()[0].idle_power);
  CHECK(ledger.ledgers()[0].idle_power->value == doctest::Approx(8));
  ledger.begin({1, "0"}, on("0"), {Seconds{0}, {}});
  ledger.begin({2, "0"}, on("2-3"), {Seconds{0}, {}});
  ledger.advance(meters.count(28, 8), {{{1, "0"}, {Seconds{1}, {}}}, {{2, "0"}, {Seconds{1}, {}}}});
  const EnergyShare& first = ledger.steps().at({1, "0"}).shares[0];
  const EnergyShare& second = ledger.steps().at({2, "0"}).shares[0];
  CHECK(first.idle.value == doctest::Approx(2));
  CHECK(second.idle.value == doctest::Approx(4));
  CHECK(first.attributed.value == doctest::Approx(12));
  CHECK(second.attributed.value == doctest::Approx(14));
  // A quarter of the package nobody has.
  CHECK(ledger.ledgers()[0].unattributed.value == doctest::Approx(48 + 2));
}

TEST_CASE("the script of a job takes nothing while a step runs beside it") {
  EnergyLedger ledger(two_packages());
  Meters meters;
  ledger.advance(meters.count(0, 0), {});
  ledger.begin({1, "batch"}, on("0-3"), {});
  ledger.advance(meters.count(10, 0), {});
  ledger.begin({1, "0"}, on("0-3"), {});
  CHECK_FALSE(ledger.needs_work());
  ledger.advance(meters.count(20, 0), {});
  CHECK(ledger.end({1, "0"})->total().measured == Joules{20});
  ledger.advance(meters.count(5, 0), {});
  CHECK(ledger.end({1, "batch"})->total().measured == Joules{15});
}

TEST_CASE("time in which a sensor is lost is lost for the job, and is no idle power") {
  EnergyLedger ledger(two_packages());
  Meters meters;
  ledger.advance(meters.count(0, 0), {});
  ledger.begin({1, "0"}, on("0-7"), {});
  meters.lose(3);
  ledger.advance(meters.count(10, 10), {});
  const EnergyShare total = ledger.end({1, "0"})->total();
  CHECK(total.lost == Seconds{3});
  CHECK(total.measured == Joules{20});
}

TEST_CASE("another ledger goes on from what one kept, and not for other sensors") {
  EnergyLedger ledger(two_packages());
  Meters meters;
  ledger.advance(meters.count(0, 0), {});
  ledger.begin({1, "0"}, on("0-3"), {Seconds{1}, {}});
  ledger.advance(meters.count(10, 3), {});
  EnergyLedger later(two_packages());
  REQUIRE(later.go_on(ledger.kept()));
  later.advance(meters.count(10, 3), {});
  CHECK(later.end({1, "0"})->total().measured == Joules{20});
  CHECK(later.ledgers()[1].unattributed == Joules{6});
  EnergyLedger other({{"node", PuSet::parse("0-7")}});
  CHECK_FALSE(other.go_on(ledger.kept()));
}

TEST_CASE("over random schedules all jobs and what is nobody's add up to the node") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto one_in = [&](int n) { return std::uniform_int_distribution<>(1, n)(random) == 1; };
    std::uniform_real_distribution<> amount(0, 1);
    EnergyLedger ledger(two_packages());
    Meters meters;
    std::map<StepId, std::vector<Seconds>> worked;
    Joules of_ended;
    const auto end = [&](const StepId& id) {
      of_ended += ledger.end(id)->total().energy();
      worked.erase(id);
    };
    ledger.advance(meters.count(3, 4), {});
    double counted = 0;
    for (int tick = 0; tick < 300; ++tick) {
      for (auto& [id, work] : worked)
        for (Seconds& time : work) time += Seconds{amount(random)};
      const double first = 50 * amount(random);
      const double second = one_in(5) ? 0 : 30 * amount(random);
      counted += first + second;
      ledger.advance(meters.count(first, second, amount(random)), one_in(7) ? StepWork{} : worked);
      if (one_in(3)) {
        const StepId id{static_cast<std::uint32_t>(1 + random() % 6), one_in(2) ? "0" : "batch"};
        if (worked.contains(id)) {
          end(id);
        } else {
          const auto from = random() % 8;
          const auto to = from + random() % (8 - from);
          ledger.begin(id, on(one_in(6) ? "" : fmt::format("{}-{}", from, to).c_str()), {});
          worked[id] = {Seconds{0}, Seconds{0}};
        }
      }
    }
    while (!worked.empty()) end(StepId(worked.begin()->first));
    Joules node;
    Joules nobody;
    for (const SensorLedger& sensor : ledger.ledgers()) {
      node += sensor.node;
      nobody += sensor.unattributed;
    }
    CAPTURE(seed);
    CHECK(node.value == doctest::Approx(counted).epsilon(1e-9));
    CHECK((of_ended + nobody).value == doctest::Approx(counted).epsilon(1e-9));
    CHECK(nobody >= Joules{0});
  }
}

}  // namespace
}  // namespace huddle::power
