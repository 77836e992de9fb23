#include "aggregator/operations/doctor/node_report.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace huddle::doctor;

namespace {

NodeReport report_of(const std::string& node, std::size_t length) {
  NodeReport report;
  report.node = node;
  report.time_s = 1795307967.25;
  report.facts = {{kPolicyFact, "/etc/slurm/huddle.toml (1f)"}};
  report.findings = {
      {"policy", Verdict::kWrong, std::string(length, 'x') + " \"\xc3\xa4\"\n", "do", {}}};
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a report comes back from JSON as it was") {
  const NodeReport report = report_of("n0", 10);
  CHECK(parse_node_report(to_json(report), "n0") == report);
}

TEST_CASE("reports are put together from the mixed lines of several nodes") {
  const NodeReport first = report_of("n0", 3000);
  const NodeReport second = report_of("n1", 2000);
  const auto a = lines_of(in_pieces(first));
  const auto b = lines_of(in_pieces(second));
  std::string mixed = "srun: error: something\n";
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < b.size()) mixed += b[b.size() - 1 - i] + "\n";
    if (i < a.size()) mixed += a[i] + "\n";
  }
  const std::vector<NodeReport> reports = collect_reports(mixed);
  REQUIRE(reports.size() == 2);
  CHECK(reports[0] == first);
  CHECK(reports[1] == second);
}

TEST_CASE("no piece is longer than what Slurm passes on whole") {
  for (const std::string& line : lines_of(in_pieces(report_of("a-node-with-a-long-name", 5000))))
    CHECK(line.size() < 1000);
}

TEST_CASE("a report of which a piece is missing, or which is broken, is none") {
  auto lines = lines_of(in_pieces(report_of("n0", 3000)));
  REQUIRE(lines.size() > 2);
  std::string text;
  for (std::size_t i = 1; i < lines.size(); ++i) text += lines[i] + "\n";
  CHECK(collect_reports(text).empty());
  CHECK(collect_reports("huddle-doctor n0 0 1 {\"format\": 3}\n").empty());
  CHECK(collect_reports("huddle-doctor n0 5 1 {}\nhuddle-doctor n0 x y\nhuddle-doctor\n").empty());
}
