#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/formats/plan/plan_parts.hpp"

namespace huddle {

/// Range that cores shall be limited to, both bounds included, in the unit of Linux's cpufreq.
struct KilohertzRange {
  std::uint32_t min = 0;
  std::uint32_t max = 0;

  friend bool operator==(const KilohertzRange&, const KilohertzRange&) = default;
};

/// Answer of `huddle plan` to the plugin, which asks what to do with a job.
struct Decision {
  static constexpr std::string_view kFormat = "decision";
  static constexpr unsigned kVersion = 1;

  enum class Action : std::uint8_t {
    kApply,    ///< run as `plan_file` says
    kMeasure,  ///< run under the recorder: as submitted, or as `plan_file` says if there is one
    kLeave,    ///< run as submitted
  };
  Action action = Action::kLeave;
  /// One sentence for the user, without "huddle:" and without a full stop.
  std::string reason;

  /// The rest is set for kApply, and for kMeasure where the run is laid out to be a sample.
  std::string plan_file;
  std::uint32_t nodes = 0;
  std::uint32_t ranks_per_node = 0;
  /// "2:1:2", or "mixed" where nodes are filled in different ways; empty if the answer has none.
  std::string pattern = {};
  /// For kApply: the job keeps its nodes and all that it asked for; its steps follow the plan.
  bool keeps_nodes = false;
  /// The node that the plan was made for; absent: not known.
  std::optional<NodeShape> node_shape = {};
  /// For kApply: no job has followed the plan yet.
  bool untried = false;
  /// For kApply: the program was built anew since it was measured, and no run of this build has
  /// followed the plan yet.
  bool unconfirmed = false;

  /// Frequencies of all cores that the job gets; absent: they are left alone. This and the two
  /// below are not set for kMeasure, for kLeave only where frequencies change, and only where they
  /// are known.
  std::optional<KilohertzRange> frequency = {};
  /// Against the job as submitted; 0.05 is 5 % slower.
  std::optional<double> slowdown = {};
  /// The share of the submitted job's energy that is saved, at most 1; below 0 if more is needed.
  /// Absent without power figures.
  std::optional<double> energy_saving = {};

  /// The cores of teams, as a line for ranks whose threads may be packed (HUDDLE_TEAMS, see
  /// docs/formats/teams.md); empty: nothing. Only with kApply and kLeave.
  std::string teams = {};
  /// Why the teams are as they are, a phrase for the user; empty: nobody was asked for them.
  std::string teams_reason = {};
  /// True if no run shows yet what teams take on fewer cores, so that this one may try it. Only
  /// with a teams_reason, and without teams.
  bool teams_untried = false;

  /// With kLeave: whether the run is to be compared with packed ones, so that its steps, and those
  /// of mpirun, are recorded.
  bool compared = false;

  /// With kApply and kMeasure: what the job does at most one of its kind must do at a time, and
  /// this is the file by which it takes the place (profiles/store/job_claim.hpp); empty: any number
  /// may.
  std::string claim = {};

  /// Programs whose regions `teams` was chosen for, or was to be. Set only with a teams_reason,
  /// where a run was looked at for it, and only where `teams` may be.
  TeamPrograms teams_programs = {};

  [[nodiscard]] bool lays_out() const { return !plan_file.empty(); }
};

/// Throws FormatError; `source` is what errors call the text.
Decision parse_decision(std::string_view text, std::string_view source);
std::string to_json(const Decision& decision);

}  // namespace huddle
