#pragma once

// Energy of steps as the nodes' meters counted it: one small file for each node of a step, which is
// written once when the step has ended, beside the records of its key.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle::store {

/// A numbered step on one node, from its begin to its end, as huddle-energyd knows it.
struct NodeStepEnergy {
  std::uint64_t job = 0;
  std::uint32_t step = 0;
  /// The node's name.
  std::string node;
  /// About when the step ended there.
  UtcTime end;
  /// For how long the energy is known.
  Seconds known;
  /// Energy of sensors that the step had alone, and its part of those that it shared.
  Joules measured;
  Joules attributed;
};

/// A step on all of its nodes.
struct StepEnergy {
  Joules measured;
  Joules attributed;

  [[nodiscard]] Joules energy() const { return measured + attributed; }
};

/// Writes it into a key's folder. Throws SystemError.
void store_step_energy(const std::filesystem::path& folder, const NodeStepEnergy& energy);

/// The energies in a key's folder, as they were when it was made. For any number of threads.
class StepEnergies {
 public:
  /// Reads the names only. Throws SystemError if the folder can't be listed.
  explicit StepEnergies(std::filesystem::path folder);

  /// That of a step which began at `start` and took `elapsed`. Nothing unless there is one of each
  /// of its `nodes`: what is known of some of them is not the step's. A requeued job keeps its
  /// number: what began or ended minutes apart from the step, by whichever node's clock, or went on
  /// for longer, is another one's. Files that can't be read are as none.
  [[nodiscard]] std::optional<StepEnergy> of(std::uint64_t job, std::uint32_t step,
                                             std::uint32_t nodes, UtcTime start,
                                             Seconds elapsed) const;

 private:
  std::filesystem::path folder_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::string>> names_;
};

}  // namespace huddle::store
