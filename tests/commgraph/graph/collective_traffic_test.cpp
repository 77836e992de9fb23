#include "commgraph/graph/collective_traffic.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle::commgraph {
namespace {

Profile profile_of(std::uint32_t ranks) {
  Profile profile;
  profile.ranks = ranks;
  profile.rank_records.resize(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) profile.rank_records[rank].rank = Rank{rank};
  return profile;
}

// `calls` calls on all ranks of the world.
CollectiveCalls on_world(const std::string& operation, std::uint32_t ranks, std::uint64_t calls,
                         std::uint64_t bytes_each) {
  return {operation, "world", ranks, size_class_of(bytes_each), calls, Bytes{calls * bytes_each},
          {},        0};
}

void add_to_all(Profile& profile, const CollectiveCalls& calls) {
  for (RankRecord& record : profile.rank_records) record.collectives.push_back(calls);
}

// Calls on the communicator `id` of `members`, which all of them make.
void add_on(Profile& profile, std::uint64_t id, const std::vector<std::uint32_t>& members,
            const std::string& operation, std::uint64_t calls, std::uint64_t bytes_each) {
  const auto count = static_cast<std::uint32_t>(members.size());
  profile.shared.communicators.push_back({id, RankSet(members), {}});
  CollectiveCalls made = on_world(operation, count, calls, bytes_each);
  made.communicator = "derived";
  made.communicator_id = id;
  for (const std::uint32_t rank : members) profile.rank_records[rank].collectives.push_back(made);
}

std::vector<PairTraffic> pairs_of(const Profile& profile) {
  return added_up(collective_traffic(profile).pairs);
}

bool nothing_left_out(const CollectiveTraffic& traffic) {
  for (const CollectivesLeftOut& left_out : traffic.left_out)
    if (!left_out.operations.empty()) return false;
  return true;
}

TEST_CASE("an allreduce of the world becomes exchanges between its ranks") {
  Profile profile = profile_of(4);
  add_to_all(profile, on_world("allreduce", 4, 100, 8));
  CHECK(pairs_of(profile) ==
        std::vector<PairTraffic>{
            {0, 1, 200, 1600}, {0, 2, 200, 1600}, {1, 3, 200, 1600}, {2, 3, 200, 1600}});
  CHECK(nothing_left_out(collective_traffic(profile)));
}

TEST_CASE("calls that block and that do not, and of several sizes, add up") {
  Profile profile = profile_of(2);
  add_to_all(profile, on_world("allreduce", 2, 3, 8));
  add_to_all(profile, on_world("iallreduce", 2, 4, 100));
  add_to_all(profile, on_world("barrier", 2, 5, 0));
  CHECK(pairs_of(profile) == std::vector<PairTraffic>{{0, 1, 2 * (3 + 4 + 5), 2 * (24 + 400)}});
}

TEST_CASE("who contributed to a broadcast is its root, on a derived communicator too") {
  Profile profile = profile_of(8);
  add_on(profile, 9, {1, 3, 5, 7}, "bcast", 10, 0);
  CollectiveCalls root = profile.rank_records[5].collectives[0];
  root.size_class = size_class_of(64);
  root.bytes = Bytes{640};
  profile.rank_records[5].collectives = {root};
  CHECK(pairs_of(profile) ==
        std::vector<PairTraffic>{{1, 3, 10, 640}, {1, 5, 10, 640}, {5, 7, 10, 640}});
}

TEST_CASE("the lowest rank counts as the root of a reduce, which nobody wrote down") {
  Profile profile = profile_of(5);
  add_on(profile, 4, {2, 3, 4}, "reduce", 1, 16);
  CHECK(pairs_of(profile) == std::vector<PairTraffic>{{2, 3, 1, 16}, {2, 4, 1, 16}});
}

TEST_CASE("contributions of different sizes to one gatherv count as their mean, and once") {
  Profile profile = profile_of(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    profile.rank_records[rank].collectives = {on_world("gatherv", 3, 2, 100 * (rank + 1))};
  CHECK(pairs_of(profile) == std::vector<PairTraffic>{{0, 1, 2, 400}, {0, 2, 2, 400}});
}

TEST_CASE("an all-to-all among all ranks favours no grouping, and is left out with what it was") {
  Profile profile = profile_of(64);
  add_to_all(profile, on_world("alltoall", 64, 5, 640'000));
  add_to_all(profile, on_world("ialltoallv", 64, 1, 10));
  const CollectiveTraffic traffic = collective_traffic(profile);
  CHECK(traffic.pairs.empty());
  const auto& left_out = traffic.left_out_because(NotExpanded::kSameForAll);
  CHECK(left_out.operations == std::set<std::string>{"alltoall", "ialltoallv"});
  CHECK(left_out.calls == 64 * 6);
  CHECK(left_out.bytes.value == 64 * (5 * 640'000 + 10));
}

TEST_CASE("an all-to-all on a copy of the world is one among all ranks") {
  Profile profile = profile_of(3);
  add_on(profile, 8, {0, 1, 2}, "alltoall", 1, 300);
  CHECK(!collective_traffic(profile).left_out_because(NotExpanded::kSameForAll).operations.empty());
}

TEST_CASE("an all-to-all among some ranks joins each pair of them") {
  Profile profile = profile_of(4);
  add_on(profile, 8, {0, 2, 3}, "alltoall", 2, 300);
  CHECK(pairs_of(profile) ==
        std::vector<PairTraffic>{{0, 2, 4, 400}, {0, 3, 4, 400}, {2, 3, 4, 400}});
}

TEST_CASE("collectives whose members the profile does not hold are left out and named") {
  Profile profile = profile_of(4);
  CollectiveCalls calls = on_world("allreduce", 2, 3, 8);
  calls.communicator = "derived";
  profile.rank_records[0].collectives = {calls};
  calls.communicator_id = 77;
  profile.rank_records[1].collectives = {calls};
  const CollectiveTraffic traffic = collective_traffic(profile);
  CHECK(traffic.pairs.empty());
  const auto& left_out = traffic.left_out_because(NotExpanded::kMembersUnknown);
  CHECK(left_out.calls == 6);
  CHECK(left_out.bytes.value == 48);
  CHECK(left_out.operations == std::set<std::string>{"allreduce"});
}

TEST_CASE("a derived communicator of as many ranks as the world is the world") {
  Profile profile = profile_of(2);
  CollectiveCalls calls = on_world("allreduce", 2, 1, 8);
  calls.communicator = "derived";
  add_to_all(profile, calls);
  CHECK(pairs_of(profile) == std::vector<PairTraffic>{{0, 1, 2, 16}});
}

TEST_CASE("intercommunicators and unknown operations are left out, neighbourhoods passed over") {
  Profile profile = profile_of(4);
  add_on(profile, 5, {0, 1}, "bcast", 1, 8);
  profile.shared.communicators[0].others = RankSet({2, 3});
  add_to_all(profile, on_world("sneakernet", 4, 1, 8));
  add_to_all(profile, on_world("neighbor_alltoall", 4, 1, 8));
  const CollectiveTraffic traffic = collective_traffic(profile);
  CHECK(traffic.pairs.empty());
  CHECK(traffic.left_out_because(NotExpanded::kIntercommunicator).calls == 2);
  CHECK(traffic.left_out_because(NotExpanded::kOperationUnknown).operations ==
        std::set<std::string>{"sneakernet"});
}

TEST_CASE("collectives of one rank move nothing, and broadcasts of nothing neither") {
  Profile profile = profile_of(2);
  add_on(profile, 5, {1}, "allreduce", 1, 8);
  add_to_all(profile, on_world("bcast", 2, 7, 0));
  const CollectiveTraffic traffic = collective_traffic(profile);
  CHECK(traffic.pairs.empty());
  CHECK(nothing_left_out(traffic));
}

TEST_CASE("rows and columns of a grid are expanded all or not at all, within the most edges") {
  Profile profile = profile_of(16);
  for (std::uint32_t i = 0; i < 4; ++i) {
    add_on(profile, 10 + i, {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, "alltoall", 1, 4000);
    add_on(profile, 20 + i, {i, i + 4, i + 8, i + 12}, "alltoall", 1, 4000);
  }
  CHECK(collective_traffic(profile, 48).pairs.size() == 48);
  const CollectiveTraffic too_few = collective_traffic(profile, 47);
  CHECK(too_few.pairs.empty());
  CHECK(too_few.left_out_because(NotExpanded::kTooManyEdges).bytes.value == 32 * 4000);
  // A collective that takes fewer edges fits all the same.
  add_to_all(profile, on_world("scan", 16, 1, 8));
  CHECK(collective_traffic(profile, 47).pairs.size() == 15);
}

TEST_CASE("a profile of two billion ranks takes no memory for collectives") {
  Profile profile;
  profile.ranks = kMostRanks;
  profile.rank_records.resize(1);
  profile.rank_records[0].collectives = {on_world("allreduce", kMostRanks, 1, 8)};
  CHECK(collective_traffic(profile).left_out_because(NotExpanded::kTooManyEdges).calls == 1);
}

TEST_CASE("numbers of calls and bytes that overflow are an error") {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  Profile profile = profile_of(2);
  add_to_all(profile, {"allreduce", "world", 2, 64, 1, Bytes{kLargest}, {}, 0});
  CHECK_THROWS_AS(collective_traffic(profile), Error);
}

}  // namespace
}  // namespace huddle::commgraph
