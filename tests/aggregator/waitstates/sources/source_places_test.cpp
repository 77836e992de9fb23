#include "aggregator/waitstates/sources/source_places.hpp"

#include <doctest/doctest.h>

#include "profiles/executables/build_id.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle {
namespace {

using Kind = TraceRegion::Kind;

WaitReport report_of_functions() {
  ReportMaker maker(1, 1, 1000);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  maker.path(main, "plain_function");
  maker.path(main, "MPI_Barrier", true);
  return maker.finish();
}

TEST_CASE("the lines that a trace has come first") {
  WaitReport report = report_of_functions();
  TraceDefinitions definitions;
  definitions.regions = {{"main", Kind::kUser, "heat.c", 12},
                         {"MPI_Barrier", Kind::kMpi, "x.c", 3}};
  add_source_places(report, definitions, {});
  CHECK(report.call_paths[0].file == "heat.c");
  CHECK(report.call_paths[0].line == 12);
  CHECK(report.call_paths[1].file.empty());
  CHECK(report.call_paths[2].file.empty());
}

TEST_CASE("regions of one name that begin at several places have none") {
  WaitReport report = report_of_functions();
  TraceDefinitions definitions;
  definitions.regions = {{"main", Kind::kUser, "heat.c", 12},
                         {"main", Kind::kOpenmp, "heat.c", 13}};
  add_source_places(report, definitions, HUDDLE_SAMPLE_PROGRAM);
  CHECK(report.call_paths[0].file.empty());
  CHECK(report.call_paths[1].line > 0);
}

TEST_CASE("the program that a trace names is asked only if it is that build") {
  WaitReport report = report_of_functions();
  TraceDefinitions definitions;
  definitions.program = HUDDLE_SAMPLE_PROGRAM;
  add_source_places(report, definitions, {});
  CHECK(report.call_paths[1].file.empty());
  definitions.build_id = "00";
  add_source_places(report, definitions, {});
  CHECK(report.call_paths[1].file.empty());
  CHECK_THROWS_WITH_AS(add_source_places(report, definitions, HUDDLE_SAMPLE_PROGRAM),
                       doctest::Contains("another build"), Error);
  definitions.build_id = build_id_of_file(HUDDLE_SAMPLE_PROGRAM);
  REQUIRE_FALSE(definitions.build_id.empty());
  add_source_places(report, definitions, {});
  CHECK(report.call_paths[1].file == HUDDLE_SAMPLE_SOURCE);
}

TEST_CASE("a program that is named and not there is an error") {
  WaitReport report = report_of_functions();
  CHECK_THROWS_AS(add_source_places(report, {}, "/nowhere/program"), SystemError);
}

}  // namespace
}  // namespace huddle
