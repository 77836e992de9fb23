#pragma once

#include <filesystem>
#include <string>

#include "tests/evaluation/simulation.hpp"

namespace huddle::evaluation {

/// Keeps simulated runs in files, each named after all that the run depends on, so that a second
/// evaluation simulates only what changed. Safe from several processes at once.
class RunStore {
 public:
  /// Makes the folder if it is not there.
  explicit RunStore(std::filesystem::path folder);

  /// The run, from its file or else simulated in a child process. Throws Error if that fails.
  [[nodiscard]] Run run(const Cluster& cluster, const Program& program,
                        const Placement& placement) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace huddle::evaluation
