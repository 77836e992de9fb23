#pragma once

// Slurm's side of the plugin, without Slurm: what hooks are asked about, and what they did. The
// functions of slurm/spank.h that the plugin calls are in fake_spank.cpp, and so are those that ask
// slurmctld for nodes and partitions. Lists of host names are read by the real libslurm.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spank_plugin/plugin/spank_api.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle::plugin {

/// A node as slurmctld describes it.
struct FakeNode {
  std::string name;
  std::uint16_t cpus = 8;
  /// CPUs without those that are kept for the system; 0: slurmctld does not say.
  std::uint16_t effective_cpus = 0;
  std::uint32_t state = NODE_STATE_IDLE;
  std::string features = {};
  /// Absent: the same as `features`, which slurmctld expresses by a null pointer.
  std::optional<std::string> active_features = {};
  /// 0: slurmctld does not say.
  std::uint16_t sockets = 0;
  std::uint16_t cores_per_socket = 0;
  std::uint16_t threads_per_core = 1;
};

/// A partition as slurmctld describes it. All nodes may use it that its ranges name.
struct FakePartition {
  std::string name;
  /// Pairs of first and last node, by index.
  std::vector<int> ranges;
  bool by_default = false;
  std::uint32_t min_nodes = 0;
  std::uint32_t max_cpus_per_node = INFINITE;
};

/// One Slurm for the whole process, since SPANK's functions have no place for another.
struct FakeSpank {
  spank_context_t context = S_CTX_REMOTE;
  /// The environment of the task or the step.
  std::map<std::string, std::string, std::less<>> environment;
  /// A variable that can't be set.
  std::string refused_variable;

  // The answers of spank_get_item(). An item that is not here fails.
  std::map<spank_item_t, std::uint32_t> numbers;
  std::map<spank_item_t, std::string> texts;
  /// The words that the task is started with; empty: Slurm does not give them.
  std::vector<char*> command;
  /// Global ranks of the tasks of this node.
  std::vector<std::uint32_t> local_ranks;

  /// The lines that slurm_spank_log() wrote for the user, and those that slurmd's log got.
  std::vector<std::string> lines;
  std::vector<std::string> logged;

  /// The option that was registered; its callback is null before.
  spank_option option{};
  bool takes_options = true;

  // slurmctld.
  bool controller_answers = true;
  /// True if the controller shows its nodes to operators only: not all of them, or, if there are
  /// none, it refuses to.
  bool hides_nodes = false;
  std::vector<FakeNode> nodes;
  std::vector<FakePartition> partitions;
  /// Messages from slurmctld that nobody has freed.
  int messages = 0;

  /// The option table of sbatch, salloc or srun; see slurm_option_get().
  std::map<std::string, std::string, std::less<>> options;
};

/// The process's Slurm.
FakeSpank& fake_spank();

/// A test's own Slurm: a fresh one, which holds until the test ends. The process's variables that
/// `variables` names are unset meanwhile, and put back at the end.
class SlurmForATest {
 public:
  explicit SlurmForATest(std::vector<std::string> variables = {});
  ~SlurmForATest();
  SlurmForATest(const SlurmForATest&) = delete;
  SlurmForATest& operator=(const SlurmForATest&) = delete;

  FakeSpank* operator->() const { return &fake_spank(); }
  /// The handle that hooks are given.
  [[nodiscard]] spank_t handle() const { return nullptr; }
  /// Sets a variable of this process, which must be one of `variables`.
  void set_variable(const std::string& name, const std::string& value) const;
  /// Sets a word of HUDDLE_STEP, which must be one of them, too.
  void tell(StepWord word, const std::string& value) const;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace huddle::plugin
