#include "aggregator/render/heatmap/pair_matrix.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "profiles/vocabulary/size_class.hpp"

namespace huddle::render {
namespace {

SentMessages cell(std::uint32_t receiver, std::uint64_t messages, std::uint64_t bytes) {
  return {Rank{receiver}, size_class_of(bytes), messages, Bytes{bytes}};
}

Profile five_ranks() {
  Profile profile;
  profile.ranks = 5;
  profile.rank_records.resize(2);
  profile.rank_records[0].sent = {cell(1, 1, 10), cell(1, 2, 1000), cell(4, 3, 7)};
  profile.rank_records[0].sent_to_neighbours = {cell(2, 4, 40)};
  profile.rank_records[1].rank = Rank{3};
  profile.rank_records[1].put = {cell(0, 5, 500)};
  profile.rank_records[1].fetched = {cell(2, 6, 60)};
  return profile;
}

TEST_CASE("a cell for each pair holds all size classes, row = sender") {
  const BinnedMatrix matrix =
      binned_matrix(five_ranks(), PairMatrix::kPointToPoint, commgraph::Weight::kBytes, 5);
  CHECK(matrix.bins == 5);
  CHECK(matrix.ranks_per_bin == 1);
  CHECK(matrix.at(0, 1) == 1010);
  CHECK(matrix.at(0, 4) == 7);
  CHECK(matrix.at(1, 0) == 0);
  CHECK(matrix.least == 7);
  CHECK(matrix.most == 1010);
}

TEST_CASE("what was fetched went from who had it to who fetched it") {
  const BinnedMatrix matrix =
      binned_matrix(five_ranks(), PairMatrix::kOneSided, commgraph::Weight::kMessages, 9);
  CHECK(matrix.at(3, 0) == 5);
  CHECK(matrix.at(2, 3) == 6);
  CHECK(matrix.at(0, 1) == 0);
}

TEST_CASE("all traffic is the sum of the kinds") {
  const Profile profile = five_ranks();
  const BinnedMatrix all = binned_matrix(profile, PairMatrix::kAll, commgraph::Weight::kBytes, 5);
  CHECK(all.at(0, 1) == 1010);
  CHECK(all.at(0, 2) == 40);
  CHECK(all.at(3, 0) == 500);
  CHECK(all.at(2, 3) == 60);
  CHECK(totals_of(profile, PairMatrix::kAll).bytes == 1617);
  CHECK(totals_of(profile, PairMatrix::kAll).messages == 21);
  CHECK(totals_of(profile, PairMatrix::kNeighbours).bytes == 40);
}

TEST_CASE("ranks that share a bin are added up, and the last bin may be smaller") {
  const BinnedMatrix matrix =
      binned_matrix(five_ranks(), PairMatrix::kAll, commgraph::Weight::kBytes, 3);
  CHECK(matrix.ranks_per_bin == 2);
  CHECK(matrix.bins == 3);
  CHECK(matrix.at(0, 0) == 1010);
  CHECK(matrix.at(0, 2) == 7);
  CHECK(matrix.at(1, 0) == 500);
  CHECK(matrix.at(1, 1) == 60);
}

TEST_CASE("a million ranks fit into a few cells") {
  Profile profile;
  profile.ranks = 1U << 20U;
  profile.rank_records.resize(1);
  profile.rank_records[0].rank = Rank{profile.ranks - 1};
  profile.rank_records[0].sent = {cell(0, 1, 3)};
  const BinnedMatrix matrix =
      binned_matrix(profile, PairMatrix::kAll, commgraph::Weight::kBytes, 1000);
  CHECK(matrix.bins <= 1000);
  CHECK(matrix.at(matrix.bins - 1, 0) == 3);
}

TEST_CASE("a sum that would overflow stays at the largest number") {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  Profile profile = five_ranks();
  profile.rank_records[0].sent = {cell(1, 1, kLargest), cell(1, 1, 5)};
  CHECK(binned_matrix(profile, PairMatrix::kAll, commgraph::Weight::kBytes, 5).at(0, 1) ==
        kLargest);
}

}  // namespace
}  // namespace huddle::render
