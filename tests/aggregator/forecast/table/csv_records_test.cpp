#include "aggregator/forecast/table/detail/csv_records.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;

namespace {

// Gives `step` bytes at a time, as pipes do.
RecordSource source_of(const std::string& text, std::size_t step) {
  return {[&text, step, at = std::size_t{0}](char* to, std::size_t size) mutable {
            const std::size_t part = std::min({size, step, text.size() - at});
            std::memcpy(to, text.data() + at, part);
            at += part;
            return part;
          },
          "pipe"};
}

}  // namespace

TEST_CASE("records are the same however few bytes come at a time") {
  const std::string text = "a,b\r\n1,\"x\ny\"\n\n2,z";
  for (const std::size_t step : {1U, 2U, 3U, 5U, 100U}) {
    RecordSource source = source_of(text, step);
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

TEST_CASE("a record can be read again, and what comes can be looked at") {
  const std::string text = "a\nb\nc\n";
  RecordSource source = source_of(text, 2);
  REQUIRE(source.next());
  CHECK(source.ahead() == "b\nc\n");
  REQUIRE(source.next());
  source.restart_record();
  REQUIRE(source.next());
  CHECK(source.record() == "b");
  CHECK(source.line() == 2);
  REQUIRE(source.next());
  CHECK_FALSE(source.is_cut());
  CHECK_FALSE(source.next());
}

TEST_CASE("a line without end is an error, not all of the memory") {
  RecordSource source(
      [](char* to, std::size_t size) {
        std::memset(to, '1', size);
        return size;
      },
      "endless");
  CHECK_THROWS_WITH_AS(source.next(),
                       "endless: line 1: found more than 16 MiB without an end, expected lines of "
                       "some numbers: a text file with a row in each line",
                       FormatError);
}
