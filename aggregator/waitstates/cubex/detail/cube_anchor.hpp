#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/waitstates/cubex/detail/cube_metrics.hpp"
#include "aggregator/waitstates/cubex/detail/cube_trees.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// anchor.xml of a Cube file: the metrics, the call tree and the system tree. Metrics have their
/// indices as numbers, call paths and locations their places in the trees.
std::string cube_anchor(const WaitReport& report, const CubeCallTree& calls,
                        const CubeSystemTree& system, const std::vector<CubeMetric>& metrics);

/// `text` as it stands in XML 1.0, in an element or an attribute. What is no UTF-8, or no character
/// of XML, becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace huddle
