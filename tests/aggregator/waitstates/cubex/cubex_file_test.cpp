#include "aggregator/waitstates/cubex/cubex_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "aggregator/waitstates/cubex/detail/cube_anchor.hpp"
#include "aggregator/waitstates/cubex/detail/cube_metrics.hpp"
#include "aggregator/waitstates/cubex/detail/cube_trees.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

TEST_CASE("names become characters that XML has") {
  CHECK(xml_text("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;");
  CHECK(xml_text("t\xc3\xa4t\xf0\x9f\x90\xa7") == "t\xc3\xa4t\xf0\x9f\x90\xa7");
  CHECK(xml_text(std::string("\x00\x1b", 2)) == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(xml_text("a\tb\nc") == "a b c");
  CHECK(xml_text("\xff!") == "\xef\xbf\xbd!");
  CHECK(xml_text("\xef\xbf\xbe\xef\xbf\xbf!") == "\xef\xbf\xbd\xef\xbf\xbd!");
}

TEST_CASE("call paths of a Cube file are numbered behind their parents, below one root") {
  ReportMaker maker(1, 1, 1000);
  const std::uint32_t first = maker.path(CallPath::kRoot, "main");
  const std::uint32_t second = maker.path(CallPath::kRoot, "thread");
  const std::uint32_t call = maker.path(first, "MPI_Recv", true);
  maker.path(second, "MPI_Recv", true);
  maker.path(call, "callback");
  const CubeCallTree tree = cube_call_tree(maker.finish());
  CHECK(tree.node_of_path == std::vector<std::uint32_t>{1, 4, 2, 5, 3});
  CHECK(tree.nodes[3].depth == 3);
  CHECK(tree.nodes[2].region == tree.nodes[5].region);
  CHECK(tree.regions.size() == 5);
}

TEST_CASE("locations of a Cube file stand by node, rank and thread") {
  ReportMaker maker(3, 1, 1000);
  maker.report().locations[0].node = "b";
  maker.report().locations[1].node = "a";
  maker.report().locations[2].node = "b";
  maker.thread(0, 1);
  const CubeSystemTree tree = cube_system_tree(maker.finish());
  REQUIRE(tree.nodes.size() == 2);
  CHECK(tree.nodes[0].name == "b");
  CHECK(tree.nodes[0].processes.size() == 2);
  CHECK(tree.place_of_location == std::vector<std::uint32_t>{0, 3, 2, 1});
}

TEST_CASE("metrics of the study are those that were asked for") {
  const WaitReport report = small_report();
  const auto has = [&](const RunStudy& study, const std::string& name) {
    for (const CubeMetric& metric : cube_metrics(report, study))
      if (metric.name == name) return true;
    return false;
  };
  RunStudy study;
  CHECK(has(study, "time"));
  CHECK_FALSE(has(study, "critical_path"));
  study.critical_path.emplace();
  CHECK(has(study, "critical_path_imbalance"));
  CHECK_FALSE(has(study, "slack"));
  CHECK_FALSE(has(study, "delay_costs"));
  study.delays.emplace();
  CHECK(has(study, "delay_costs_propagated"));
}

TEST_CASE("a report that contradicts itself leaves no file for Cube behind") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "x.cubex";
  WaitReport report = small_report();
  report.waits.push_back({WaitPattern::kLateSender, 77, 0, 1, 5, 5, {}});
  CHECK_THROWS_AS(save_cubex(report, {}, path), Error);
  report = small_report();
  report.locations.clear();
  CHECK_THROWS_AS(save_cubex(report, {}, path), Error);
  CHECK(std::filesystem::is_empty(path.parent_path()));
  save_cubex(small_report(), {}, path);
  CHECK(std::filesystem::file_size(path) % 512 == 0);
}

}  // namespace
}  // namespace huddle
