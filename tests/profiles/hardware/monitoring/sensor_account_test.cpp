#include "profiles/hardware/monitoring/sensor_account.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace huddle::power {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kAccountRange = 65'532'610'987;  // uJ

Sensor counter() {
  Sensor sensor;
  sensor.name = "package-0";
  sensor.unit = 1e-6;
  sensor.range = kAccountRange;
  sensor.most_watts = 10'000;
  return sensor;
}

Sensor power_sensor() {
  Sensor sensor = counter();
  sensor.quantity = Quantity::kPower;
  sensor.range = 0;
  return sensor;
}

BootClock::time_point at(double seconds) {
  return BootClock::time_point(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
}

TEST_CASE("a count is exact to its unit across a thousand beginnings anew") {
  SensorAccount account(counter());
  std::mt19937_64 random(1);
  std::uint64_t truth = 12345;
  double now = 0;
  account.add(at(now), truth % kAccountRange);
  const std::uint64_t first = truth;
  while (truth / kAccountRange < 1000) {
    truth += 1 + random() % (kAccountRange / 3);
    now += 60;  // 65 s at 1 kW until it begins anew
    account.add(at(now), truth % kAccountRange);
  }
  const SensorTotals totals = account.totals();
  CHECK(totals.energy.value == static_cast<double>(truth - first) * 1e-6);
  CHECK(totals.lost == Seconds{0});
  CHECK(totals.known.value == doctest::Approx(now));
  CHECK(totals.whole_energy() == totals.energy);
}

TEST_CASE(
    "where a count may have begun anew unseen its energy is lost, and counting begins again") {
  SensorAccount account(counter());
  account.add(at(0), 1'000'000);
  account.add(at(10), 101'000'000);
  account.add(at(80), 201'000'000);  // 70 s: at 1 kW it would have been at 0 after 65 s
  account.add(at(90), 301'000'000);
  const SensorTotals totals = account.totals();
  CHECK(totals.energy.value == doctest::Approx(200));
  CHECK(totals.known == Seconds{20});
  CHECK(totals.lost == Seconds{70});
  CHECK(totals.losses == 1);
  CHECK_FALSE(totals.whole_energy());
  CHECK(totals.mean()->value == doctest::Approx(10));
}

TEST_CASE("a limit that the driver says makes the longest gap longer") {
  Sensor sensor = counter();
  sensor.sustained_watts = 500;
  SensorAccount account(sensor);
  account.add(at(0), 0);
  account.add(at(100), 100);
  CHECK(account.totals().lost == Seconds{0});
}

TEST_CASE("power is integrated by trapezoids, within 1 % on square waves of ten samples and more") {
  std::mt19937_64 random(2);
  for (const int samples : {10, 25, 100}) {
    CAPTURE(samples);
    SensorAccount account(power_sensor());
    std::uniform_real_distribution<double> late(0, 0.02);
    const double half = samples * 0.1;
    double last = 0;
    double truth = 0;
    const auto watts = [&](double time) { return std::fmod(time, 2 * half) < half ? 200.0 : 50.0; };
    const auto joules = [&](double time) {
      const double rest = std::fmod(time, 2 * half);
      return std::floor(time / (2 * half)) * half * 250 + std::min(rest, half) * 200 +
             std::max(rest - half, 0.0) * 50;
    };
    double first = -1;
    for (int i = 0; i < 40 * samples; ++i) {
      last = 0.1 * i + late(random);
      if (first < 0) first = last;
      account.add(at(last), static_cast<std::uint64_t>(watts(last) * 1e6));
    }
    truth = joules(last) - joules(first);
    CHECK(account.totals().energy.value == doctest::Approx(truth).epsilon(0.01));
    CHECK(account.totals().least->value == doctest::Approx(50));
    CHECK(account.totals().most->value == doctest::Approx(200));
  }
}

TEST_CASE("power that was not told for long is lost") {
  SensorAccount account(power_sensor());
  account.add(at(0), 100'000'000);
  account.add(at(1), 100'000'000);
  account.add(at(11), 100'000'000);
  account.add(at(12), 100'000'000);
  CHECK(account.totals().energy.value == doctest::Approx(200));
  CHECK(account.totals().lost == Seconds{10});
}

TEST_CASE("a counter that fails and can be read again in time has lost nothing") {
  SensorAccount account(counter());
  account.add(at(0), 0);
  account.fail(at(1), "can't be read: Input/output error");
  CHECK(account.totals().trouble == "can't be read: Input/output error");
  CHECK_FALSE(account.totals().whole_energy());
  account.add(at(2), 20'000'000);
  CHECK(account.totals().trouble.empty());
  CHECK(account.totals().energy.value == doctest::Approx(20));
  CHECK(account.totals().lost == Seconds{0});
}

TEST_CASE("a counter that vanished may have begun anew: what it took meanwhile is lost") {
  SensorAccount account(counter());
  account.add(at(0), 50'000'000'000);
  account.lose(at(30), "vanished");
  account.add(at(60), 1'000'000);
  account.add(at(61), 2'000'000);
  CHECK(account.totals().energy.value == doctest::Approx(1));
  CHECK(account.totals().lost == Seconds{60});
  CHECK(account.totals().losses == 1);
}

TEST_CASE("values that can't be are named, and what they span is lost") {
  SensorAccount account(counter());
  account.add(at(0), 1'000'000);
  account.add(at(1), kAccountRange + 1);
  CHECK(account.totals().trouble == "shows 65532610988, more than its own range of 65532610987");
  account.add(at(2), 2'000'000);
  account.add(at(3), 60'000'000'000);
  CHECK(account.totals().trouble == "jumped: 29999 W on average can't be");
  CHECK(account.totals().energy == Joules{0});
  CHECK(account.totals().lost == Seconds{3});

  SensorAccount power(power_sensor());
  power.add(at(0), 0xffffffff);
  CHECK(power.totals().trouble == "shows 0xffffffff");
  power.add(at(1), 20'000'000'000);
  CHECK(power.totals().trouble == "shows 20000 W, which can't be");

  Sensor endless = counter();
  endless.range = 0;
  SensorAccount backwards(endless);
  backwards.add(at(0), 10);
  backwards.add(at(1), 9);
  CHECK(backwards.totals().trouble == "went backwards");
}

TEST_CASE("a counter that stands still tells nothing from when it stopped") {
  SensorAccount account(counter());
  account.add(at(0), 0);
  for (int second = 1; second <= 5; ++second)
    account.add(at(second), static_cast<std::uint64_t>(second) * 10'000'000);
  for (int second = 6; second <= 10; ++second) account.add(at(second), 50'000'000);
  CHECK(account.totals().trouble == "has not moved for 5 s");
  CHECK(account.totals().known == Seconds{5});
  CHECK(account.totals().lost == Seconds{5});
  CHECK_FALSE(account.power());
  CHECK(account.totals().least == Watts{10});
  // Its next value may hold all of that time's energy or nothing.
  account.add(at(11), 90'000'000);
  account.add(at(12), 100'000'000);
  CHECK(account.totals().trouble.empty());
  CHECK(account.totals().energy.value == doctest::Approx(60));
  CHECK(account.totals().known == Seconds{6});
  CHECK(account.totals().lost == Seconds{6});
}

TEST_CASE("a coarse counter of little power does not stand still between its steps") {
  Sensor coarse = counter();
  coarse.unit = 1;
  coarse.range = 0;
  SensorAccount account(coarse);
  for (int second = 0; second <= 40; ++second)
    account.add(at(second), static_cast<std::uint64_t>(second / 5));  // 0.2 W
  CHECK(account.totals().lost == Seconds{0});
  CHECK(account.totals().energy == Joules{8});
}

TEST_CASE("least and most power are not over less time than a counter's steps allow") {
  Sensor coarse = counter();
  coarse.unit = 1;  // J, as Cray has it
  coarse.range = 0;
  coarse.refresh = Seconds{0.1};
  SensorAccount account(coarse);
  for (int i = 0; i <= 100; ++i)
    account.add(at(0.05 * i), static_cast<std::uint64_t>(0.05 * i * 100 / 5) * 5);  // 100 W
  CHECK(account.totals().least->value == doctest::Approx(100).epsilon(0.06));
  CHECK(account.totals().most->value == doctest::Approx(100).epsilon(0.06));
}

TEST_CASE("all of the time is known or lost, whatever happens") {
  std::mt19937_64 random(3);
  for (int run = 0; run < 200; ++run) {
    SensorAccount account(run % 2 == 0 ? counter() : power_sensor());
    double now = 0;
    std::uint64_t count = 0;
    account.add(at(now), count);
    for (int i = 0; i < 200; ++i) {
      now += static_cast<double>(random() % 1000) * (random() % 50 == 0 ? 0.1 : 0.001);
      count = (count + random() % 40'000'000) % kAccountRange;
      const auto what = random() % 20;
      if (what == 0)
        account.fail(at(now), "no");
      else if (what == 1)
        account.lose(at(now), "gone");
      else if (what == 2)
        account.add(at(now), kAccountRange + 5'000'000'000'000);
      else
        account.add(at(now), what < 5 ? count / 1000 * 1000 : count);
    }
    account.add(at(now), count);  // so that a failure is over
    const SensorTotals totals = account.totals();
    CHECK(totals.known.value + totals.lost.value == doctest::Approx(now));
    CHECK(totals.known >= Seconds{0});
    CHECK(totals.energy >= Joules{0});
  }
}

}  // namespace
}  // namespace huddle::power
