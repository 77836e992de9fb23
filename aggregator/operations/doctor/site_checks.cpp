#include "aggregator/operations/doctor/site_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace huddle::doctor {
namespace {

constexpr double kClockTolerance = 2;

struct Comparison {
  const char* fact;
  Verdict verdict;
  const char* advice;
};

constexpr std::array kComparisons = {
    Comparison{kPluginFact, Verdict::kWrong, "install the same package on all nodes"},
    Comparison{kCommandFact, Verdict::kWrong, "install the same package on all nodes"},
    Comparison{kPolicyFact, Verdict::kWrong, "copy huddle.toml to all nodes"},
    Comparison{kMachineFact, Verdict::kWrong, "copy the machine document to all nodes"},
    Comparison{kModelFact, Verdict::kWrong, "copy the model to all nodes"},
    Comparison{kTopologyFact, Verdict::kWarning,
               "use Huddle in partitions whose nodes are alike: a plan is for one kind of node"},
    Comparison{kDriverFact, Verdict::kWarning, "see the firmware's settings of these nodes"},
    Comparison{kGovernorFact, Verdict::kWarning,
               "set the same governor on all nodes: ranks on slower ones hold the others up"},
};

std::string fact_of(const std::map<std::string, std::string>& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::string() : found->second;
}

std::string most_frequent(const std::vector<NodeReport>& reports, const char* name) {
  std::map<std::string, std::size_t> counts;
  for (const NodeReport& report : reports)
    if (const std::string value = fact_of(report.facts, name); !value.empty()) ++counts[value];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::string() : most->first;
}

// True if a node's name stands in a line, and is no part of a longer name: n1 is not in "n10".
bool mentions(std::string_view line, const std::string& node) {
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (std::size_t at = 0; (at = line.find(node, at)) != std::string_view::npos; ++at) {
    const bool begins = at == 0 || !is_of_name(line[at - 1]);
    const std::size_t end = at + node.size();
    if (begins && (end == line.size() || !is_of_name(line[end]))) return true;
  }
  return false;
}

std::string line_about(std::string_view said, const std::string& node) {
  while (!said.empty()) {
    const std::string_view line = said.substr(0, said.find('\n'));
    if (line.find("error") != std::string_view::npos && mentions(line, node))
      return std::string(line);
    said.remove_prefix(std::min(line.size() + 1, said.size()));
  }
  return {};
}

}  // namespace

std::vector<Finding> check_answers(const std::vector<std::string>& expected,
                                   const std::vector<NodeReport>& reports, std::string_view said) {
  std::vector<Finding> findings;
  std::vector<std::string> answered;
  for (const std::string& node : expected) {
    const bool reported =
        std::any_of(reports.begin(), reports.end(),
                    [&](const NodeReport& report) { return report.node == node; });
    if (reported) {
      answered.push_back(node);
      continue;
    }
    const std::string line = line_about(said, node);
    findings.push_back(
        {"nodes",
         Verdict::kWrong,
         line.empty() ? std::string("gave no answer")
                      : fmt::format("could not be examined: {}", line),
         "install this version of huddle there, and see whether jobs run there at all",
         {node}});
  }
  if (!answered.empty())
    findings.insert(findings.begin(), {"nodes", Verdict::kOk, "examined", "", answered});
  return findings;
}

std::vector<Finding> check_alike(const std::map<std::string, std::string>& here,
                                 const std::vector<NodeReport>& reports) {
  std::vector<Finding> findings;
  for (const Comparison& comparison : kComparisons) {
    const std::string own = fact_of(here, comparison.fact);
    const std::string reference = own.empty() ? most_frequent(reports, comparison.fact) : own;
    for (const NodeReport& report : reports) {
      const std::string value = fact_of(report.facts, comparison.fact);
      if (value.empty() || value == reference) continue;
      findings.push_back(
          {"alike",
           comparison.verdict,
           fmt::format("another {} than {}: {}, not {}", comparison.fact,
                       own.empty() ? "most nodes" : "where this was asked", value, reference),
           comparison.advice,
           {report.node}});
    }
  }
  if (findings.empty() && !reports.empty())
    findings.push_back(
        ok("alike", fmt::format("{} node(s) have the same plugin, command, files and hardware",
                                reports.size())));
  return findings;
}

std::vector<Finding> check_clocks(const std::vector<NodeReport>& reports, double asked_s,
                                  double answered_s) {
  std::vector<Finding> findings;
  for (const NodeReport& report : reports) {
    const double behind = asked_s - report.time_s;
    const double ahead = report.time_s - answered_s;
    if (std::max(behind, ahead) <= kClockTolerance) continue;
    findings.push_back({"clocks",
                        Verdict::kWarning,
                        fmt::format("the clock is at least {:.0f} s {}", std::max(behind, ahead),
                                    behind > ahead ? "behind" : "ahead"),
                        "let chrony or ntpd run there: profiles are ordered by time",
                        {report.node}});
  }
  if (findings.empty() && !reports.empty())
    findings.push_back(
        ok("clocks", fmt::format("within {:.1f} s of this machine's, as far as asking can tell",
                                 answered_s - asked_s + kClockTolerance)));
  return findings;
}

std::vector<Finding> findings_of(const std::vector<NodeReport>& reports) {
  std::vector<Finding> findings;
  for (const NodeReport& report : reports)
    for (Finding finding : report.findings) {
      finding.nodes = {report.node};
      findings.push_back(std::move(finding));
    }
  return findings;
}

}  // namespace huddle::doctor
