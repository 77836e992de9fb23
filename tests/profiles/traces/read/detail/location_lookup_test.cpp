#include "profiles/traces/read/detail/location_lookup.hpp"

#include <doctest/doctest.h>

namespace huddle::otf2 {
namespace {

using Ids = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

// Ranks 4, 2 and 9 in one communicator; one's self; and an intercommunicator of {0, 1} and {2, 3,
// 4}.
ResolvedTrace trace() {
  ResolvedTrace trace;
  trace.definitions.communicators = {
      {"three", {4, 2, 9}, {}}, {"self", {}, {}}, {"inter", {0, 1}, {2, 3, 4}}};
  trace.regions = IdTable(Ids{{100, 0}, {200, 1}, {300, 2}});
  return trace;
}

LocationLookup lookup(const ResolvedTrace& trace, std::uint32_t rank,
                      std::vector<std::pair<std::uint64_t, std::uint64_t>> regions = {}) {
  LocalDefinitions local;
  local.mappings[LocalDefinitions::kRegions] = std::move(regions);
  return {trace, local, rank};
}

TEST_CASE("a member of a communicator is a rank of the trace, one beyond its size is nobody") {
  const ResolvedTrace all = trace();
  LocationLookup here = lookup(all, 2);
  CHECK(here.peer(0, 0) == 4);
  CHECK(here.peer(0, 2) == 9);
  CHECK(here.peer(0, 3) == traces::kNobody);
  CHECK(here.peer(0, UINT32_MAX) == traces::kNobody);
}

TEST_CASE("in one's own communicator there is nobody else") {
  const ResolvedTrace all = trace();
  LocationLookup here = lookup(all, 7);
  CHECK(here.peer(1, 0) == 7);
  CHECK(here.peer(1, 1) == traces::kNobody);
}

TEST_CASE("in an intercommunicator a member is one of the other side") {
  const ResolvedTrace all = trace();
  LocationLookup first = lookup(all, 1);
  LocationLookup second = lookup(all, 3);
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(first.peer(2, 2) == 4);
    CHECK(second.peer(2, 0) == 0);
    CHECK(second.peer(2, 2) == traces::kNobody);
  }
}

TEST_CASE("a root may be this rank itself, or none") {
  const ResolvedTrace all = trace();
  LocationLookup here = lookup(all, 2);
  CHECK(here.root(0, 1) == 2);
  CHECK(here.root(2, UINT32_MAX - 1) == 2);  // OTF2_COLLECTIVE_ROOT_SELF
  CHECK(here.root(0, UINT32_MAX - 2) == traces::kNobody);
  CHECK(here.root(0, UINT32_MAX) == traces::kNobody);  // OTF2_COLLECTIVE_ROOT_NONE
}

TEST_CASE("numbers of a location's own go before those of the trace") {
  const ResolvedTrace all = trace();
  const LocationLookup plain = lookup(all, 0);
  CHECK(plain.region(200) == 1);
  CHECK(plain.region(0) == traces::kNobody);
  const LocationLookup mapped = lookup(all, 0, {{0, 300}, {100, 200}, {200, 999}});
  CHECK(mapped.region(0) == 2);
  CHECK(mapped.region(100) == 1);
  CHECK(mapped.region(200) == traces::kNobody);  // mapped to what is not defined
  CHECK(mapped.region(300) == 2);                // not mapped
}

}  // namespace
}  // namespace huddle::otf2
