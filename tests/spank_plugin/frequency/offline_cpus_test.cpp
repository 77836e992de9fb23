#include "spank_plugin/frequency/offline_cpus.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

struct Node {
  TemporaryDirectory scratch;

  Node(const char* present, const char* online, const char* smt) {
    const auto root = scratch.path() / "devices/system/cpu";
    std::filesystem::create_directories(root / "smt");
    if (*present != '\0') std::ofstream(root / "present") << present << '\n';
    std::ofstream(root / "online") << online << '\n';
    if (*smt != '\0') std::ofstream(root / "smt/control") << smt << '\n';
  }
  [[nodiscard]] std::string why() const { return why_cores_have_other_numbers(scratch.path()); }
};

TEST_CASE("cores that are switched off change the numbers of those behind them") {
  CHECK(Node("0-7", "0-2,4-7", "notsupported").why() ==
        "CPUs 3 are switched off, so cores may have other numbers than Slurm's");
  CHECK_FALSE(Node("0-7", "0-2,4-7", "").why().empty());
  CHECK_FALSE(Node("0-7", "0-3", "on").why().empty());
  CHECK_FALSE(Node("0-7", "0-2", "off").why().empty());
}

TEST_CASE("a node with all CPUs, or without the second thread of each core, has Slurm's numbers") {
  CHECK(Node("0-7", "0-7", "on").why().empty());
  CHECK(Node("0-7", "0-7", "").why().empty());
  CHECK(Node("0-7", "0-3", "off").why().empty());
  CHECK(Node("0-7", "0-3", "forceoff").why().empty());
  CHECK(Node("0-31", "0,8,16,24", "notimplemented").why().empty());
  CHECK(Node("", "0-7", "").why().empty());
}

}  // namespace
}  // namespace huddle
