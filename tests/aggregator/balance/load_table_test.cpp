#include "aggregator/balance/load_table.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    parse_load_table(text, "loads.csv");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a table of iterations and ranks is read in any order, with the unit of its header") {
  const LoadTable table = parse_load_table(
      "Iteration, Rank, ignored, Time [ms]\n3,1,x,20\n3,0,x,10\n7,0,x,30\n7,1,x,40\n", "t");
  CHECK(table.processors == 2);
  CHECK(table.iterations() == 2);
  CHECK_FALSE(table.has_objects);
  CHECK(table.load(0, 0) == doctest::Approx(0.01));
  CHECK(table.load(0, 1) == doctest::Approx(0.02));
  CHECK(table.load(1, 1) == doctest::Approx(0.04));
}

TEST_CASE("objects are on the rank where they were first, and a note says so") {
  const LoadTable table = parse_load_table(
      "step pe chare seconds\n0 1 17 0.5\n0  0 4 0.25\n1 0 17 0.5\n1 0 4 0.125\n", "t");
  CHECK(table.has_objects);
  CHECK(table.processors == 2);
  CHECK(table.objects() == 2);
  CHECK(table.processor_of == std::vector<std::uint32_t>{1, 0});
  CHECK(table.load(1, 1) == 0.125);
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].find("1 rows have an object on another rank") == 0);
}

TEST_CASE("a rank that has no object is a rank") {
  const LoadTable table =
      parse_load_table("iteration,rank,object,load\n0,0,0,1\n0,1,-,0\n0,3,,\n", "t");
  CHECK(table.processors == 4);
  CHECK(table.objects() == 1);
  CHECK(table.load(0, 0) == 1);
  CHECK(refusal_of("iteration,rank,object,load\n0,0,0,1\n0,1,,2\n")
            .find("found a load without an object") != std::string::npos);
  CHECK(refusal_of("iteration,rank,object,load\n0,0,,0\n").find("found no object") !=
        std::string::npos);
  LoadTable more = table;
  add_idle_ranks(more, 16);
  CHECK(more.processors == 16);
  CHECK_THROWS_AS(add_idle_ranks(more, 3), UsageError);
  LoadTable plain = parse_load_table("1 2\n", "t");
  CHECK_THROWS_AS(add_idle_ranks(plain, 3), UsageError);
}

TEST_CASE("lines of numbers are iterations of ranks, in seconds") {
  const LoadTable table = parse_load_table("# measured\n0.1\t0.2\t0.3\r\n0.4\t0.5\t0.6\r\n\n", "t");
  CHECK(table.processors == 3);
  CHECK(table.iterations() == 2);
  CHECK(table.load(1, 2) == 0.6);
}

TEST_CASE("what is missing took no time, but a rank that never comes is an error") {
  const LoadTable table = parse_load_table("iteration,rank,load\n0,0,1\n0,1,2\n1,1,2\n", "t");
  CHECK(table.load(1, 0) == 0);
  CHECK(refusal_of("iteration,rank,load\n0,0,1\n0,2,2\n").find("no row of rank 1") !=
        std::string::npos);
}

TEST_CASE("errors name file, line, what was found and what was expected") {
  CHECK(refusal_of("iteration,rank,load\n0,0,fast\n").find("loads.csv: line 2, column 5") == 0);
  CHECK(refusal_of("iteration,rank,load\n0,0,-1\n").find("a time of 0 or more") !=
        std::string::npos);
  CHECK(refusal_of("iteration,rank\n0,0\n").find("no column \"load\"") != std::string::npos);
  CHECK(refusal_of("1,2\n3\n").find("1 numbers") != std::string::npos);
  CHECK(refusal_of("iteration,rank,load,load\n0,0,1,1\n").find("each column once") !=
        std::string::npos);
  CHECK(refusal_of("iteration,rank,load\n0,0\n").find("2 columns") != std::string::npos);
  CHECK(refusal_of("iteration,rank,load\n").find("no row") != std::string::npos);
  CHECK(refusal_of("").find("no text") != std::string::npos);
  CHECK(refusal_of("iteration,rank,load\n0,9999999,1\n").find("a rank below") != std::string::npos);
  CHECK(refusal_of("nan,1\n") != "accepted");
}

}  // namespace huddle::balance
