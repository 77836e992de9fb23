#include <doctest/doctest.h>

#include <string>

#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

TEST_CASE("the shared tables of a rank survive their way to the rank that writes the file") {
  for (const SharedTables& shared : {SharedTables{}, sample_profile(300).shared})
    CHECK(decode_shared_tables(encode_shared_tables(shared)) == shared);
}

TEST_CASE("shared tables that were cut or changed on their way are an error or other tables") {
  const std::string whole = encode_shared_tables(sample_profile().shared);
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(decode_shared_tables(whole.substr(0, length)), FormatError);
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const unsigned flip : {0x01U, 0x10U, 0x80U, 0xffU}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
      static_cast<void>(error_of([&] { decode_shared_tables(changed); }));
    }
  CHECK(error_of<FormatError>([] { decode_shared_tables(""); }) ==
        "a rank's shared tables: the file: found nothing in it, expected a huddle document");
}

TEST_CASE("merging adds what is not there, keeps the order and counts the ranks") {
  SharedTables mine;
  mine.communicators = {{5, RankSet({0, 1}), {}}, {9, RankSet({2}), {}}};
  mine.phase_groups = {{7, "a", "b"}};
  mine.absent_events = {{"cycles", "denied", 2}, {"llc", "unknown", 1}};
  mine.openmp_regions = {{3, "region at a+0x1"}};
  mine.modules = {{"libc", "/b", "2", 0}};
  SharedTables theirs;
  theirs.communicators = {{1, RankSet({3}), {}}, {5, RankSet({0, 1}), {}}, {7, RankSet({4}), {}}};
  theirs.phase_groups = {{7, "a", "b"}, {8, "b", "a"}};
  theirs.openmp_regions = {{2, "region at b+0x1"}, {3, "region at a+0x1"}};
  theirs.modules = {{"liba", "/a", "1", 0}, {"libc", "/b", "2", 0}};
  theirs.absent_events = {{"branches", "denied", 1}, {"cycles", "denied", 3}, {"cycles", "x", 1}};

  mine.merge(theirs);
  CHECK(mine.communicators == std::vector<Communicator>{{1, RankSet({3}), {}},
                                                        {5, RankSet({0, 1}), {}},
                                                        {7, RankSet({4}), {}},
                                                        {9, RankSet({2}), {}}});
  CHECK(mine.phase_groups == std::vector<PhaseGroup>{{7, "a", "b"}, {8, "b", "a"}});
  CHECK(mine.absent_events == std::vector<AbsentEvent>{{"branches", "denied", 1},
                                                       {"cycles", "denied", 5},
                                                       {"cycles", "x", 1},
                                                       {"llc", "unknown", 1}});
  CHECK(mine.modules == std::vector<ProgramModule>{{"liba", "/a", "1", 0}, {"libc", "/b", "2", 0}});
  CHECK(mine.openmp_regions ==
        std::vector<OpenMpRegion>{{2, "region at b+0x1"}, {3, "region at a+0x1"}});
  SharedTables none;
  none.merge(mine);
  CHECK(none == mine);
  none.merge({});
  CHECK(none == mine);
}

TEST_CASE("numbers of ranks that don't fit stay at the most that does") {
  SharedTables mine{{}, {}, {{"e", "r", 4000000000U}}, {}};
  mine.merge(SharedTables{{}, {}, {{"e", "r", 4000000000U}}, {}});
  CHECK(mine.absent_events[0].ranks == 4294967295U);
}

}  // namespace
}  // namespace huddle
