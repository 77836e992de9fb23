#include "profiles/hardware/processors/physical_cores.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::hardware {
namespace {

namespace fs = std::filesystem;

// A /sys of the test's own.
struct Sysfs {
  void put(const std::string& file, const std::string& content) const {
    const fs::path path = root.path() / "devices/system/cpu" / file;
    fs::create_directories(path.parent_path());
    store::put_file(path, content + "\n");
  }
  void put_core(std::uint32_t pu, std::uint32_t package, const std::string& core) const {
    put(fmt::format("cpu{}/topology/physical_package_id", pu), std::to_string(package));
    put(fmt::format("cpu{}/topology/core_cpus_list", pu), core);
  }
  void put_cache(std::uint32_t pu, int level, const std::string& shared_by) const {
    const std::string cache = fmt::format("cpu{}/cache/index{}/", pu, level);
    put(cache + "level", std::to_string(level));
    put(cache + "type", level == 1 ? "Instruction" : "Unified");
    put(cache + "shared_cpu_list", shared_by);
  }
  [[nodiscard]] std::vector<PhysicalCore> cores() const { return physical_cores(root.path()); }
  store::TemporaryDirectory root;
};

std::string dies_of(const std::vector<PhysicalCore>& cores) {
  std::string text;
  for (const PhysicalCore& core : cores)
    text += fmt::format("{}/{}:{} ", core.package, core.die, core.pus.list());
  return text;
}

TEST_CASE("L3 groups that split packages are dies, and the PUs of a core are one core") {
  const Sysfs sysfs;  // 2 packages x 2 L3 groups x 2 cores x 2 PUs, siblings far apart
  sysfs.put("online", "0-15");
  for (std::uint32_t pu = 0; pu < 16; ++pu) {
    const std::uint32_t core = pu % 8;
    const std::uint32_t first = core / 2 * 2;
    sysfs.put_core(pu, core / 4, fmt::format("{},{}", core, core + 8));
    for (const int level : {0, 1, 2})
      sysfs.put_cache(pu, level, fmt::format("{},{}", core, core + 8));
    sysfs.put_cache(pu, 3, fmt::format("{}-{},{}-{}", first, first + 1, first + 8, first + 9));
  }
  sysfs.put("../node/node0/cpulist", "0-3,8-11");
  sysfs.put("../node/node1/cpulist", "4-7,12-15");
  const auto cores = sysfs.cores();
  CHECK(dies_of(cores) == "0/0:0,8 0/0:1,9 0/1:2,10 0/1:3,11 1/2:4,12 1/2:5,13 1/3:6,14 1/3:7,15 ");
  CHECK(cores[3].numa_node == 0);
  CHECK(cores[4].numa_node == 1);
}

TEST_CASE("the kernel's dies come before caches") {
  const Sysfs sysfs;
  sysfs.put("online", "0-3");
  for (std::uint32_t pu = 0; pu < 4; ++pu) {
    sysfs.put_core(pu, 0, std::to_string(pu));
    sysfs.put(fmt::format("cpu{}/topology/die_id", pu), std::to_string(pu / 2));
    sysfs.put_cache(pu, 0, std::to_string(pu));
  }
  CHECK(dies_of(sysfs.cores()) == "0/0:0 0/0:1 0/1:2 0/1:3 ");
}

TEST_CASE("caches of one core each split nothing: the package is the die") {
  const Sysfs sysfs;
  sysfs.put("online", "0-1");
  for (std::uint32_t pu = 0; pu < 2; ++pu) {
    sysfs.put_core(pu, 0, std::to_string(pu));
    sysfs.put(fmt::format("cpu{}/topology/die_id", pu), "-1");
    sysfs.put_cache(pu, 0, std::to_string(pu));
    sysfs.put(fmt::format("cpu{}/cache/index0/level", pu), "2");
  }
  CHECK(dies_of(sysfs.cores()) == "0/0:0 0/0:1 ");
}

TEST_CASE("where no cache splits a package, its NUMA nodes are dies") {
  const Sysfs sysfs;
  sysfs.put("online", "0-3");
  for (std::uint32_t pu = 0; pu < 4; ++pu) sysfs.put_core(pu, 0, std::to_string(pu));
  sysfs.put("../node/node0/cpulist", "0-1");
  sysfs.put("../node/node1/cpulist", "2-3");
  CHECK(dies_of(sysfs.cores()) == "0/0:0 0/0:1 0/1:2 0/1:3 ");
}

TEST_CASE("on a hybrid processor the small cores that share an L2 are a die, and each big one") {
  const Sysfs sysfs;  // two big cores of two PUs, four small ones
  sysfs.put("online", "0-7");
  for (std::uint32_t pu = 0; pu < 8; ++pu) {
    const std::string core =
        pu < 4 ? fmt::format("{}-{}", pu / 2 * 2, pu / 2 * 2 + 1) : std::to_string(pu);
    sysfs.put_core(pu, 0, core);
    sysfs.put_cache(pu, 0, core);
    sysfs.put(fmt::format("cpu{}/cache/index0/level", pu), "2");
    sysfs.put(fmt::format("cpu{}/cache/index0/shared_cpu_list", pu), pu < 4 ? core : "4-7");
  }
  CHECK(dies_of(sysfs.cores()) == "0/0:0-1 0/1:2-3 0/2:4 0/2:5 0/2:6 0/2:7 ");
}

TEST_CASE("PUs that are offline are none, and older kernels' names are known") {
  const Sysfs sysfs;
  sysfs.put("online", "0,2");
  for (const std::uint32_t pu : {0U, 2U}) {
    sysfs.put(fmt::format("cpu{}/topology/physical_package_id", pu), "0");
    sysfs.put(fmt::format("cpu{}/topology/thread_siblings_list", pu), std::to_string(pu));
  }
  CHECK(dies_of(sysfs.cores()) == "0/0:0 0/0:2 ");
}

TEST_CASE("where Linux does not report enough there are no cores") {
  const Sysfs empty;
  CHECK(empty.cores().empty());
  const Sysfs half;
  half.put("online", "0-1");
  half.put_core(0, 0, "0");
  CHECK(half.cores().empty());
  const Sysfs broken;
  broken.put("online", "none");
  CHECK(broken.cores().empty());
}

TEST_CASE("this machine has cores") {
  CHECK_FALSE(physical_cores().empty());
}

}  // namespace
}  // namespace huddle::hardware
