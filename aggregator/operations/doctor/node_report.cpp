#include "aggregator/operations/doctor/node_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "profiles/formats/document/document.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::doctor {
namespace {

constexpr std::string_view kName = "node-report";
constexpr unsigned kVersion = 1;
constexpr std::string_view kPieceMark = "huddle-doctor";
constexpr std::size_t kPieceBytes = 600;
constexpr std::size_t kMostPieces = 10000;

Verdict read_verdict(const Field& field) {
  for (const Verdict verdict : {Verdict::kOk, Verdict::kWarning, Verdict::kWrong})
    if (field.text() == name_of(verdict)) return verdict;
  field.fail("\"ok\", \"warning\" or \"wrong\"");
}

struct Pieces {
  std::size_t wanted = 0;
  std::map<std::size_t, std::string> found;
};

}  // namespace

std::string to_json(const NodeReport& report) {
  nlohmann::ordered_json document = new_document(kName, kVersion);
  document["node"] = utf8(report.node);
  document["time_s"] = report.time_s;
  document["facts"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : report.facts) document["facts"][name] = utf8(value);
  document["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings)
    document["findings"].push_back({{"check", finding.check},
                                    {"verdict", name_of(finding.verdict)},
                                    {"what", utf8(finding.what)},
                                    {"advice", utf8(finding.advice)}});
  constexpr int kOneLine = -1;
  constexpr bool kAsciiOnly = true;
  return document.dump(kOneLine, ' ', kAsciiOnly);
}

NodeReport parse_node_report(std::string_view text, std::string_view source) {
  const Document document = Document::parse(text, source, kName, kVersion);
  const Field root = document.root();
  NodeReport report;
  report.node = root.at("node").text();
  report.time_s = root.at("time_s").non_negative();
  root.at("facts").for_each_member(
      [&](const std::string& name, const Field& value) { report.facts[name] = value.text(); });
  root.at("findings").for_each([&](const Field& entry) {
    report.findings.push_back({entry.at("check").text(),
                               read_verdict(entry.at("verdict")),
                               entry.at("what").text(),
                               entry.at("advice").text(),
                               {}});
  });
  return report;
}

std::string in_pieces(const NodeReport& report) {
  const std::string text = to_json(report);
  const std::size_t count = (text.size() + kPieceBytes - 1) / kPieceBytes;
  std::string lines;
  for (std::size_t i = 0; i < count; ++i)
    lines += fmt::format("{} {} {} {} {}\n", kPieceMark, report.node, i, count,
                         text.substr(i * kPieceBytes, kPieceBytes));
  return lines;
}

std::vector<NodeReport> collect_reports(std::string_view lines) {
  std::map<std::string, Pieces> of_nodes;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string mark;
    std::string node;
    std::size_t index = 0;
    std::size_t count = 0;
    if (!(words >> mark >> node >> index >> count) || mark != kPieceMark || index >= count ||
        count > kMostPieces || words.get() != ' ')
      continue;
    Pieces& pieces = of_nodes[node];
    pieces.wanted = count;
    std::getline(words, pieces.found[index]);
  }
  std::vector<NodeReport> reports;
  for (const auto& [node, pieces] : of_nodes) {
    if (pieces.found.size() != pieces.wanted) continue;
    std::string text;
    for (const auto& [index, piece] : pieces.found) text += piece;
    try {
      reports.push_back(parse_node_report(text, node));
    } catch (const FormatError&) {  // another version's, or mixed up: counts as no report
    }
  }
  return reports;
}

}  // namespace huddle::doctor
