#include "profiles/hardware/observation/core_activity.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::power {
namespace {

// Two packages of two dies of two cores of two PUs; PU n + 8 is the second one of PU n's core.
class FakeCores {
 public:
  FakeCores() {
    put("sys/devices/system/cpu/online", "0-15");
    for (std::uint32_t pu = 0; pu < kPus; ++pu) {
      const std::string cpu = fmt::format("sys/devices/system/cpu/cpu{}/", pu);
      const std::uint32_t core = pu % 8;
      put(cpu + "topology/physical_package_id", fmt::format("{}", core / 4));
      put(cpu + "topology/die_id", fmt::format("{}", core / 2 % 2));
      put(cpu + "topology/core_id", fmt::format("{}", core % 4));
      put(cpu + "topology/thread_siblings_list", fmt::format("{},{}", core, core + 8));
      set_clock(pu, 2400000);
    }
    count();
  }

  // Lets 100 ticks pass, of which `busy` are busy on a PU, and none on the others.
  void pass(std::initializer_list<std::pair<std::uint32_t, std::uint64_t>> busy) {
    for (Ticks& ticks : ticks_) ticks.idle += 100;
    for (const auto& [pu, share] : busy) {
      ticks_.at(pu).busy += share;
      ticks_.at(pu).idle -= share;
    }
    count();
  }
  void set_clock(std::uint32_t pu, std::uint64_t khz) const {
    put(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", pu),
        fmt::format("{}", khz));
  }
  [[nodiscard]] std::filesystem::path root() const { return folder_.path(); }

 private:
  static constexpr std::uint32_t kPus = 16;
  struct Ticks {
    std::uint64_t busy = 1000;
    std::uint64_t idle = 5000;
  };

  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    store::put_file(path.string(), text + "\n");
  }
  void count() const {
    std::string text = "cpu  1 2 3 4 5 6 7 8 9 10\n";
    for (std::uint32_t pu = 0; pu < kPus; ++pu)
      text += fmt::format("cpu{} {} 10 10 {} 77 0 0 0 999 0\n", pu, ticks_.at(pu).busy,
                          ticks_.at(pu).idle);
    put("proc/stat", text + "intr 12345 0 0");
  }

  store::TemporaryDirectory folder_;
  std::array<Ticks, kPus> ticks_;
};

TEST_CASE("busy cores are counted once, with their dies, packages and clock") {
  FakeCores node;
  CoreActivity activity(node.root());
  CHECK(activity.whole() == Occupation{2, 4, 8, 0});
  CHECK_FALSE(activity.look());
  node.pass({{0, 100}, {8, 100}, {1, 99}, {14, 100}});
  CHECK(activity.look() == Occupation{2, 2, 3, 2400});
  node.pass({{0, 4}});
  CHECK(activity.look() == Occupation{0, 0, 0, 0});
  for (std::uint32_t pu = 0; pu < 16; ++pu) node.set_clock(pu, 1216000);
  node.pass({{2, 100}});
  CHECK(activity.look() == Occupation{1, 1, 1, 1200});
}

TEST_CASE("a core that was busy for a part of the time can't be said to be so or not") {
  FakeCores node;
  CoreActivity activity(node.root());
  CHECK_FALSE(activity.look());
  node.pass({{0, 100}, {3, 50}});
  CHECK_FALSE(activity.look());
  node.pass({{0, 100}, {3, 100}});
  CHECK(activity.look() == Occupation{1, 2, 2, 2400});
}

TEST_CASE("cores of different clocks have no clock in common, and where none is known it is 0") {
  FakeCores node;
  CoreActivity activity(node.root());
  CHECK_FALSE(activity.look());
  node.set_clock(1, 1200000);
  node.pass({{0, 100}, {1, 100}});
  CHECK_FALSE(activity.look());
  std::filesystem::remove_all(node.root() / "sys/devices/system/cpu/cpu0/cpufreq");
  node.pass({{0, 100}});
  CHECK(activity.look() == Occupation{1, 1, 1, 0});
}

TEST_CASE("without counts of a PU, or with counts that fell, the occupation is not known") {
  FakeCores node;
  CoreActivity activity(node.root());
  CHECK_FALSE(activity.look());
  std::filesystem::remove(node.root() / "proc/stat");
  CHECK_FALSE(activity.look());
  store::put_file((node.root() / "proc/stat").string(),
                  "cpu0 nonsense\ncpu-1 1\ncpu99999999 1 1\ncpu");
  CHECK_FALSE(activity.look());
  node.pass({});
  CHECK_FALSE(activity.look());
  node.pass({});
  CHECK(activity.look());
}

TEST_CASE("a node whose cores are not known has no occupation") {
  const store::TemporaryDirectory empty;
  CoreActivity activity(empty.path());
  CHECK_FALSE(activity.look());
  CHECK_FALSE(activity.look());
}

}  // namespace
}  // namespace huddle::power
