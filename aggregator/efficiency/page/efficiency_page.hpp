#pragma once

// Pages for a browser of how efficient a run was, and of how a program scales. A page needs nothing
// but itself, and shows names as text, whatever they are.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/efficiency/busiest_pair.hpp"
#include "aggregator/efficiency/counter_rates.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/efficiency/scaling.hpp"

namespace huddle::efficiency {

/// The run that a page is of, for people.
struct RunTitle {
  /// The name of the program's file, or the job's.
  std::string program;
  /// As in the profile; empty: not known.
  std::string started;
  /// 0: not known.
  std::size_t nodes = 0;
};

/// The calls between which a phase group lies, for people.
struct PhasePlaces {
  std::uint64_t id = 0;
  std::string begin;
  std::string end;
};

/// `places`: of the phase groups; of those that lose most the page shows twenty.
std::string efficiency_page(const RunTitle& title, const RunEfficiency& run,
                            const CounterRates& rates, const std::optional<BusiestPair>& pair,
                            const std::vector<PhasePlaces>& places);

/// `program`: its name, for people.
std::string scaling_page(const std::string& program, const Scaling& scaling);

}  // namespace huddle::efficiency
