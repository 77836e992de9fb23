#include "aggregator/recommend/detail/memory_need.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::recommend {
namespace {

Profile run_with_peaks(const std::vector<std::uint64_t>& peaks) {
  Profile profile = run_of(static_cast<std::uint32_t>(peaks.size()), 1);
  for (std::size_t rank = 0; rank < peaks.size(); ++rank)
    profile.rank_records[rank].peak_resident = {peaks[rank]};
  return profile;
}

TEST_CASE("the fullest node counts, not the one with most ranks") {
  const MemoryNeed need(run_with_peaks({10, 10, 10, 70, 5}));
  CHECK(need.fullest_node({0, 1, 2, 4, 5}, 4) == Bytes{75});
  CHECK(need.fullest_node({0, 1, 2, 3, 4}, 4) == Bytes{100});
  CHECK_FALSE(need.note());
}

TEST_CASE("a rank whose peak is unknown counts as the largest known one") {
  const MemoryNeed need(run_with_peaks({10, 0, 30, 0}));
  CHECK(need.fullest_node({0, 1, 2, 3}, 2) == Bytes{60});
  CHECK(need.fullest_node({0, 1, 2, 3}, 4) == Bytes{100});
  CHECK(*need.note() ==
        "how much memory 2 of 4 ranks took is unknown: each counts as much as the largest one that "
        "is known");
}

TEST_CASE("without any known peak no memory is needed, and a note says so") {
  const MemoryNeed need(run_with_peaks({0, 0}));
  CHECK(need.fullest_node({0, 1}, 2) == Bytes{0});
  CHECK(*need.note() ==
        "the profile does not know how much memory the ranks took: no pattern is ruled out for "
        "want of memory");
}

TEST_CASE("a margin is added to what was measured, and what was asked for is the least") {
  const MemoryNeed need(run_with_peaks({100, 200, 0}), Bytes{150}, 0.1);
  CHECK(need.fullest_node({0, 2, 4}, 2) == Bytes{220});
  CHECK(need.fullest_node({0, 1, 4}, 2) == Bytes{150 + 220});
  CHECK(MemoryNeed(run_with_peaks({0}), Bytes{7}).fullest_node({0}, 1) == Bytes{7});
}

}  // namespace
}  // namespace huddle::recommend
