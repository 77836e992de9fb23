#pragma once

// Efficiencies for people.

#include <cstdint>
#include <functional>
#include <string>

#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/efficiency/scaling.hpp"

namespace huddle::efficiency {

/// Phases as another table lists them: the number of the one with this id, from 1 on.
using PhaseNumber = std::function<std::size_t(std::uint64_t)>;

/// "62.5 %"; "~62.5 % (+-1.6)" where sampled times make it uncertain by twice its standard error.
std::string share_text(double share, double standard_error = 0);

/// The factors in one line: "parallel efficiency 62.5 % = load balance 62.5 % x communication 100.0
/// %"; of a hybrid program MPI's and OpenMP's, each with its own factors.
std::string efficiency_words(const RunEfficiency& run);

/// Names the part that loses most: "load balance", "communication", "OpenMP's load balance", ...
std::string weakest_part(const Efficiency& efficiency);

/// The run's factors as a table, and nodes and phases, each below an empty line.
std::string efficiency_text(const RunEfficiency& run, const PhaseNumber& number_of);

/// Says in a sentence where the program stops scaling, as far as its runs show it.
std::string outlook_text(const Scaling& scaling);

/// Runs side by side, and where they stop scaling.
std::string scaling_text(const Scaling& scaling);

}  // namespace huddle::efficiency
