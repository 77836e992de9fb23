#include "aggregator/efficiency/busiest_pair.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::efficiency {
namespace {

Profile silent_run(std::uint32_t ranks) {
  Profile profile;
  profile.ranks = ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    profile.rank_records.emplace_back().rank = {rank};
  return profile;
}

SentMessages sent_to(std::uint32_t receiver, std::uint64_t bytes) {
  return {{receiver}, 8, 1, {bytes}};
}

}  // namespace

TEST_CASE("the busiest pair has most bytes, both ways together and by all kinds of calls") {
  Profile profile = silent_run(4);
  profile.rank_records[0].sent = {sent_to(1, 100)};
  profile.rank_records[3].sent = {sent_to(2, 60)};
  profile.rank_records[2].put = {sent_to(3, 30)};
  profile.rank_records[2].fetched = {sent_to(3, 20)};
  profile.rank_records[3].sent_to_neighbours = {sent_to(2, 1)};
  const std::optional<BusiestPair> pair = busiest_pair_of(profile);
  REQUIRE(pair);
  CHECK(pair->low == Rank{2});
  CHECK(pair->high == Rank{3});
  CHECK(pair->bytes == Bytes{111});
  CHECK(pair->all == Bytes{211});
  CHECK(pair->as_busy == 1);
}

TEST_CASE("pairs that have as much as the busiest one are counted") {
  Profile profile = silent_run(4);
  profile.rank_records[0].sent = {sent_to(1, 1000)};
  profile.rank_records[1].sent = {sent_to(2, 995)};
  profile.rank_records[2].sent = {sent_to(3, 900)};
  const std::optional<BusiestPair> pair = busiest_pair_of(profile);
  REQUIRE(pair);
  CHECK(pair->low == Rank{0});
  CHECK(pair->as_busy == 2);
}

TEST_CASE("a rank that sends to itself talks to nobody") {
  Profile profile = silent_run(2);
  profile.rank_records[0].sent = {sent_to(0, 1000)};
  CHECK_FALSE(busiest_pair_of(profile));
}

}  // namespace huddle::efficiency
