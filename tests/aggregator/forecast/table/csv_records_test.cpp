#include "aggregator/forecast/table/detail/csv_records.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;

namespace {

// Gives `step` bytes at a time, as pipes do.
forecast::RecordSource source_of(const std::string& text, std::size_t step) {
  return {[&text, step, at = std::size_t{0}](std::size_t size) mutable {
            const std::string part = text.substr(at, std::min(size, step));
            at += part.size();
            return part;
          },
          "pipe"};
}

}  // namespace

TEST_CASE("records are the same however few bytes come at a time") {
  const std::string text = "a,b\r\n1,\"x\ny\"\n\n2,z";
  for (const std::size_t step : {1U, 2U, 3U, 5U, 100U}) {
    forecast::RecordSource source = source_of(text, step);
    std::vector<std::string> records;
    std::vector<std::uint64_t> lines;
    while (source.next()) {
      records.emplace_back(source.record());
      lines.push_back(source.line());
    }
    CHECK(records == std::vector<std::string>{"a,b", "1,\"x\ny\"", "", "2,z"});
    CHECK(lines == std::vector<std::uint64_t>{1, 2, 4, 5});
    CHECK(source.is_cut());
  }
}

TEST_CASE("a mark of UTF-8 is no part of the first record") {
  const std::string text = "\xef\xbb\xbf\"a\"\nb\n";
  forecast::RecordSource source = source_of(text, 2);
  REQUIRE(source.next());
  CHECK(source.record() == "\"a\"");
  CHECK(source.line() == 1);
  REQUIRE(source.next());
  CHECK(source.record() == "b");
  CHECK_FALSE(source.is_cut());
  CHECK_FALSE(source.next());
}

TEST_CASE("a line without end is an error, not all of the memory") {
  forecast::RecordSource source([](std::size_t size) { return std::string(size, '1'); }, "endless");
  CHECK_THROWS_WITH_AS(source.next(),
                       "endless: line 1: found more than 16 MiB without an end, expected lines of "
                       "some numbers: a text file with a row in each line",
                       FormatError);
}
