#include "profiles/keeper/protocol/keeper_protocol.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/keeper/protocol/clock_page.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

constexpr const char* kFirst = "huddle-keeper 1\n";

KeeperReply two_clocks() {
  KeeperReply reply;
  reply.clocks.push_back({PuSet::parse("0-1"), 1'200'000, 2'400'000, {1'200'000, 2'400'000}});
  reply.clocks.push_back({PuSet::parse("2,66"), 800'000, 800'000, {}});
  return reply;
}

TEST_CASE("a rank's greeting arrives as it was sent") {
  const KeeperGreeting greeting{PuSet::parse("0-3,8")};
  CHECK(text_of(greeting) == "huddle-keeper 1\npus 0-3,8\n");
  CHECK(parse_keeper_greeting(text_of(greeting)) == greeting);
}

TEST_CASE("what is no greeting is taken for none") {
  for (const std::string& text :
       {std::string(), std::string("pus 0\n"), std::string("huddle-keeper 2\npus 0\n"),
        std::string(kFirst), std::string(kFirst) + "pus \n", std::string(kFirst) + "pus 0",
        std::string(kFirst) + "pus 0\n\n", std::string(kFirst) + "pus 0\npus 1\n",
        std::string(kFirst) + "pus -1\n", std::string(kFirst) + "pus 0-70000\n",
        std::string(kFirst) + "pus 3-1\n", std::string(kFirst) + "pus 0 \n",
        std::string(kFirst) + std::string("pus 0\0\n", 7), std::string(kFirst) + "cpus 0\n",
        std::string(kFirst) + "pus " + std::string(kMostGreetingBytes, '1') + "\n"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_keeper_greeting(text).has_value());
  }
}

TEST_CASE("the keeper's answer arrives as it was sent") {
  CHECK(text_of(two_clocks()) ==
        "huddle-keeper 1\n"
        "clock\t0-1\t1200000-2400000\t1200000,2400000\n"
        "clock\t2,66\t800000-800000\t-\n");
  CHECK(parse_keeper_reply(text_of(two_clocks())) == two_clocks());
}

TEST_CASE("a refusal arrives as one line, whatever is in it") {
  const KeeperReply said = parse_keeper_reply(text_of(KeeperReply{"not\nyou\t!", {}}));
  CHECK(said.refusal == "not you !");
  CHECK(said.clocks.empty());
}

TEST_CASE("what is no answer is refused, down to its last byte") {
  const std::string good = "clock\t0\t1-2\t-\n";
  for (const std::string& text :
       {std::string(),
        std::string(kFirst),
        "huddle-keeper 1" + good,
        kFirst + good.substr(1),
        kFirst + good + "\n",
        kFirst + good + "more\n",
        kFirst + std::string("clock\t0\t1-2\t-"),
        kFirst + std::string("refused\t\n"),
        kFirst + std::string("refused\ta\nb\n"),
        kFirst + std::string("clock\t\t1-2\t-\n"),
        kFirst + std::string("clock\t0\t0-2\t-\n"),
        kFirst + std::string("clock\t0\t2-1\t-\n"),
        kFirst + std::string("clock\t0\t1-2\t\n"),
        kFirst + std::string("clock\t0\t01-2\t-\n"),
        kFirst + std::string("clock\t0\t1-2\n"),
        kFirst + std::string("clock\t0\t1-200000000\t-\n"),
        kFirst + std::string("clock\t0\t1-2\t2,1\n"),
        kFirst + std::string("clock\t0\t1-2\t1,\n"),
        kFirst + std::string("clock\t0\t1-2\t-\t\n"),
        kFirst + std::string("clock\t0\t1-2\t-1\n"),
        kFirst + std::string("clock\t0-65535\t1-2\t-\nclock\t0\t1-2\t-\n")}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_keeper_reply(text), FormatError);
  }
}

TEST_CASE("an answer of more clocks or steps than there can be is refused") {
  std::string clocks = kFirst;
  for (std::uint32_t i = 0; i < kMostClocks; ++i)
    clocks += "clock\t" + std::to_string(i) + "\t1-2\t-\n";
  CHECK(parse_keeper_reply(clocks).clocks.size() == kMostClocks);
  CHECK_THROWS_AS(parse_keeper_reply(clocks + "clock\t60000\t1-2\t-\n"), FormatError);
  std::string steps = std::string(kFirst) + "clock\t0\t1-2\t1";
  for (std::size_t i = 2; i <= kMostClockSteps; ++i) steps += "," + std::to_string(i);
  CHECK(parse_keeper_reply(steps + "\n").clocks[0].steps_khz.size() == kMostClockSteps);
  CHECK_THROWS_AS(parse_keeper_reply(steps + ",99999\n"), FormatError);
}

}  // namespace
}  // namespace huddle::keeper
