#include "spank_plugin/frequency/core_numbers.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::frequency {
namespace {

std::string pus(const std::vector<hardware::PhysicalCore>& cores, const char* list) {
  std::string text;
  for (const PuSet& core : pus_of_slurms_cores(cores, list)) text += core.list() + " ";
  return text;
}

hardware::PhysicalCore core(std::uint32_t package, std::uint32_t die, std::uint32_t numa,
                            const char* list) {
  return {package, die, numa, PuSet::parse(list)};
}

TEST_CASE("cores that are numbered package by package") {
  const std::vector<hardware::PhysicalCore> cores = {core(0, 0, 0, "0"), core(0, 0, 0, "1"),
                                                     core(1, 1, 1, "2"), core(1, 1, 1, "3")};
  CHECK(pus(cores, "0,2-3") == "0 2 3 ");
  CHECK(pus(cores, "").empty());
}

TEST_CASE("threads of a core that are far apart") {
  const std::vector<hardware::PhysicalCore> cores = {core(0, 0, 0, "0,4"), core(0, 0, 0, "1,5"),
                                                     core(1, 1, 1, "2,6"), core(1, 1, 1, "3,7")};
  CHECK(pus(cores, "1-2") == "1,5 2,6 ");
}

TEST_CASE("packages whose PUs are interleaved") {
  const std::vector<hardware::PhysicalCore> cores = {core(0, 0, 0, "0,4"), core(1, 1, 1, "1,5"),
                                                     core(0, 0, 0, "2,6"), core(1, 1, 1, "3,7")};
  CHECK(pus(cores, "0-1") == "0,4 2,6 ");
  CHECK(pus(cores, "2-3") == "1,5 3,7 ");
}

TEST_CASE("the second package may come first, and dies be interleaved") {
  const std::vector<hardware::PhysicalCore> cores = {core(1, 2, 1, "0"), core(1, 3, 1, "1"),
                                                     core(1, 2, 1, "2"), core(1, 3, 1, "3"),
                                                     core(0, 0, 0, "4"), core(0, 1, 0, "5")};
  CHECK(pus(cores, "0-5") == "0 2 1 3 4 5 ");
}

TEST_CASE("a core that the node lacks, or no list, is an error") {
  const std::vector<hardware::PhysicalCore> cores = {core(0, 0, 0, "0")};
  CHECK_THROWS_WITH_AS(pus(cores, "0-1"), doctest::Contains("core 1"), Error);
  CHECK_THROWS_AS(pus({}, "0"), Error);
  CHECK_THROWS_AS(pus(cores, "x"), Error);
}

struct NumberedNode {
  store::TemporaryDirectory scratch;

  NumberedNode(const char* present, const char* online, const char* smt) {
    const auto root = scratch.path() / "devices/system/cpu";
    std::filesystem::create_directories(root / "smt");
    if (*present != '\0') std::ofstream(root / "present") << present << '\n';
    std::ofstream(root / "online") << online << '\n';
    if (*smt != '\0') std::ofstream(root / "smt/control") << smt << '\n';
  }
  [[nodiscard]] std::string why() const { return why_cores_have_other_numbers(scratch.path()); }
};

TEST_CASE("cores that are switched off change the numbers of those behind them") {
  CHECK(NumberedNode("0-7", "0-2,4-7", "notsupported").why() ==
        "CPUs 3 are switched off, so cores may have other numbers than Slurm's");
  CHECK_FALSE(NumberedNode("0-7", "0-2,4-7", "").why().empty());
  CHECK_FALSE(NumberedNode("0-7", "0-3", "on").why().empty());
  CHECK_FALSE(NumberedNode("0-7", "0-2", "off").why().empty());
}

TEST_CASE("a node with all CPUs, or without the second thread of each core, has Slurm's numbers") {
  CHECK(NumberedNode("0-7", "0-7", "on").why().empty());
  CHECK(NumberedNode("0-7", "0-7", "").why().empty());
  CHECK(NumberedNode("0-7", "0-3", "off").why().empty());
  CHECK(NumberedNode("0-7", "0-3", "forceoff").why().empty());
  CHECK(NumberedNode("0-31", "0,8,16,24", "notimplemented").why().empty());
  CHECK(NumberedNode("", "0-7", "").why().empty());
}

}  // namespace
}  // namespace huddle::frequency
