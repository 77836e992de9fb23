#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/operations/doctor/node_report.hpp"

namespace huddle::doctor {

/// Checks that each of the `expected` nodes reported; where one did not, quotes what `said` (the
/// launcher's standard error) has about it.
std::vector<Finding> check_answers(const std::vector<std::string>& expected,
                                   const std::vector<NodeReport>& reports, std::string_view said);

/// Checks that the facts that should be the same on all nodes are: as on the machine that asked
/// (`here`) where it has such a fact, else as on most nodes.
std::vector<Finding> check_alike(const std::map<std::string, std::string>& here,
                                 const std::vector<NodeReport>& reports);

/// Checks that the nodes' clocks are within 2 s of the one of the machine that asked: their reports
/// were made between `asked_s` and `answered_s` of its own, and so this sees only what differs by
/// more than asking took.
std::vector<Finding> check_clocks(const std::vector<NodeReport>& reports, double asked_s,
                                  double answered_s);

/// The findings of the reports, each with its node.
std::vector<Finding> findings_of(const std::vector<NodeReport>& reports);

}  // namespace huddle::doctor
