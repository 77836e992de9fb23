#pragma once

// Runs the training programs that a model of computation is learnt from.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::operations {

/// A kernel that the training program does not have.
class UnknownKernel : public UsageError {
 public:
  using UsageError::UsageError;
};

struct KernelRunOptions {
  /// Empty: informative_patterns().
  std::vector<predict::Pattern> patterns;
  /// Empty: all.
  std::vector<std::string> kernels;
  /// Number of times that everything is run; of each kernel and pattern the run counts that
  /// computed least: what disturbs a run only ever adds time.
  unsigned turns = 1;
  /// For all runs together. What can't be run in it is left out, but for the first two patterns'
  /// first turn.
  Seconds budget{600};
  std::string launcher = "mpirun";
  /// Empty: allocated_hosts(), else this machine.
  std::vector<std::string> hosts;
  /// Where profiles are kept; made if need be. What is there already is not run again.
  std::filesystem::path folder;
  /// Empty: the installed ones; the program otherwise stands beside the recorder.
  std::string recorder;
  std::string program;
};

/// Called as runs go on.
struct KernelRunObserver {
  struct Beginning {
    std::size_t kernels = 0;
    std::size_t patterns = 0;
    std::size_t nodes = 0;
    std::size_t runs_to_make = 0;
    std::size_t runs_done = 0;
    /// Time of each run, about.
    Seconds duration;
  };
  /// Once, before the first run.
  std::function<void(const Beginning&)> begins;
  /// Before each run, by its number from 1 on.
  std::function<void(std::size_t run, std::size_t all)> runs;
};

struct KernelRunResult {
  /// Ranks that have less of a processor than this share of the time are disturbed by others.
  static constexpr double kUndisturbed = 0.95;

  /// Files of the profiles that count, one for each kernel and pattern.
  std::vector<std::string> profiles;
  /// Number of them that are of disturbed runs.
  std::size_t disturbed = 0;
  /// Number of runs that the budget had no time for.
  std::size_t left_out = 0;
};

/// Runs the training kernels on patterns of `node` under the recorder, or takes the profiles that
/// the folder holds of them. Each kernel does the same number of iterations everywhere. Throws
/// Error if a run fails, is interrupted or leaves no profile: then the same call goes on behind
/// what is done; NotFound; UnknownKernel; UsageError if the node has no such pattern.
KernelRunResult run_kernels(const KernelRunOptions& options, const commgraph::NodeTopology& node,
                            const KernelRunObserver& observer);

}  // namespace huddle::operations
