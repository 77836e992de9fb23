#include <doctest/doctest.h>

#include "profiles/traces/read/detail/resolved_trace.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::otf2 {
namespace {

constexpr std::uint8_t kProcess = 1;
constexpr std::uint8_t kAccelerator = 2;
constexpr std::uint8_t kThread = 1;

/// Definitions, step by step. Names are numbers of strings.
struct Definitions {
  std::uint32_t text(const std::string& text) {
    const auto id = static_cast<std::uint32_t>(raw.strings.size());
    raw.strings[id] = text;
    return id;
  }
  void node(std::uint32_t id, const std::string& name, const std::string& kind,
            std::uint32_t parent = kUndefined) {
    raw.nodes.push_back({id, text(name), text(kind), parent});
  }
  void process(std::uint32_t id, const std::string& name, std::uint32_t node = kUndefined,
               std::uint8_t type = kProcess) {
    raw.location_groups.push_back({id, text(name), node, type});
  }
  void location(std::uint64_t id, std::uint32_t process, std::uint8_t type = kThread) {
    raw.locations.push_back({id, 0, text("location " + std::to_string(id)), process, type});
  }
  void mpi(std::vector<std::uint64_t> locations) {
    raw.groups.push_back({static_cast<std::uint32_t>(raw.groups.size()), kUndefined,
                          GroupType::kCommLocations, kMpiParadigm, true, std::move(locations)});
  }
  [[nodiscard]] RankTables resolved() const { return resolve_ranks(raw, "t.otf2"); }

