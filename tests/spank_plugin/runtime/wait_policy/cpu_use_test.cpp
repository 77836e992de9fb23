#include "spank_plugin/runtime/wait_policy/cpu_use.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace huddle::runtime {
namespace {

namespace fs = std::filesystem;

/// Files as the kernel has them, below a folder of their own.
class FakeNode {
 public:
  FakeNode() {
    std::string name = (fs::temp_directory_path() / "huddle-cpus-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
    has("/sys/devices/system/cpu/online", "0-5,8,10-11\n");
    has("/proc/loadavg", "3.25 2.5 1.00 4/1234 99\n");
    has("/proc/stat", "cpu  500 0 250 1000 0 0 0 250 0 0\ncpu0 1 2 3\nintr 5\n");
  }
  ~FakeNode() { fs::remove_all(root_); }
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;

  void has(const std::string& path, const std::string& text) const {
    const fs::path file = root_ + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void lacks(const std::string& path) const { fs::remove(root_ + path); }
  [[nodiscard]] CpuUse use() const { return cpu_use(root_.c_str()); }

 private:
  std::string root_;
};

}  // namespace

TEST_CASE("CPUs, load and stolen time are read from the kernel's files") {
  const FakeNode node;
  const CpuUse use = node.use();
  CHECK(use.online == 900);
  CHECK(use.load_1 == 325);
  CHECK(use.load_5 == 250);
  CHECK(use.running == 300);  // but for who reads it
  CHECK(use.stolen == 125);
  CHECK(use.quota == 0);
}

TEST_CASE("a node of whose use a part can't be read is one of which nothing is known") {
  for (const char* path : {"/proc/loadavg", "/proc/stat", "/sys/devices/system/cpu/online"}) {
    const FakeNode node;
    node.lacks(path);
    CHECK(node.use().online == 0);
  }
  for (const char* text : {"", "x 1 1 1/1 1", "1 1", "1 1 1 x/1 1", "-1 1 1 1/1 1"}) {
    const FakeNode node;
    node.has("/proc/loadavg", text);
    CHECK(node.use().online == 0);
  }
  for (const char* text : {"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 0 0 0 0 0 0 0 0"}) {
    const FakeNode node;
    node.has("/proc/stat", text);
    CHECK(node.use().online == 0);
  }
  for (const char* text : {"", "x", "3-1", "0-99999999999"}) {
    const FakeNode node;
    node.has("/sys/devices/system/cpu/online", text);
    CHECK(node.use().online == 0);
  }
}

TEST_CASE("the tightest of all limits around a process counts, in version 2 of control groups") {
  const FakeNode node;
  node.has("/proc/self/cgroup", "0::/job/step\n");
  node.has("/sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  CHECK(node.use().quota == 0);
  node.has("/sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  CHECK(node.use().quota == 250);
  node.has("/sys/fs/cgroup/job/step/cpu.max", "300000 100000\n");
  CHECK(node.use().quota == 250);
  node.has("/sys/fs/cgroup/cpu.max", "100 100000\n");  // as a container sees its own
  CHECK(node.use().quota == 1);
}

TEST_CASE("limits in version 1 of control groups are read where the controller of CPUs is") {
  const FakeNode node;
  node.has("/proc/self/cgroup", "4:cpuset:/other\n3:cpu,cpuacct:/job\n1:name=systemd:/job\n");
  node.has("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  node.has("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  CHECK(node.use().quota == 0);
  node.has("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
  CHECK(node.use().quota == 150);
  node.has("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "0\n");
  CHECK(node.use().quota == 0);
}

TEST_CASE("a limit is known where the load is not") {
  const FakeNode node;
  node.lacks("/proc/loadavg");
  node.has("/proc/self/cgroup", "0::/\n");
  node.has("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(node.use().online == 0);
  CHECK(node.use().quota == 200);
}

TEST_CASE("this node says something of its own CPUs") {
  CHECK(cpu_use().online > 0);
}

}  // namespace huddle::runtime
