#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/operations/doctor/finding.hpp"

namespace huddle::doctor {

/// Names of what should be the same on all nodes.
inline constexpr const char* kPluginFact = "plugin";
inline constexpr const char* kCommandFact = "command";
inline constexpr const char* kPolicyFact = "policy";
inline constexpr const char* kMachineFact = "machine";
inline constexpr const char* kModelFact = "model";
inline constexpr const char* kTopologyFact = "topology";
inline constexpr const char* kDriverFact = "frequency driver";
inline constexpr const char* kGovernorFact = "governor";

/// The findings of `huddle doctor --node` on one node.
struct NodeReport {
  std::string node;
  /// The node's clock when the report was made, in s since 1970.
  double time_s = 0;
  /// Facts that should be the same on all nodes, as text.
  std::map<std::string, std::string> facts;
  /// Their `nodes` are empty: they are this node's.
  std::vector<Finding> findings;

  friend bool operator==(const NodeReport&, const NodeReport&) = default;
};

/// One line of ASCII, without a newline.
std::string to_json(const NodeReport& report);
/// Throws FormatError.
NodeReport parse_node_report(std::string_view text, std::string_view source);

/// The report in lines that stay whole where many nodes write to one stream: Slurm passes lines of
/// up to 1 KiB on in one piece.
std::string in_pieces(const NodeReport& report);

/// Finds the pieces of reports among other lines, and puts them together. A report of which a piece
/// is missing or broken is left out.
std::vector<NodeReport> collect_reports(std::string_view lines);

}  // namespace huddle::doctor
