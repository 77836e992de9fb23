#include "commgraph/topology/node_topology.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "profiles/vocabulary/error.hpp"
#include "tests/commgraph/captured_output.hpp"

namespace huddle::commgraph {
namespace {

std::string fixture(const std::string& shape) {
  std::ifstream file(std::string(HUDDLE_FIXTURES "/topology/") + shape + ".xml");
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string shape_of(const NodeTopology& node) {
  return std::to_string(node.packages) + ":" + std::to_string(node.dies_per_package) + ":" +
         std::to_string(node.cores_per_die) + " " + std::string(name_of(node.die_level));
}

std::string shape_of(const std::string& text) {
  return shape_of(load_topology(text));
}

TEST_CASE("a die is a Die, else what shares an L3, an L2 or a NUMA node, else the package") {
  CHECK(shape_of("package:2 die:2 core:2 pu:1") == "2:2:2 Die");
  CHECK(shape_of("pack:2 die:2 l3:2 core:2 pu:1") == "2:2:4 Die");
  CHECK(shape_of("pack:2 l3:8 core:4 pu:2") == "2:8:4 L3");
  CHECK(shape_of("pack:2 l3:1 l2:2 core:2 pu:1") == "2:2:2 L2");
  CHECK(shape_of("pack:2 die:1 l3:1 l2:3 core:2 pu:1") == "2:3:2 L2");
  CHECK(shape_of("pack:2 l2:2 core:2 pu:1") == "2:2:2 L2");
  CHECK(shape_of("package:1 numa:4 core:4 pu:2") == "1:4:4 NUMA");
  CHECK(shape_of("numa:2 pu:3") == "1:2:3 NUMA");
  CHECK(shape_of("pack:1 core:4 pu:1") == "1:1:4 package");
}

TEST_CASE("NUMA nodes that hold several dies each are a level between packages and dies") {
  CHECK(load_topology("package:2 numa:4 l3:2 core:8 pu:2").numa_per_package == 4);
  CHECK(load_topology("package:2 numa:4 l3:2 core:8 pu:2").dies_per_numa() == 2);
  CHECK(load_topology("package:1 numa:4 l2:9 core:2 pu:4").numa_per_package == 4);
  CHECK(load_topology(fixture("package2-numa2-l3x2-core3-pu2")).numa_per_package == 2);
}

TEST_CASE("NUMA nodes are no level where each is one die or one package") {
  CHECK(load_topology("package:2 numa:2 l3:1 core:4 pu:1").numa_per_package == 0);
  CHECK(load_topology("package:2 numa:1 l3:2 core:4 pu:1").numa_per_package == 0);
  CHECK(load_topology("package:1 numa:4 core:4 pu:2").numa_per_package == 0);
  CHECK(load_topology("numa:2 package:2 l3:2 core:4 pu:1").numa_per_package == 0);
  CHECK(load_topology("package:2 l3:2 core:4 pu:1").dies_per_numa() == 2);
}

TEST_CASE("a second kind of memory near the same cores is no NUMA level of its own") {
  CHECK(load_topology("package:2 group:2 [numa] [numa] l3:2 core:4 pu:1").numa_per_package == 2);
  CHECK(load_topology("package:2 [numa] [numa] l3:2 core:4 pu:1").numa_per_package == 0);
  CHECK(shape_of("package:1 [numa] [numa] core:4 pu:1") == "1:1:4 package");
}

TEST_CASE("a cache that serves a single core splits nothing") {
  CHECK(shape_of("pack:2 l3:1 l2:6 core:1 pu:2") == "2:1:6 package");
}

TEST_CASE("XML of the same machines reads like their synthetic descriptions") {
  CHECK(shape_of(fixture("package2-die2-core2-pu1")) == "2:2:2 Die");
  CHECK(shape_of(fixture("package2-l2x2-core2-pu1")) == "2:2:2 L2");
  CHECK(shape_of(fixture("package1-core4-pu1")) == "1:1:4 package");
}

TEST_CASE("groups in between, or none of the usual objects, do not matter") {
  CHECK(shape_of(fixture("package2-numa2-l3x2-core3-pu2")) == "2:4:3 L3");
  CHECK(shape_of("group:2 numa:2 pack:1 l3:2 core:2 pu:2") == "4:2:2 L3");
  CHECK(shape_of("package:2 numa:2 l3:4 core:4 pu:2") == "2:8:4 L3");
  CHECK(shape_of("package:2 group:2 l3:2 core:4 pu:1") == "2:4:4 L3");
  CHECK(shape_of("package:2 die:2 l3:2 core:4 pu:1") == "2:2:8 Die");
}

TEST_CASE("cores come in the order of package, die and core, with the system's PU numbers") {
  const NodeTopology node = load_topology(fixture("package2-die2-core2-pu2-smt-far"));
  REQUIRE(node.cores.size() == 8);
  for (std::uint32_t i = 0; i < 8; ++i) {
    CHECK(node.cores[i].first_pu == i);
    CHECK(node.cores[i].pus.members() == std::vector<std::uint32_t>{i, i + 8});
  }
  CHECK(node.core(1, 0, 1).first_pu == 5);
}

TEST_CASE("memory is known if the document gives it, and not if hwloc made it up") {
  CHECK(load_topology(fixture("package2-die2-core2-pu2-smt-far")).memory == Bytes{4294967296});
  CHECK(load_topology(fixture("package1-core4-pu1")).memory == Bytes{0});
  CHECK(load_topology("pack:2 core:2 pu:1").memory == Bytes{0});
  CHECK(load_topology("pack:2 [numa(memory=1GB)] core:2 pu:1").memory == Bytes{2000000000});
}

TEST_CASE("memory of GPUs and other special memory is beside that of ranks") {
  using Special = NodeTopology::SpecialMemory;
  const std::string ordinary = fixture("package1-core2-numa2-gpu");
  const NodeTopology node = load_topology(ordinary);
  CHECK(node.memory == Bytes{1U << 30U});
  CHECK(node.special_memory == std::vector<Special>{{"GPUMemory", {2U << 30U}}});
  for (const std::string kind : {"HBM", "MCDRAM", "NVM", "SPM", "CXL-DRAM"})
    CHECK(load_topology(replaced(ordinary, "GPUMemory", kind)).special_memory ==
          std::vector<Special>{{kind, {2U << 30U}}});
  // An older hwloc names nothing; the memory is behind that of the same cores.
  CHECK(load_topology(replaced(ordinary, "subtype=\"GPUMemory\" ", "")).special_memory[0].kind ==
        "unnamed");
  // Nodes that have nothing but HBM.
  const NodeTopology all =
      load_topology(replaced(replaced(ordinary, "subtype=\"GPUMemory\" ", ""),
                             "local_memory=", "subtype=\"HBM\" local_memory="));
  CHECK(all.special_memory.empty());
  CHECK(all.memory == Bytes{3U << 30U});
}

TEST_CASE("cores of several types are refused, and favoured ones are not") {
  const std::string unlike = fixture("package1-core2-kinds2");
  CHECK_THROWS_WITH_AS(
      load_topology(unlike, "m.xml"),
      "m.xml: topology: found unlike cores: 1 PUs of IntelAtom beside 1 PUs of IntelCore, expected "
      "cores that are all alike: describe those that jobs use, as in \"package:1 core:8 pu:2\"",
      FormatError);
  CHECK(load_topology(replaced(unlike, "IntelAtom", "IntelCore")).cores.size() == 2);
  CHECK_THROWS_AS(load_topology(replaced(
                      replaced(replaced(unlike, "CoreType", "LinuxCapacity"), "IntelAtom", "400"),
                      "IntelCore", "1024")),
                  FormatError);
}

TEST_CASE("XML of a newer hwloc is told from broken XML, with what writes the older form") {
  CHECK_THROWS_WITH_AS(
      load_topology(replaced(fixture("package1-core4-pu1"), "<topology version=\"2.0\"",
                             "<topology version=\"9.0\""),
                    "m.xml"),
      doctest::Contains(
          "found XML of hwloc 9, expected XML of hwloc 2: \"lstopo --export-xml-flags v2"),
      FormatError);
}

TEST_CASE("PUs that the document's writer was not allowed to use are hardware all the same") {
  CHECK(shape_of(fixture("package2-core2-allowed1")) == "2:1:2 package");
}

TEST_CASE("packages or dies that are not alike are an error that says how they differ") {
  CHECK_THROWS_WITH_AS(load_topology(fixture("package2-core4-and-core2"), "m.json"),
                       doctest::Contains("m.json: topology: found a die with 2 cores beside one "
                                         "with 4"),
                       FormatError);
  CHECK_THROWS_AS(load_topology(fixture("package1-l3x2-core3-and-core2")), FormatError);
}

TEST_CASE("broken text is one exception and not a word on standard error") {
  const std::string xml = fixture("package2-die2-core2-pu1");
  std::string renamed = xml;
  for (std::size_t at = 0; (at = renamed.find("\"Package\"", at)) != std::string::npos; ++at)
    renamed.replace(at, 9, "\"Parcel\"");
  for (const std::string& text :
       {std::string(), std::string("nonsense"), std::string("pu:0"),
        std::string("pack:2 pu:2 core:2"), std::string("<"), std::string("<topology/>"),
        std::string("<html><body></body></html>"), xml.substr(0, xml.size() / 2),
        xml.substr(0, 300), renamed}) {
    CAPTURE(text);
    bool thrown = false;
    const std::string noise = test::output_of(STDERR_FILENO, [&] {
      try {
        load_topology(text, "m.json");
      } catch (const FormatError& error) {
        thrown = std::string_view(error.what()).starts_with("m.json: ");
      }
    });
    CHECK(thrown);
    CHECK(noise == "");
  }
}

TEST_CASE("a synthetic line that asks for a huge machine is refused before it is built") {
  CHECK_THROWS_AS(load_topology("pu:4000000000"), FormatError);
  CHECK_THROWS_AS(load_topology("pack:1000 core:1000 pu:1000"), FormatError);
  CHECK_THROWS_AS(load_topology("pack:99999999999999999999 pu:1"), FormatError);
  CHECK_THROWS_AS(load_topology("1000 1000 1000"), FormatError);
}

TEST_CASE("this machine's document reads back, and does not say which machine it is") {
  const std::string xml = this_machine_xml();
  CHECK(xml.find("HostName") == std::string::npos);
  CHECK(xml.find("DMI") == std::string::npos);
  const NodeTopology node = this_machine_topology();
  CHECK(node.cores.size() ==
        std::size_t{node.packages} * node.dies_per_package * node.cores_per_die);
  std::set<std::uint32_t> pus;
  for (const NodeTopology::Core& core : node.cores) {
    CHECK(core.pus.contains(core.first_pu));
    pus.insert(core.pus.members().begin(), core.pus.members().end());
  }
  const PuSet mine = PuSet::of_this_thread();
  for (const std::uint32_t pu : mine.members()) CHECK(pus.contains(pu));
}

}  // namespace
}  // namespace huddle::commgraph
