#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/plan_parts.hpp"
#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::submission {

/// Needs of a job on each of its nodes.
struct NodeNeed {
  std::uint32_t cpus = 0;
  /// 0: not known.
  Bytes memory = {};
  /// Absent: any.
  std::optional<NodeShape> shape = {};
  /// True if it must be alone there, with all that the node has.
  bool whole = true;
};

/// The terms on which a job gets nodes where it is to run; of several partitions, those that give
/// it least.
struct NodeTerms {
  /// True if no other job is on its nodes, whatever it asks for, and all of their CPUs are charged.
  bool whole_nodes = false;
  /// The memory that a job has on each node if it does not say how much it wants (DefMemPerNode);
  /// 0: that goes by CPUs, or is all that there is.
  Bytes memory = {};
  /// True if memory is charged, too (TRESBillingWeights).
  bool charges_memory = false;
};

/// Slurm's answer to a trial submission.
struct TrialAnswer {
  /// Why it would be refused, or never start: the limits of its user, account, QOS, partition or
  /// reservation, or what its nodes have. Empty if it would run.
  std::string refusal;
  /// The CPUs that it would be charged; 0: not known.
  std::uint32_t cpus = 0;
};

/// A change of Slurm's options.
struct OptionChange {
  std::string name;
  /// Empty: the option has none. Absent: the option goes back to Slurm's default.
  std::optional<std::string> value;
};

/// The sbatch, salloc or srun that submits a job or starts a step: all that the decisions of this
/// room see of Slurm and of the process that they are made in. The plugin implements it; tests
/// bring their own. For one thread.
class SlurmClient {
 public:
  virtual ~SlurmClient() = default;

  /// True if this Slurm lets plugins at its options. If not, those below must not be called.
  [[nodiscard]] virtual bool shows_options() const = 0;
  /// Options go by their long names. Whether the user set this one: on the command line, in the
  /// script, or by the environment.
  [[nodiscard]] virtual bool is_set(const char* option) const = 0;
  /// The value as text; empty if Slurm has none.
  [[nodiscard]] virtual std::string get(const char* option) const = 0;
  /// `value`: null for an option without one. False if Slurm does not take it; it may have changed
  /// something all the same.
  virtual bool set(const char* option, const char* value) = 0;
  /// Back to Slurm's default.
  virtual void reset(const char* option) = 0;

  /// The environment of this process, which the job inherits.
  [[nodiscard]] virtual std::optional<std::string> variable(const char* name) const = 0;
  /// Throws SystemError.
  virtual void set_variable(const char* name, const std::string& value) = 0;
  virtual void unset_variable(const char* name) = 0;

  /// The user who submits: name, home directory, and the names of the groups, the primary one
  /// first.
  [[nodiscard]] virtual std::string user() const = 0;
  [[nodiscard]] virtual std::string home() const = 0;
  [[nodiscard]] virtual std::vector<std::string> groups() const = 0;
  /// The words of this process's command line, its name first.
  [[nodiscard]] virtual std::vector<std::string> command_line() const = 0;
  /// The words of the program that an srun starts, its name first; empty if they are not known.
  [[nodiscard]] virtual std::vector<std::string> program() const = 0;
  /// The text of the batch script that is submitted, its first MiB; empty where there is none, as
  /// for salloc and srun. Nothing if it can't be looked at.
  [[nodiscard]] virtual std::optional<std::string> script() const = 0;

  /// The partitions that the job may run in: those that the user names, or Slurm's default one.
  /// Throws Error if Slurm's controller does not answer, or knows no partition of such a name.
  [[nodiscard]] virtual std::vector<std::string> partitions() const = 0;
  /// The account that the job gets, in Slurm's spelling: the one that the user names, or the user's
  /// default one. Where Slurm keeps no accounts it is what the user says, or empty. Throws Error if
  /// Slurm's controller does not answer, or has no such account for this user.
  [[nodiscard]] virtual std::string account() const = 0;
  /// Why the job can't have `nodes` nodes, each of them alone and with `node`, where it is to run;
  /// empty if it can. Throws Error if Slurm's controller does not answer.
  [[nodiscard]] virtual std::string why_nodes_are_missing(std::uint32_t nodes,
                                                          const NodeNeed& node) const = 0;
  /// Asks Slurm's controller. Throws Error if it does not answer.
  [[nodiscard]] virtual NodeTerms node_terms() const = 0;
  /// True if the cluster has cores with several threads, as far as Slurm shows its nodes: unless a
  /// job says otherwise, ranks of a node then get a thread each. Throws Error if Slurm's controller
  /// does not answer.
  [[nodiscard]] virtual bool has_several_threads() const = 0;
  /// The time limit of a job that does not say one; absent: there is none. Throws Error if Slurm's
  /// controller does not answer.
  [[nodiscard]] virtual std::optional<Seconds> usual_time_limit() const = 0;
  /// Tries what Slurm would do with the job as its options are now. Nothing is submitted. Throws
  /// Error if Slurm's controller does not answer.
  [[nodiscard]] virtual TrialAnswer try_submission() const = 0;
  /// The single names in Slurm's short form of a node list. Throws Error if Slurm can't read it.
  [[nodiscard]] virtual std::vector<std::string> node_names(const std::string& list) const = 0;

  /// One line to the user, on the standard error of this process.
  virtual void say(const std::string& line) = 0;
};

/// Reads and writes a submission's words to its job (HUDDLE_STEP), in the environment of this
/// process: as variable(), set_variable() and unset_variable().
std::optional<std::string> told(const SlurmClient& slurm, StepWord word);
void tell(SlurmClient& slurm, StepWord word, const std::string& value);
void untell(SlurmClient& slurm, StepWord word);

/// The option, from Slurm 23.11 on, that says as well how many CPUs a task has. Where nobody sets
/// it, Slurm fills it in by --cpus-per-task before it asks plugins.
inline constexpr const char* kTresPerTask = "tres-per-task";

/// Makes all changes or none: what was changed before an option that Slurm refuses is put back.
/// Returns what puts all of it back. Throws Error that names the refused option.
std::vector<OptionChange> change_options(SlurmClient& slurm,
                                         const std::vector<OptionChange>& changes);

/// Number of nodes that a job asks for.
struct NodeRange {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

/// A value of --nodes, "8" or "4-8"; nothing if the text is neither.
std::optional<NodeRange> parse_node_range(std::string_view text);

}  // namespace huddle::submission