  GlobalDefinitions raw;
};

std::string refusal_of(const Definitions& definitions) {
  return error_of<FormatError>([&] { static_cast<void>(definitions.resolved()); });
}

Definitions two_processes() {
  Definitions definitions;
  definitions.process(10, "first");
  definitions.process(20, "second");
  definitions.location(5, 10);
  definitions.location(6, 20);
  return definitions;
}

TEST_CASE("ranks are in the order of MPI's list, locations in that of their definitions") {
  Definitions definitions = two_processes();
  definitions.location(7, 10);
  definitions.mpi({6, 5});
  const RankTables tables = definitions.resolved();
  REQUIRE(tables.ranks.size() == 2);
  CHECK(tables.ranks[0].name == "second");
  CHECK(tables.ranks[0].locations == std::vector<std::uint32_t>{1});
  CHECK(tables.ranks[1].locations == std::vector<std::uint32_t>{0, 2});
  CHECK(tables.location_ids == std::vector<std::uint64_t>{5, 6, 7});
  CHECK(tables.locations[2].rank == 1);
  CHECK(tables.locations[2].thread == 1);
  CHECK(tables.locations_by_id.at(7) == 2);
  CHECK(tables.remarks.empty());
}

TEST_CASE("a rank's first thread is the one that MPI lists, also if another was defined before") {
  Definitions definitions;
  definitions.process(10, "only");
  definitions.location(1, 10);
  definitions.location(2, 10);
  definitions.mpi({2});
  const RankTables tables = definitions.resolved();
  CHECK(tables.ranks[0].locations == std::vector<std::uint32_t>{1, 0});
  CHECK(tables.locations[1].thread == 0);
  CHECK(tables.locations[0].thread == 1);
}

TEST_CASE("an empty list of MPI's, and one of another paradigm, are none") {
  Definitions definitions = two_processes();
  definitions.raw.groups.push_back(
      {0, kUndefined, GroupType::kCommLocations, kOpenmpParadigm, true, {6, 5}});
  definitions.mpi({});
  const RankTables tables = definitions.resolved();
  REQUIRE(tables.ranks.size() == 2);
  CHECK(tables.ranks[0].name == "first");
  REQUIRE(tables.remarks.size() == 1);
  CHECK(tables.remarks[0].find("in the order of their definitions") != std::string::npos);
}

TEST_CASE("two lists that differ are remarked on, and the first counts; equal ones are one") {
  Definitions definitions = two_processes();
  definitions.mpi({6, 5});
  definitions.mpi({6, 5});
  CHECK(definitions.resolved().remarks.empty());
  definitions.mpi({5, 6});
  const RankTables tables = definitions.resolved();
  CHECK(tables.ranks[0].name == "second");
  CHECK(tables.remarks ==
        std::vector<std::string>{"MPI's ranks are listed more than once; the first list was "
                                 "taken."});
}

TEST_CASE("a rank's node is the nearest computer above its process") {
  Definitions definitions;
  definitions.node(1, "cluster", "machine");
  definitions.node(2, "n7", "node", 1);
  definitions.node(3, "socket", "package", 2);
  definitions.process(10, "p", 3);
  definitions.location(1, 10);
  CHECK(definitions.resolved().ranks[0].node == "n7");
}

TEST_CASE("where no class says so, a domain of shared memory does, else what is right above") {
  Definitions definitions;
  definitions.node(1, "cluster", "machine");
  definitions.node(2, "n7", "", 1);
  definitions.node(3, "socket", "", 2);
  definitions.process(10, "p", 3);
  definitions.location(1, 10);
  CHECK(definitions.resolved().ranks[0].node == "socket");
  definitions.raw.shared_memory_nodes = {2};
  CHECK(definitions.resolved().ranks[0].node == "n7");
  definitions.raw.location_groups[0].node = 1;  // the whole machine is no computer
  CHECK(definitions.resolved().ranks[0].node.empty());
  definitions.raw.location_groups[0].node = 99;
  CHECK(definitions.resolved().ranks[0].node.empty());
}

TEST_CASE("nodes that are above each other in a circle end the way up") {
  Definitions definitions;
  definitions.node(1, "a", "", 2);
  definitions.node(2, "b", "", 1);
  definitions.process(10, "p", 1);
  definitions.location(1, 10);
  CHECK(definitions.resolved().ranks[0].node == "a");
}

TEST_CASE("accelerators and processes that MPI does not list are left out, and counted") {
  Definitions definitions = two_processes();
  definitions.process(30, "spare");
  definitions.process(40, "gpu", kUndefined, kAccelerator);
  definitions.location(7, 30);
  definitions.location(8, 40);
  definitions.location(9, 10, 2);  // not a thread of a processor
  definitions.mpi({5, 6});
  const RankTables tables = definitions.resolved();
  CHECK(tables.locations.size() == 2);
  CHECK(tables.locations_by_id.at(7) == traces::kNobody);
  CHECK(tables.remarks ==
        std::vector<std::string>{
            "2 of 5 locations are no threads of processors (accelerators, metrics): left out.",
            "1 of 5 locations belong to no rank of MPI: left out."});
}

TEST_CASE("a location that is defined twice is one") {
  Definitions definitions = two_processes();
  definitions.location(5, 10);
  definitions.mpi({5, 6});
  CHECK(definitions.resolved().locations.size() == 2);
  CHECK(definitions.resolved().remarks.empty());
}

TEST_CASE("definitions of which no ranks can be made are refused with what is missing") {
  Definitions nothing;
  CHECK(refusal_of(nothing).find("no locations") != std::string::npos);
  Definitions gpu;
  gpu.process(1, "gpu", kUndefined, kAccelerator);
  gpu.location(1, 1);
  CHECK(refusal_of(gpu).find("no rank") != std::string::npos);
  Definitions missing = two_processes();
  missing.mpi({5, 77});
  CHECK(refusal_of(missing).find("rank 1 at location 77, which is not defined") !=
        std::string::npos);
  Definitions twice = two_processes();
  twice.mpi({6, 5, 6});
  CHECK(refusal_of(twice).find("location 6 as ranks 0 and 2") != std::string::npos);
}

}  // namespace
}  // namespace huddle::otf2
