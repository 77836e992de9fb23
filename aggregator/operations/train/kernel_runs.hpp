#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// How `huddle train --run` measures.
struct KernelRunOptions {
  /// Empty: telling_patterns().
  std::vector<Pattern> patterns;
  /// Empty: all.
  std::vector<std::string> kernels;
  /// How often everything is run; of each kernel and pattern the run counts that computed least:
  /// what disturbs a run only ever adds time.
  unsigned turns = 1;
  /// For all runs together. What can't be run in it is left out, but for the first two patterns'
  /// first turn.
  Seconds budget{600};
  std::string launcher = "mpirun";
  /// Empty: allocated_hosts().
  std::vector<std::string> hosts;
  /// Where profiles are kept; made if need be. What is there already is not run again.
  std::filesystem::path folder;
  /// Empty: the installed ones; the program otherwise stands beside the recorder.
  std::string recorder;
  std::string program;
};

/// Runs the training kernels on patterns of `node` under the recorder, or takes the profiles that
/// the folder holds of them. Each kernel does the same number of iterations everywhere. Returns the
/// files of the profiles that count, one for each kernel and pattern. Says on standard error what
/// it is about to do, and shows progress. Throws Error if a run fails, is interrupted or leaves no
/// profile: then the same command goes on behind what is done; UsageError if a kernel or a pattern
/// does not exist.
std::vector<std::string> run_kernels(const KernelRunOptions& options, const NodeTopology& node);

/// "90", "90s", "10m" or "1.5h"; nothing if it is none, or not above 0.
std::optional<Seconds> parse_duration(std::string_view text);

}  // namespace huddle
