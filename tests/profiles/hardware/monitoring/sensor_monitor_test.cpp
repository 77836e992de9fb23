#include "profiles/hardware/monitoring/sensor_monitor.hpp"

#include <doctest/doctest.h>
#include <errno.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "profiles/hardware/power/sensor.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A /sys of the test's own, whose package draws power.
struct Node {
  Node() {
    put("intel-rapl:0/name", "package-0");
    put("intel-rapl:0/max_energy_range_uj", "262143328850");
    count(0);
  }
  void put(const std::string& file, const std::string& content) const {
    const fs::path path = root.path() / "class/powercap" / file;
    fs::create_directories(path.parent_path());
    // Renamed into place: nobody reads an empty file.
    store::put_file(path.string() + ".new", content + "\n");
    fs::rename(path.string() + ".new", path);
  }
  void count(std::uint64_t microjoules) const {
    put("intel-rapl:0/energy_uj", std::to_string(microjoules));
  }
  [[nodiscard]] MonitorOptions options(double period = 0.02) const {
    MonitorOptions options;
    options.period = {period};
    options.sysfs = root.path();
    return options;
  }
  store::TemporaryDirectory root;
};

// Waits until something is so, for 10 s at most.
template <class Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

SensorState only_state(const SensorMonitor& monitor) {
  const std::vector<SensorState> states = monitor.states();
  REQUIRE(states.size() == 1);
  return states.front();
}

TEST_CASE("energy is what a counter counted while it was watched") {
  const Node node;
  const SensorMonitor monitor(find_sensors(node.root.path()), node.options());
  for (int i = 1; i <= 20; ++i) {
    std::this_thread::sleep_for(20ms);
    node.count(static_cast<std::uint64_t>(i) * 1'000'000);
  }
  CHECK(comes_true([&] { return only_state(monitor).totals.energy == Joules{20}; }));
  CHECK(only_state(monitor).totals.known > Seconds{0.3});
  CHECK(only_state(monitor).totals.lost == Seconds{0});
}

TEST_CASE("a sensor that fails is named with the reason, and goes on when it works again") {
  const Node node;
  const SensorMonitor monitor(find_sensors(node.root.path()), node.options());
  CHECK(comes_true([&] { return only_state(monitor).totals.known > Seconds{0}; }));
  node.put("intel-rapl:0/energy_uj", "nonsense");
  CHECK(comes_true(
      [&] { return only_state(monitor).totals.trouble == "does not begin with a whole number"; }));
  node.count(5'000'000);
  CHECK(comes_true([&] { return only_state(monitor).totals.trouble.empty(); }));
  CHECK(only_state(monitor).totals.energy == Joules{5});
}

TEST_CASE("a sensor that vanishes is named, and found again under another number") {
  const Node node;
  const SensorMonitor monitor(find_sensors(node.root.path()), node.options());
  CHECK(comes_true([&] { return only_state(monitor).totals.known > Seconds{0}; }));
  fs::remove_all(node.root.path() / "class/powercap/intel-rapl:0");
  CHECK(comes_true([&] { return only_state(monitor).totals.trouble == "vanished"; }));
  node.put("intel-rapl:7/name", "package-0");
  node.put("intel-rapl:7/energy_uj", "77");
  CHECK(comes_true([&] { return only_state(monitor).totals.trouble.empty(); }));
  CHECK(only_state(monitor).sensor.file.find("intel-rapl:7") != std::string::npos);
  CHECK(only_state(monitor).totals.lost > Seconds{0});
}

// Blocks from its second read on, as long as the flag is set.
class BlockingFile final : public SensorFile {
 public:
  explicit BlockingFile(std::shared_ptr<std::atomic<bool>> blocks) : blocks_(std::move(blocks)) {}
  long read(char* buffer, std::size_t size) noexcept override {
    while (reads_++ > 0 && *blocks_) std::this_thread::sleep_for(10ms);
    const std::string text = std::to_string(reads_ * 1000) + "\n";
    std::memcpy(buffer, text.data(), std::min(size, text.size()));
    return static_cast<long>(std::min(size, text.size()));
  }

 private:
  std::shared_ptr<std::atomic<bool>> blocks_;
  int reads_ = 0;
};

TEST_CASE("a sensor that blocks is named, and does not hold up the others") {
  Node node;
  node.put("intel-rapl:1/name", "package-1");
  node.put("intel-rapl:1/energy_uj", "1");
  const auto blocks = std::make_shared<std::atomic<bool>>(true);
  MonitorOptions options = node.options(0.1);
  options.open = [&](const Sensor& sensor) -> std::unique_ptr<SensorFile> {
    if (sensor.name == "package-1") return std::make_unique<BlockingFile>(blocks);
    return kept_file(sensor.file);
  };
  {
    const SensorMonitor monitor(find_sensors(node.root.path()), options);
    std::uint64_t count = 0;
    CHECK(comes_true([&] {
      node.count(count += 1'000'000);
      return monitor.states()[1].totals.trouble.starts_with("has been blocked for ");
    }));
    const Seconds before = monitor.states()[0].totals.known;
    CHECK(before > Seconds{1.5});
    CHECK(monitor.states()[0].totals.trouble.empty());
    *blocks = false;
    CHECK(comes_true([&] { return monitor.states()[1].totals.trouble.empty(); }));
    *blocks = true;
    std::this_thread::sleep_for(150ms);
  }  // does not wait for it
  *blocks = false;
}

TEST_CASE("a sensor that is the same as another one is not watched") {
  const Node node;
  node.put("intel-rapl-mmio:0/name", "package-0");
  node.put("intel-rapl-mmio:0/energy_uj", "1");
  const SensorMonitor monitor(find_sensors(node.root.path()), node.options());
  CHECK(monitor.states().size() == 1);
}

TEST_CASE("a file that is replaced is read anew, and one that is gone is no file") {
  const store::TemporaryDirectory folder;
  const std::string path = folder.path() / "energy_uj";
  store::put_file(path, "1\n");
  const auto file = kept_file(path);
  char text[8] = {};
  CHECK(file->read(text, sizeof text) == 2);
  store::put_file(folder.path() / "new", "23\n");
  fs::rename(folder.path() / "new", path);
  CHECK(file->read(text, sizeof text) == 3);
  CHECK(std::string_view(text, 3) == "23\n");
  fs::remove(path);
  CHECK(file->read(text, sizeof text) == -ENOENT);
}

}  // namespace
}  // namespace huddle::power
