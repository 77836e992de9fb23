#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/benchmark/mapping_engines.hpp"

namespace huddle {

/// The instance to measure, and how.
struct RowOptions {
  std::string instance;
  std::uint32_t vertices = 0;
  /// The seed of the graph, its shuffle and the engines.
  std::uint32_t seed = 1;
  /// Empty: 2:2:2:(vertices/8), rounded up.
  std::string hierarchy;
  std::string distance = "1:10:100:1000";
  unsigned threads = 2;
  unsigned rounds = 1;
  /// A run that takes longer is ended; 0: none is.
  unsigned limit_seconds = 0;
};

/// The result of one engine for an instance.
struct Cell {
  const MappingEngine* engine = nullptr;
  /// The mapping of the first round; empty if there is none.
  std::vector<std::uint32_t> core_of;
  /// J of that; of no meaning without it.
  std::uint64_t cost = 0;
  /// The most vertices that share a core.
  std::uint32_t largest_load = 0;
  /// One for each round.
  std::vector<double> wall_seconds;
  std::vector<double> processor_seconds;
  /// The peak memory of all rounds, in MiB, the graph included.
  double peak_mib = 0;
  /// Why there is no mapping.
  std::string failure;

  [[nodiscard]] bool mapped() const { return !core_of.empty(); }
  /// A vertex a core.
  [[nodiscard]] bool balanced() const { return mapped() && largest_load == 1; }
};

/// The results of all engines for an instance.
struct Row {
  RowOptions options;
  std::string hierarchy;
  std::vector<Cell> cells;
  /// A bound that no J can be below; 0 if none is known.
  std::uint64_t optimum = 0;
  /// The optimum, or the least J of a mapping with a vertex a core; 0 if there is neither.
  std::uint64_t reference = 0;
  /// The faults found, each a sentence for whoever reads the table.
  std::vector<std::string> faults;
};

/// Runs the engines in turns, each run in a process of its own, and checks what they find. Throws
/// UsageError if the instance or the hierarchy can't be.
Row measured_row(const RowOptions& options, std::span<const MappingEngine* const> engines);

}  // namespace huddle
