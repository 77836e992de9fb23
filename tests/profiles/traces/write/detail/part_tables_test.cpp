#include "profiles/traces/write/detail/part_tables.hpp"

#include <doctest/doctest.h>
#include <otf2/OTF2_Events.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {
namespace {

using Ranks = std::vector<std::uint32_t>;

TEST_CASE("ranks are found in lists that are in order, and in others") {
  for (const Ranks& ranks : {Ranks{0, 1, 2, 3}, Ranks{0, 1, 7, 4}, Ranks{9, 3, 0}}) {
    const RankLookup lookup(ranks);
    for (std::uint32_t place = 0; place < ranks.size(); ++place)
      CHECK(lookup.place_of(ranks[place]) == place);
    CHECK_FALSE(lookup.place_of(100).has_value());
  }
}

TEST_CASE("peers are numbered within the communicator, or within the other side") {
  const CommunicatorView plain({"", {4, 2, 0}, {}}, 2);
  CHECK(plain.peer(0) == 2U);
  CHECK_FALSE(plain.peer(1).has_value());
  const CommunicatorView self({"", {}, {}}, 5);
  CHECK(self.peer(5) == 0U);
  CHECK_FALSE(self.peer(0).has_value());
  const TraceCommunicator between{"", {0, 1}, {2, 3}};
  CHECK(CommunicatorView(between, 0).peer(3) == 1U);
  CHECK(CommunicatorView(between, 3).peer(1) == 1U);
  CHECK_FALSE(CommunicatorView(between, 0).peer(1).has_value());
}

TEST_CASE("roots between two groups have OTF2's special numbers") {
  const TraceCommunicator between{"", {0, 1}, {2, 3}};
  const CommunicatorView view(between, 0);
  CHECK(view.root(0, true) == std::uint32_t{OTF2_COLLECTIVE_ROOT_SELF});
  CHECK(view.root(1, true) == std::uint32_t{OTF2_COLLECTIVE_ROOT_THIS_GROUP});
  CHECK(view.root(kNobody, true) == std::uint32_t{OTF2_COLLECTIVE_ROOT_THIS_GROUP});
  CHECK(view.root(3, true) == 1U);
  CHECK(view.root(3, false) == std::uint32_t{OTF2_COLLECTIVE_ROOT_NONE});
}

TEST_CASE("a part's indices become the whole trace's, and unknown ones are errors") {
  TraceDefinitions own;
  own.regions.push_back({"MPI_Reduce", TraceRegion::Kind::kMpi});
  own.regions.push_back({"MPI_Get", TraceRegion::Kind::kMpi});
  own.communicators.resize(1);
  own.teams.resize(2);
  TraceNumbers numbers;
  numbers.regions = {7, 9};
  numbers.all_communicators = 20;
  PartTables tables(own, numbers);
  CHECK(tables.region(1) == 9);
  CHECK(tables.communicator(0) == 0);
  CHECK(tables.team(1) == 21);
  CHECK_THROWS_AS(static_cast<void>(tables.region(2)), Error);
  CHECK_THROWS_AS(static_cast<void>(tables.window(0)), Error);
  CHECK(tables.operation(0, Collective::kToRoot) == OTF2_COLLECTIVE_OP_REDUCE);
  CHECK(tables.operation(0, Collective::kAllToAll) == OTF2_COLLECTIVE_OP_ALLTOALL);
  CHECK(tables.access(1) == OneSidedAccess::kGet);
  CHECK(tables.access(kNobody) == OneSidedAccess::kPut);
}

}  // namespace
}  // namespace huddle::traces
