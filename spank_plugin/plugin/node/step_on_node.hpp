#pragma once

// Facts that the tasks of a step on one node share. slurmstepd finds them out once, and its tasks,
// which are copies of it, know it: each of them would read the policy and the plan again.

#include <cstdint>
#include <string>

#include "profiles/formats/plan/node_places.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {

/// A step's share of a node. All of it is worked out with the user's rights.
class StepOnNode {
 public:
  /// Reads the policy if anything was decided for this step, and the plan that it is laid out by,
  /// if there is one, in a process of its own: root reads nothing that a user wrote. Throws Error
  /// if the policy can't be read or believed.
  StepOnNode(spank_t spank, const submission::Settings& settings);

  /// Why Huddle does nothing though something was decided; else empty.
  [[nodiscard]] const std::string& why_switched_off() const { return why_switched_off_; }
  [[nodiscard]] bool allows_threads() const { return allows_threads_; }
  /// False where Slurm binds the ranks of a plan: other jobs share the node, and nothing says which
  /// cores are the step's.
  [[nodiscard]] bool binds_ranks() const { return binds_ranks_; }
  /// The PUs that the plan has for a rank; where other jobs share the node, those of the step's own
  /// cores that come in the place of the planned ones. Throws Error if there is no plan that can be
  /// read, or Slurm laid the step out in another way.
  [[nodiscard]] PuSet pus_of(spank_t spank, std::uint32_t rank) const;

 private:
  std::string why_switched_off_;
  bool allows_threads_ = true;
  bool binds_ranks_ = true;
  std::string places_;  ///< text_of(NodePlaces)
  std::string why_no_places_;
};

/// For user_init: what prepare_task() then needs not find out. Throws as StepOnNode does.
void look_at_node(spank_t spank, const submission::Settings& settings);

/// Returns what look_at_node() saw in slurmstepd; else looks now. Throws as StepOnNode does.
StepOnNode step_on_node(spank_t spank, const submission::Settings& settings);

}  // namespace huddle::plugin
