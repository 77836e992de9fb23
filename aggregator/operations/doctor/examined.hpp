#pragma once

#include <map>
#include <string>

#include "aggregator/operations/doctor/finding.hpp"

namespace huddle::doctor {

/// What a check of one machine found, and what of it should be the same on all nodes.
struct Examined {
  Finding finding;
  /// By the names in node_report.hpp.
  std::map<std::string, std::string> facts;
};

}  // namespace huddle::doctor
