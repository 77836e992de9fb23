#pragma once

#include <string>
#include <vector>

#include "profiles/energyd/protocol/energy_answer.hpp"

namespace huddle::energyd {

/// The sensors of a node as text for Prometheus (its exposition format), which node_exporter reads
/// from a file. `steps`: how many run.
std::string energy_metrics(const std::vector<AnsweredSensor>& sensors, std::size_t steps);

}  // namespace huddle::energyd
