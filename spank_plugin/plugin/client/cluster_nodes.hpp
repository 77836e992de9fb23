#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spank_plugin/submission/slurm_client.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle::plugin {

/// The answers of Slurm's controller about its cluster. Each list is asked for once, when it is
/// first needed, since a request takes the better part of a millisecond and a submission has up to
/// eight questions; so an object is for one submission. Not thread-safe. All functions throw Error
/// if the controller does not answer.
class ControllerAnswers {
 public:
  ControllerAnswers();

  [[nodiscard]] const partition_info_msg_t& partitions() const;
  /// Null where the site shows its nodes to operators only (PrivateData=nodes).
  [[nodiscard]] const node_info_msg_t* nodes() const;
  [[nodiscard]] const slurm_conf_t& configuration() const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

/// The single names in Slurm's short form of a node list: "n[0-2,7]" is n0, n1, n2 and n7. Throws
/// Error if Slurm can't read it.
std::vector<std::string> expand_node_names(const std::string& node_list);

/// The partitions that a job with these options may run in: those that the user names, or Slurm's
/// default one. Throws Error if Slurm's controller does not answer, or knows none of such a name.
std::vector<std::string> partitions_of(const ControllerAnswers& controller,
                                       const submission::SlurmClient& options);

/// Why a job can't have `nodes` nodes, each alone and with what `node` says, where it is to run;
/// empty if it can. What a plan needs may not be what the site has: nodes that differ from what its
/// machine document says, nodes that are down, or a partition's own limits. Slurm would refuse such
/// a job, let it wait for ever, or run it on nodes that the plan is not for. Asks Slurm's
/// controller; throws Error if it does not answer. Where it shows its nodes to operators only
/// (PrivateData=nodes), just partitions count: whether there are the nodes is then left to a trial
/// submission.
std::string why_nodes_are_missing(const ControllerAnswers& controller,
                                  const submission::SlurmClient& options, std::uint32_t nodes,
                                  const submission::NodeNeed& node);

/// The terms on which the job gets nodes in the partitions that it may run in. Throws Error if
/// Slurm's controller does not answer.
submission::NodeTerms node_terms(const ControllerAnswers& controller,
                                 const submission::SlurmClient& options);

/// The memory that jobs may have of these nodes, together; 0 where the site shows its nodes to
/// operators only. Throws Error if Slurm's controller does not answer.
Bytes memory_of_nodes(const ControllerAnswers& controller, const std::vector<std::string>& names);

/// True if Slurm knows which accounts users have (slurmdbd). Throws Error if Slurm's controller
/// does not answer.
bool accounts_are_kept(const ControllerAnswers& controller);

/// True if limits of associations and of QOS hold on this site (AccountingStorageEnforce). Throws
/// Error if Slurm's controller does not answer.
bool limits_are_enforced(const ControllerAnswers& controller);

/// The QOS that the partitions which the job may run in bring along. Throws Error if Slurm's
/// controller does not answer.
std::set<std::string> qos_of_partitions(const ControllerAnswers& controller,
                                        const submission::SlurmClient& options);

/// The shortest time limit that a job gets in the partitions that it may run in if it does not say
/// one; absent: it has none. Throws Error if Slurm's controller does not answer.
std::optional<Seconds> usual_time_limit(const ControllerAnswers& controller,
                                        const submission::SlurmClient& options);

}  // namespace huddle::plugin
