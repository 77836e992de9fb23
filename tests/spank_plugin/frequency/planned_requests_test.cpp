#include "spank_plugin/frequency/planned_requests.hpp"

#include <doctest/doctest.h>

#include "spank_plugin/frequency/frequency_request.hpp"

namespace huddle {
namespace {

std::vector<RankPlace> two_nodes_of_two() {
  return {{NodeIndex{0}, PuSet::parse("0")},
          {NodeIndex{0}, PuSet::parse("4")},
          {NodeIndex{1}, PuSet::parse("0")},
          {NodeIndex{1}, PuSet::parse("4")}};
}

const ClockLimits kAny{1, ClockLimits::kMostKhz};

TEST_CASE("one frequency for all ranks is one entry") {
  CHECK(planned_requests(two_nodes_of_two(), {{2e9}, {2e9}, {2e9}, {2e9}}, kAny, 1000) ==
        "2000000-2000000");
}

TEST_CASE("ranks that share node and frequency share an entry") {
  CHECK(planned_requests(two_nodes_of_two(), {{2e9}, {2e9}, {2e9}, {1e9}}, kAny, 1000) ==
        "0-1:0,4@2000000-2000000;2:0@2000000-2000000;3:4@1000000-1000000");
}

TEST_CASE("frequencies stay within what is allowed") {
  CHECK(planned_requests(two_nodes_of_two(), {{3e9}, {2e9}, {2e9}, {1e9}}, {1500000, 2500000},
                         1000) ==
        "0:0@2500000-2500000;1:4@2000000-2000000;2:0@2000000-2000000;3:4@1500000-1500000");
}

TEST_CASE("what is too long becomes the highest for all") {
  CHECK(planned_requests(two_nodes_of_two(), {{1e9}, {3e9}, {1e9}, {2e9}}, kAny, 20) ==
        "3000000-3000000");
}

}  // namespace
}  // namespace huddle
