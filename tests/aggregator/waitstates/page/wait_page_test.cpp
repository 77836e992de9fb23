#include "aggregator/waitstates/page/wait_page.hpp"

#include <doctest/doctest.h>

#include "aggregator/waitstates/page/detail/page_data.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_CASE("no name ends the page's scripts") {
  WaitReport report = small_report();
  const std::size_t before = count_of(wait_page(report), "</script>");
  report.call_paths[1].region = "</script><script>alert(1)</script>";
  report.locations[0].node = "<!--</script>";
  CHECK(count_of(wait_page(report), "</script>") == before);
}

TEST_CASE("what looks like a mark of the page's source is a name like any other") {
  WaitReport report = small_report();
  report.call_paths[1].region = "@SCRIPT@ @DATA@";
  const std::string page = wait_page(report);
  CHECK(count_of(page, "@SCRIPT@ @DATA@") == 1);
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("rows are ranks in order, with their threads") {
  ReportMaker maker(3, 3, 1000);
  maker.thread(1, 1);
  const PageRows rows = rows_of(maker.finish(), 100);
  REQUIRE(rows.rows.size() == 4);
  CHECK(rows.together == 1);
  CHECK(rows.rows[2].first_rank == 1);
  CHECK(rows.rows[2].thread == 1);
  CHECK(rows.rows[3].first_rank == 2);
  CHECK(rows.row_of_location == std::vector<std::uint32_t>{0, 1, 3, 2});
  CHECK(rows.nodes == std::vector<std::string>{"n0", "n1", "n2"});
}

TEST_CASE("with too many ranks consecutive ones share a row") {
  ReportMaker maker(10, 1, 1000);
  const WaitReport report = maker.finish();
  const PageRows rows = rows_of(report, 4);
  REQUIRE(rows.rows.size() == 4);
  CHECK(rows.together == 3);
  CHECK(rows.rows[3].first_rank == 9);
  CHECK(rows.rows[3].last_rank == 9);
  CHECK(rows.rows[2].last_rank == 8);
  CHECK(rows.nodes == std::vector<std::string>{"n0"});
  // Nodes that a row mixes can't be distinguished.
  CHECK(rows_of(ReportMaker(10, 5, 1000).finish(), 4).nodes == std::vector<std::string>{""});
}

TEST_CASE("a page is as large as its bound allows, whatever the number of ranks") {
  const WaitReport report = large_report(512, 50);
  const std::string small = wait_page(report, {}, {.most_cells = 50 * 64});
  const std::string whole = wait_page(report);
  CHECK(small.size() < whole.size() / 4);
  CHECK(small.find("\"together\":8") != std::string::npos);
}

TEST_CASE("a report that contradicts itself gives no page") {
  WaitReport report = small_report();
  report.waits[0].call_path = 99;
  CHECK(error_of([&] { wait_page(report); }) ==
        "the report of made-up/traces.otf2 has an entry of a call path or a location that it does "
        "not have");
  report = small_report();
  report.timeline.pop_back();
  CHECK(error_of([&] { wait_page(report); }) ==
        "the report of made-up/traces.otf2 has not as many bins of its timeline for each location");
}

TEST_CASE("time that no region is known of has a line of its own") {
  const WaitReport report = small_report();
  const PageExtras extras{{{"Slack", "", {{CallPath::kRoot, 0, 5}}}}, {}};
  CHECK(count_of(wait_page(report, extras), "(no region)") == 1);
  CHECK(count_of(wait_page(report), "(no region)") == 0);
}

}  // namespace
}  // namespace huddle::waitstates
