#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "spank_plugin/submission/asked/aggregate_option.hpp"
#include "spank_plugin/submission/asked/refusal.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// The program of Slurm's that submits.
enum class Submitter : std::uint8_t {
  kAllocator,   ///< sbatch or salloc: steps come later, on nodes that are known by then
  kDirectSrun,  ///< an srun that makes its own job: laid out before its nodes have names
};

/// Memory that a packed job asks for on its nodes, in place of what was asked for.
struct PackedMemory {
  /// True if it is all that a node has, which costs nobody anything.
  bool all = false;
  /// Else as much for each rank; 0: what was asked for stays.
  Bytes of_rank = {};
};

/// A job that is about to be submitted: what its user asks for, within what the site allows.
struct SubmittedJob {
  /// The request to `huddle plan` about it.
  PlanRequest request;

  Mode mode = Mode::kOff;
  /// True if the user asked for the mode; else it is the site's default.
  bool asked = false;
  /// True if advice is to be the table of patterns: its user wrote the option on the command line.
  bool shows_table = false;
  /// Why the mode is not allowed to this job, for the user; else empty.
  std::string refusal;
  /// Refuses fewer nodes than it asks for.
  Verdict kept_nodes;
  /// True if its ranks see all that is there for it on their node, such as GPUs, and choose
  /// themselves; only with PlanRequest::keeps_nodes.
  bool ranks_choose = false;
  /// True if its user said so: then there is nothing to measure it for but frequencies.
  bool user_keeps_nodes = false;
  /// Memory of a job that is packed: what its user or the site gives it on a node would be too
  /// little for more ranks there.
  PackedMemory packed_memory;
  /// Keep where the site does not let frequencies be set at all.
  FrequencyWish frequency;
  /// The site's: what the plan's frequencies are cut to.
  std::optional<FrequencyRange> frequency_limit;
  /// True if the run is traced; in mode profile only.
  bool trace = false;
  /// True if its clocks are to follow the loads of its ranks while it runs.
  bool balance = false;
  /// True if Huddle may act on the threads of its ranks while it runs.
  bool threads = false;
  /// And whether it may bind them to fewer cores: with threads=pack, and with threads=auto where
  /// ranks have several. Only with `threads`.
  bool packs_threads = false;
  /// Wishes that are not done, or are cut to a limit: phrases for the user.
  std::vector<std::string> remarks;

  Submitter by = Submitter::kAllocator;
  /// The absolute path of the user's own plan; empty if there is none.
  std::string plan;
  /// Refuses any other layout than its own.
  Verdict kept_layout;
  /// Refuses to measure it.
  Verdict unmeasured;
  /// True where its ranks were placed or bound by the user, or may share their nodes.
  bool placed_by_user = false;
};

/// The terms that user and site agree on: all that does not depend on Slurm's options. `policy` is
/// the one for the submitter.
SubmittedJob agree_on_terms(const AggregateOption& option, const Policy& policy);

/// Adds what the options of sbatch, salloc or srun say, and the files that `option` names. Throws
/// Error if Slurm's options can't be understood.
void add_submission(SubmittedJob& job, const AggregateOption& option, const Policy& policy,
                    const SlurmClient& slurm, Submitter by);

/// The plan's frequencies within the site's limit; a limit that leaves nothing, or that the range
/// lies outside of, is followed as near as can be: nothing is returned if there is none at all.
std::optional<FrequencyRange> within_limit(const FrequencyRange& range,
                                           const std::optional<FrequencyRange>& limit);

}  // namespace huddle::submission
