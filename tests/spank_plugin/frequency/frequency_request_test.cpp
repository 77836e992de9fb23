#include "spank_plugin/frequency/frequency_request.hpp"

#include <doctest/doctest.h>

#include <chrono>

#include "profiles/vocabulary/error.hpp"

namespace huddle::frequency {
namespace {

// Four cores of two PUs, as many machines number them.
const std::vector<PuSet> kCores = {PuSet::parse("0,4"), PuSet::parse("1,5"), PuSet::parse("2,6"),
                                   PuSet::parse("3,7")};

TEST_CASE("one entry without ranks holds for all cores of the step") {
  const auto requests = parse_frequency_requests("1200000-1800000");
  REQUIRE(requests.size() == 1);
  CHECK_FALSE(requests[0].ranks);
  CHECK(text_of(requests_on_node(requests, {5}, {kCores[1], kCores[2]})) ==
        "1-2,5-6@1200000-1800000");
}

TEST_CASE("entries with ranks hold for the PUs of the ranks that are here") {
  const auto requests = parse_frequency_requests("0:0@5-6;1-2:1-2@7-8;3:3@9-9");
  CHECK(text_of(requests_on_node(requests, {0, 2}, kCores)) == "0,4@5-6;1-2,5-6@7-8");
  CHECK(requests_on_node(requests, {8}, kCores).empty());
}

TEST_CASE("a request for one PU is one for its core, and the highest of several holds") {
  const auto requests = parse_frequency_requests("0:0@5-6;1:4@3-9");
  CHECK(text_of(requests_on_node(requests, {0, 1}, kCores)) == "0,4@5-9");
}

TEST_CASE("PUs that are not the step's are left out") {
  const auto requests = parse_frequency_requests("0:0-65535@5-6");
  CHECK(text_of(requests_on_node(requests, {0}, {kCores[3]})) == "3,7@5-6");
}

TEST_CASE("what is written is read again") {
  for (const char* text : {"1-2", "0:0@5-6;1-2:1-2,7@7-8"})
    CHECK(text_of(parse_frequency_requests(text)) == text);
}

TEST_CASE("anything else is refused, and the entry named") {
  for (const char* text :
       {"", ";", "1-2;", ";1-2", "1-2;3-4", "0:0@1-2;3-4", "1-2;0:0@1-2", "0@1-2", ":0@1-2",
        "0:@1-2", "1-0:0@1-2", "0:0@2-1", "0:0@", "a:0@1-2", "0:0@1-2@3-4", "4294967296:0@1-2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_frequency_requests(text), Error);
  }
  CHECK_THROWS_WITH_AS(parse_frequency_requests("0:0@1-2;bad"), doctest::Contains("\"bad\""),
                       Error);
}

TEST_CASE("a hostile variable costs little") {
  CHECK_THROWS_AS(parse_frequency_requests(std::string(kMostFrequencyBytes + 1, '1')), Error);
  std::string all_pus;
  while (all_pus.size() < kMostFrequencyBytes - 32) all_pus += "0:0-65535@1-2;";
  all_pus.pop_back();
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH_AS(parse_frequency_requests(all_pus), doctest::Contains("more than"), Error);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

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
}  // namespace huddle::frequency
