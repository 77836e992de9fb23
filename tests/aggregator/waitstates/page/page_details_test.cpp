#include <doctest/doctest.h>

#include "aggregator/waitstates/page/detail/page_data.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle {
namespace {

TimelineDetail some_detail() {
  TimelineDetail detail;
  detail.messages = {{0, 2, 10, 30, 7}, {9, 0, 20, 40, 0}};
  detail.all_messages = 2;
  detail.functions = {{1, 5, 3, 2}, {1, 8, 1, 99}, {9, 0, 1, 0}};
  return detail;
}

TEST_CASE("messages and functions stand by row; those of unknown ranks and paths are left out") {
  const WaitReport report = small_report();
  const PageRows rows = rows_of(report, 4);
  CHECK(page_messages(report, rows, some_detail()).dump() == "[0,10,2,30,7]");
  CHECK(page_functions(report, rows, some_detail()).dump() == "[1,5,3,2]");
}

TEST_CASE("rows of several ranks have messages, and no functions") {
  const WaitReport report = small_report();
  const PageRows rows = rows_of(report, 2);
  CHECK(page_messages(report, rows, some_detail()).dump() == "[0,10,1,30,7]");
  CHECK(page_functions(report, rows, some_detail()).empty());
}

}  // namespace
}  // namespace huddle
