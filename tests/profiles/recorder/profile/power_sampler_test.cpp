#include "profiles/recorder/profile/power_sampler.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "profiles/recorder/process/clocks.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A node of one package, whose counter of energy a test sets.
class SampledNode {
 public:
  SampledNode() {
    put("sys/devices/system/cpu/online", "0");
    put("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    put("sys/class/powercap/intel-rapl:0/name", "package-0");
    put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850");
    count(0);
  }
  void count(double joules) const {
    put("sys/class/powercap/intel-rapl:0/energy_uj", fmt::format("{}", std::llround(joules * 1e6)));
  }
  [[nodiscard]] PowerSampler::Options options() const {
    PowerSampler::Options options;
    options.root = folder_.path();
    options.period = Seconds{0.02};
    return options;
  }

 private:
  // Appears whole, as in a kernel.
  void put(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path.string() + ".new") << text << "\n";
    fs::rename(path.string() + ".new", path);
  }
  store::TemporaryDirectory folder_;
};

double joules_in(const RecordedPower& power, double ticks_per_second) {
  double joules = 0;
  for (std::size_t i = 1; i < power.ticks.size(); ++i)
    joules += power.watts[i] * static_cast<double>(power.ticks[i] - power.ticks[i - 1]) /
              ticks_per_second;
  return joules;
}

double boot_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The ticks of a second here.
double rate_of_ticks() {
  const Moment begin = Moment::now();
  std::this_thread::sleep_for(1s);
  const Moment end = Moment::now();
  return static_cast<double>(end.ticks - begin.ticks) * 1e9 /
         static_cast<double>(end.nanoseconds - begin.nanoseconds);
}

energyd::EnergyAnswer answer_at(double as_of, double joules) {
  energyd::EnergyAnswer answer;
  answer.as_of = Seconds{as_of};
  power::EnergyShare share;
  share.measured = Joules{joules};
  answer.steps.push_back({{17, "0"}, 1000, true, {{"package-0", share}}});
  return answer;
}

}  // namespace

TEST_CASE("samples of a node's sensor add up to what it counted, on the ticks of its reading") {
  const SampledNode node;
  const std::uint64_t begin = TickClock::now();
  const auto sampler = PowerSampler::begin(node.options());
  REQUIRE(sampler);
  for (int i = 1; i <= 10; ++i) {
    std::this_thread::sleep_for(25ms);
    node.count(i * 0.5);
  }
  sampler->end();
  const std::uint64_t end = TickClock::now();
  const std::vector<RecordedPower> power = sampler->recorded();
  REQUIRE(power.size() == 1);
  CHECK(power[0].sensor == "package-0");
  REQUIRE(power[0].ticks.size() == power[0].watts.size());
  CHECK(power[0].ticks.size() > 5);
  CHECK(power[0].ticks.front() >= begin);
  CHECK(power[0].ticks.back() <= end);
  CHECK(std::is_sorted(power[0].ticks.begin(), power[0].ticks.end()));
  // The length of a tick depends on two readings of two clocks, which others may come between.
  CHECK(joules_in(power[0], rate_of_ticks()) == doctest::Approx(5).epsilon(0.03));
  node.count(100);
  std::this_thread::sleep_for(50ms);
  CHECK(sampler->recorded() == power);
}

TEST_CASE("a sensor that vanishes has samples up to then") {
  const SampledNode node;
  const auto sampler = PowerSampler::begin(node.options());
  REQUIRE(sampler);
  std::this_thread::sleep_for(100ms);
  fs::remove_all(node.options().root / "sys/class/powercap");
  std::this_thread::sleep_for(100ms);
  const std::size_t samples = sampler->recorded().at(0).ticks.size();
  CHECK(samples >= 1);
  sampler->end();
  CHECK(sampler->recorded().at(0).ticks.size() == samples);
}

TEST_CASE(
    "in a job the daemon is asked, since other jobs may share the node, and sensors are read if "
    "there is none") {
  const SampledNode node;
  PowerSampler::Options options = node.options();
  options.job = {17, 0};
  options.ask = [] {
    energyd::EnergyAnswer answer = answer_at(boot_seconds(), 100);
    answer.steps[0].shares[0].first = "of the job";
    return answer;
  };
  CHECK(PowerSampler::begin(options)->recorded().at(0).sensor == "of the job");
  options.ask = []() -> energyd::EnergyAnswer { throw Error("there is no daemon"); };
  CHECK(PowerSampler::begin(options)->recorded().at(0).sensor == "package-0");
}

TEST_CASE(
    "without sensors that can be read, and without a daemon that knows the job, there is no "
    "power") {
  const store::TemporaryDirectory empty;
  PowerSampler::Options options;
  options.root = empty.path();
  CHECK_FALSE(PowerSampler::begin(options));
  options.job = {17, 0};
  options.ask = []() -> energyd::EnergyAnswer { throw Error("there is no daemon"); };
  CHECK_FALSE(PowerSampler::begin(options));
  options.ask = [] {
    energyd::EnergyAnswer answer;
    answer.refusal = "no job 17 of yours";
    return answer;
  };
  CHECK_FALSE(PowerSampler::begin(options));
}

TEST_CASE("a job's power is what it took from answer to answer, at their times") {
  const store::TemporaryDirectory empty;
  PowerSampler::Options options;
  options.root = empty.path();
  const double ticks_per_second = rate_of_ticks();
  options.job = {17, 0};
  // 40 W, as of half a second ago.
  const double begun = boot_seconds();
  options.ask = [&] {
    const double now = boot_seconds() - 0.5;
    return answer_at(now, 100 + 40 * (now - begun));
  };
  const std::uint64_t begin = TickClock::now();
  const auto sampler = PowerSampler::begin(options);
  REQUIRE(sampler);
  std::this_thread::sleep_for(1100ms);
  sampler->end();
  const RecordedPower power = sampler->recorded().at(0);
  CHECK(power.sensor == "package-0");
  REQUIRE(power.ticks.size() >= 3);
  for (const double watts : power.watts) CHECK(watts == doctest::Approx(40));
  const double early = static_cast<double>(begin) - static_cast<double>(power.ticks.front());
  CHECK(early / ticks_per_second == doctest::Approx(0.5).epsilon(0.05));
}

TEST_CASE("where the daemon has lost something, a job's samples end") {
  const store::TemporaryDirectory empty;
  PowerSampler::Options options;
  options.root = empty.path();
  options.job = {17, 0};
  int asked = 0;
  options.ask = [&] {
    energyd::EnergyAnswer answer = answer_at(boot_seconds(), 100);
    if (++asked > 1) answer.steps[0].shares[0].second.lost = Seconds{1};
    return answer;
  };
  const auto sampler = PowerSampler::begin(options);
  REQUIRE(sampler);
  sampler->end();
  CHECK(sampler->recorded().at(0).ticks.size() == 1);
}

TEST_CASE("a million samples become half as many, of the same energy") {
  RecordedPower power;
  double joules = 0;
  for (std::uint64_t i = 0; i <= 1'000'000; ++i) {
    const double watts = static_cast<double>(i % 7);
    add_sample(power, 10 * i, watts);
    if (i > 0) joules += watts * 10;
  }
  CHECK(power.ticks.size() < 600'000);
  CHECK(power.ticks.size() == power.watts.size());
  CHECK(power.ticks.front() == 0);
  CHECK(power.ticks.back() == 10'000'000);
  CHECK(joules_in(power, 1) == doctest::Approx(joules));
}

}  // namespace huddle::recorder
