#include "aggregator/forecast/table/name_pattern.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;

using Readings = std::vector<std::string_view>;

TEST_CASE("a pattern without a slash is about the last part of a file's name") {
  const NamePattern pattern("run_{}.csv");
  CHECK(pattern.readings("run_128.csv") == Readings{"128"});
  CHECK(pattern.readings("data/2024/run_128.csv") == Readings{"128"});
  CHECK(pattern.readings("data/xrun_128.csv").empty());
  CHECK(pattern.readings("run_128.csv.old").empty());
  CHECK(pattern.readings("run_.csv").empty());
  CHECK(pattern.readings("").empty());
}

TEST_CASE("a pattern with slashes is about as many parts at the end of the path") {
  CHECK(NamePattern("{}/time.csv").readings("/data/64/time.csv") == Readings{"64"});
  CHECK(NamePattern("n{}/*/time.csv").readings("/data/n64/a/time.csv") == Readings{"64"});
  CHECK(NamePattern("{}/time.csv").readings("64/other.csv").empty());
  CHECK(NamePattern("{}/*/time.csv").readings("64/time.csv").empty());
  CHECK(NamePattern("/data/{}.csv").readings("/data/64.csv") == Readings{"64"});
}

TEST_CASE("a star is any text, maybe none, but no slash") {
  CHECK(NamePattern("*_{}_*.csv").readings("a_8_.csv") == Readings{"8"});
  CHECK(NamePattern("*_{}.csv").readings("_8.csv") == Readings{"8"});
  CHECK(NamePattern("*/p{}.csv").readings("x/y/p8.csv") == Readings{"8"});
  CHECK(NamePattern("a*{}").readings("x/ab") == Readings{"b"});
}

TEST_CASE("all readings are told") {
  CHECK(NamePattern("*_{}_*").readings("a_1_2_b") == Readings{"1", "1_2", "2"});
  CHECK(NamePattern("{}").readings("ab") == Readings{"ab"});
  CHECK(NamePattern("*{}").readings("ab") == Readings{"ab", "b"});
}

TEST_CASE("a pattern holds its mark once") {
  CHECK_THROWS_WITH_AS(NamePattern("run.csv", "--from-name size=run.csv"),
                       "--from-name size=run.csv: expected {} once in the pattern, where the value "
                       "stands, and * for whatever differs, as in \"run_{}_*.csv\"",
                       UsageError);
  CHECK_THROWS_AS(NamePattern("{}_{}"), UsageError);
  CHECK_THROWS_AS(NamePattern(""), UsageError);
}
