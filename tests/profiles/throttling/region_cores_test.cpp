#include "profiles/throttling/region_cores.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::throttling {
namespace {

constexpr const char* kText = "bound 0.05;0-3,8 9f3b12aa=4 77ab@12ff=2/2;4-7 9f3b12aa=2";

std::string refusal_of(std::string_view text) {
  try {
    static_cast<void>(parse_teams("bound 0;" + std::string(text), 16));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("what is chosen for the teams of ranks survives its text") {
  const ChosenByRank chosen = parse_teams(kText, 16);
  CHECK(chosen.bound == 0.05);
  const auto& teams = chosen.teams;
  REQUIRE(teams.size() == 2);
  CHECK(teams[0].ranks.list() == "0-3,8");
  CHECK(teams[0].choices ==
        std::vector<RegionCores>{{0x9f3b12aa, 0, 4, 1}, {0x77ab, 0x12ff, 2, 2}});
  CHECK(text_of(chosen) == kText);
  CHECK(parse_teams("bound 0", 16).teams.empty());
}

TEST_CASE("teams of other sizes survive the text, and have as many threads on each core") {
  const std::string text = "bound 0;0 9f=2*4 9f@1=2/2*2";
  const ChosenByRank chosen = parse_teams(text, 1);
  CHECK(chosen.teams[0].choices ==
        std::vector<RegionCores>{{0x9f, 0, 2, 1, 4}, {0x9f, 1, 2, 2, 2}});
  CHECK(text_of(chosen) == text);
  for (const char* word : {"0 9f=2*3", "0 9f=2*1", "0 9f=2*0", "0 9f=2*", "0 9f=1*70000"})
    CHECK(refusal_of(word).starts_with("teams: found \""));
}

TEST_CASE("a rank gets what was chosen for it, and nothing if nothing was") {
  const ChosenByRank teams = parse_teams(kText, 16);
  CHECK(choices_for(teams, {5}) == std::vector<RegionCores>{{0x9f3b12aa, 0, 2, 1}});
  CHECK(choices_for(teams, {8}).size() == 2);
  CHECK(choices_for(teams, {9}).empty());
}

TEST_CASE("clocks of groups of phases survive the text, with regions or alone") {
  const char* const text = "bound 0.05;0 77ab=2 @12ff=1800000kHz @13=2100000kHz;1 @12ff=1200000kHz";
  const ChosenByRank teams = parse_teams(text, 2);
  CHECK(choices_for(teams, {0}).size() == 1);
  CHECK(clocks_for(teams, {0}) == std::vector<GroupClock>{{0x12ff, 1800000}, {0x13, 2100000}});
  CHECK(choices_for(teams, {1}).empty());
  CHECK(clocks_for(teams, {1}) == std::vector<GroupClock>{{0x12ff, 1200000}});
  CHECK(clocks_for(teams, {7}).empty());
  CHECK(text_of(teams) == text);
  CHECK(refusal_of("0 @12=5") ==
        "teams: found \"@12=5\", expected @GROUP=CLOCKkHz, the group's id in hexadecimal");
  for (const char* bad : {"0 @", "0 @12", "0 @12=", "0 @12=kHz", "0 @=5kHz", "0 @12=0kHz",
                          "0 @12=-5kHz", "0 @12=5khz", "0 @12=5000000000kHz", "0 @0=5kHz"})
    CHECK_MESSAGE(refusal_of(bad) != "", bad);
}

TEST_CASE("choices by position in a period survive the text, behind where the period begins") {
  const char* const text =
      "bound 0.05;0-3 #5eed 77ab=4 77ab#1f2e=2/2 77ab#2f=1*2 @12=1800000kHz;4 9=2";
  const ChosenByRank teams = parse_teams(text, 8);
  CHECK(choices_for(teams, {3}) == std::vector<RegionCores>{{0x77ab, 0, 4, 1},
                                                            {0x77ab, 0, 2, 2, 0, 0x1f2e},
                                                            {0x77ab, 0, 1, 1, 2, 0x2f}});
  CHECK(anchor_for(teams, {3}) == 0x5eed);
  CHECK(anchor_for(teams, {4}) == 0);
  CHECK(anchor_for(teams, {7}) == 0);
  CHECK(text_of(teams) == text);
  CHECK(refusal_of("0 77ab#12=2") ==
        "teams: found \"0\", expected #ANCHOR behind these ranks, since something is chosen by "
        "position");
  CHECK(
      refusal_of("0 #5 77ab@3#12=2") ==
      "teams: found \"77ab@3#12=2\", expected REGION[@GROUP|#CONTEXT]=CORES[/PACKAGES][*THREADS], "
      "ids in hexadecimal");
  for (const char* bad : {"0 #5", "0 #5 #6 77ab#1=2", "0 # 77ab#1=2", "0 #0 77ab#1=2", "0 #x 7=2",
                          "0 #5 77ab#=2", "0 #5 77ab#0=2", "0 #5 77ab#1@2=2", "0 #5 #1=2"})
    CHECK_MESSAGE(refusal_of(bad) != "", bad);
}

TEST_CASE("a text that is none is refused with what was found and what was expected") {
  CHECK(refusal_of("0-3") ==
        "teams: found \"0-3\", expected what is chosen for these ranks behind them");
  CHECK(refusal_of(" 1=2") == "teams: found \"\", expected the ranks that something is chosen for");
  CHECK(refusal_of("0 12=0") ==
        "teams: found \"12=0\", expected REGION[@GROUP|#CONTEXT]=CORES[/PACKAGES][*THREADS], "
        "ids in hexadecimal");
  CHECK(refusal_of("0 12=2/3") ==
        "teams: found \"12=2/3\", expected at most 65536 cores, and no more packages than cores");
  for (const char* bad : {"0 =2", "0 12", "0 12=", "0 xyz=2", "0 12@=2", "0 12@zz=2", "0 12=2/",
                          "0 12=2/x", "0 12=-2", "0 1ffffffffffffffff=2", "0 12=65537", "16 12=2",
                          "0  12=2", "0 12=2 x", "0 12=2@5", "0 12=2;;"})
    CHECK_MESSAGE(refusal_of(bad) != "", bad);
  for (const char* bad : {"", "bound", "bound ", "bound x", "bound -1", "bound nan", "bound 1.5",
                          "bound 0x", "0 12=2"})
    CHECK_THROWS_AS(static_cast<void>(parse_teams(bad, 16)), Error);
  CHECK(refusal_of(std::string(kMostTeamsText + 1, 'x')) != "");
}

TEST_CASE("what is chosen for teams of another size can be left out") {
  const ChosenByRank chosen =
      parse_teams("bound 0.05;0-1 12=2*2 13=4 13@9=2*2;2 12=1*1;3 12=1*1 @9=1800000kHz", 16);
  CHECK(has_sizes(chosen));
  const ChosenByRank rest = without_sizes(chosen);
  CHECK_FALSE(has_sizes(rest));
  CHECK(text_of(rest) == "bound 0.05;0-1 13=4;3 @9=1800000kHz");
  CHECK(without_sizes(rest) == rest);
}

TEST_CASE("a region with a size at one position stays at all of them where sizes are not allowed") {
  const ChosenByRank chosen = parse_teams("bound 0.05;0-1 #2 b=4 b#1f6=2*2 c=1 c#1f7=2", 16);
  CHECK(chosen.teams.front().choices[1].threads == 2);
  CHECK(text_of(without_sizes(chosen)) == "bound 0.05;0-1 #2 c=1 c#1f7=2");
  const ChosenByRank sized = parse_teams("bound 0.05;0-1 #2 b#1f6=2*2 c=1", 16);
  CHECK(text_of(without_sizes(sized)) == "bound 0.05;0-1 c=1");
}

}  // namespace huddle::throttling
