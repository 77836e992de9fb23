#include "profiles/energyd/daemon/power_observer.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiles/files/atomic_file.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

// A node of one package with two cores and one sensor.
class ObservedNode {
 public:
  ObservedNode() {
    put("sys/devices/system/cpu/online", "0-1");
    for (int pu = 0; pu < 2; ++pu) {
      const std::string topology = fmt::format("sys/devices/system/cpu/cpu{}/topology/", pu);
      put(topology + "physical_package_id", "0");
      put(topology + "core_id", fmt::format("{}", pu));
      put(topology + "thread_siblings_list", fmt::format("{}", pu));
    }
    put("proc/stat", stat());
  }

  // Time in which the first core is busy, or none is; and what the sensor reports of it.
  void pass(double seconds, bool busy, double watts) {
    now_ += std::chrono::duration_cast<power::BootClock::duration>(
        std::chrono::duration<double>(seconds));
    (busy ? busy_ : idle_) += static_cast<long>(seconds * 100);
    all_ += static_cast<long>(seconds * 100);
    put("proc/stat", stat());
    reading_.energy += Joules{watts * seconds};
    reading_.known += Seconds{seconds};
  }
  void lose(double seconds) {
    pass(seconds, false, 0);
    reading_.lost += Seconds{seconds};
  }
  void look(PowerObserver& observer, std::optional<std::uint32_t> job = {}) const {
    observer.look({&reading_, 1}, job, now_);
  }
  [[nodiscard]] PowerObserver observer() const {
    return {{folder_.path(), Seconds{1}, file()}, {"package-0"}, false};
  }
  [[nodiscard]] fs::path file() const { return folder_.path() / "observations.json"; }

 private:
  void put(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    store::put_file(path.string(), text + "\n");
  }
  [[nodiscard]] std::string stat() const {
    return fmt::format("cpu0 {} 0 0 {} 0 0 0 0 0 0\ncpu1 0 0 0 {} 0 0 0 0 0 0", busy_, idle_, all_);
  }

  store::TemporaryDirectory folder_;
  power::BootClock::time_point now_{std::chrono::seconds(1000)};
  long busy_ = 0;
  long idle_ = 0;
  long all_ = 0;
  power::SensorReading reading_;
};

constexpr Occupation kOneBusyCore{1, 1, 1, 0};

TEST_CASE("power is observed while the same cores are busy, and not while that changes") {
  ObservedNode node;
  PowerObserver observer = node.observer();
  node.look(observer);
  for (int i = 0; i < 3; ++i) {
    node.pass(3, false, 10);
    node.look(observer);
  }
  for (int i = 0; i < 4; ++i) {
    node.pass(3, true, 15);
    node.look(observer, 17);
  }
  const auto& sums = observer.observations().sums;
  REQUIRE(sums.size() == 2);
  CHECK(sums.begin()->second.time.value == doctest::Approx(6));
  CHECK(sums.begin()->second.mean().value == doctest::Approx(10));
  const auto busy = sums.find({kOneBusyCore, 1});  // 17 is in group 1
  REQUIRE(busy != sums.end());
  CHECK(busy->second.time.value == doctest::Approx(9));
  CHECK(busy->second.mean().value == doctest::Approx(15));
}

TEST_CASE(
    "looks that come too early change nothing, and those that come too late observe nothing") {
  ObservedNode node;
  PowerObserver observer = node.observer();
  node.look(observer);
  for (int i = 0; i < 30; ++i) {
    node.pass(0.5, true, 15);
    node.look(observer);
  }
  REQUIRE(observer.observations().sums.size() == 1);
  CHECK(observer.observations().sums.begin()->second.time.value == doctest::Approx(12.5));
  node.pass(600, true, 15);
  node.look(observer);
  CHECK(observer.observations().sums.begin()->second.time.value == doctest::Approx(12.5));
}

TEST_CASE("time of which energy is lost is not observed") {
  ObservedNode node;
  PowerObserver observer = node.observer();
  node.look(observer);
  for (int i = 0; i < 5; ++i) {
    node.lose(3);
    node.look(observer);
  }
  CHECK(observer.observations().sums.empty());
}

TEST_CASE("a later observer goes on, unless the file is of another node or broken") {
  ObservedNode node;
  {
    PowerObserver observer = node.observer();
    node.look(observer);
    observer.save();
    CHECK_FALSE(fs::exists(node.file()));
    for (int i = 0; i < 3; ++i) {
      node.pass(3, true, 15);
      node.look(observer);
    }
    observer.save();
  }
  CHECK(node.observer().observations().sums.size() == 1);
  PowerObservations other = load_power_observations(node.file());
  other.sensors = {"package-1"};
  store::put_file(node.file().string(), to_json(other));
  CHECK(node.observer().observations().sums.empty());
  store::put_file(node.file().string(), "{");
  PowerObserver broken = node.observer();
  CHECK(broken.trouble().find("observations.json") != std::string::npos);
  for (int i = 0; i < 4; ++i) {
    node.pass(3, true, 15);
    node.look(broken);
  }
  broken.save();
  CHECK(files::read_file(node.file(), 10) == "{");
}

}  // namespace
}  // namespace huddle::energyd
