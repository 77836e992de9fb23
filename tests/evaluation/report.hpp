#pragma once

#include <string>
#include <vector>

#include "tests/evaluation/study.hpp"

namespace huddle::evaluation {

/// The tables as Markdown: all cases, then by number of ranks, topology, contention and program;
/// once for profiles with hardware events and once for those with times only.
std::string report_of(const std::vector<CaseScore>& scores, bool trained);

/// A result that can't be, whatever the predictor does, such as a number that is none; empty if all
/// is well.
std::string nonsense_in(const std::vector<CaseScore>& scores);

}  // namespace huddle::evaluation
