#pragma once

// Options of the regions of a rank, as a profile shows them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"
#include "aggregator/predict/hybrid/configuration_times.hpp"
#include "aggregator/teams/position_parts.hpp"
#include "aggregator/teams/tried_passes.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::teams {

/// Predicts a region, of which samples.samples[0] is as it ran, for each of `targets`; empty: it
/// can't.
using TimesPredictor = std::function<std::vector<predict::TeamTime>(
    const predict::PhaseSamples& samples, std::span<const hybrid::TeamConfiguration> targets)>;

/// Makes the regions of ranks, one rank after the other. `node`, `predict` and `may_shrink`, which
/// are as teams_of_profile() has them, must outlive it.
class RegionMenus {
 public:
  RegionMenus(const Profile& profile, const hybrid::TeamNode& node, const TimesPredictor& predict,
              const std::set<std::uint64_t>& may_shrink);

  /// From now on of this rank; both must stay where they are.
  void begin_rank(const RankRecord& record, const hybrid::TeamRank& rank);

  /// Empty if its passes took no time that could be measured.
  [[nodiscard]] std::optional<hybrid::TeamRegion> region(const RegionPart& part) const;

  /// A team that is larger elsewhere may be one of fewer threads than its program asked for: what
  /// its passes took, others don't. Where the run itself gave it fewer threads now and then, that
  /// is known.
  [[nodiscard]] bool has_usual_team(const OpenMpRegionRecord& record) const;

  /// The number of regions, of the ranks so far, with trials that are not counted: see
  /// MeasuredStretch::is_possible().
  [[nodiscard]] std::size_t regions_of_other_work() const { return of_other_work_.size(); }

 private:
  // Keys are region and position, the size of its usual team, and what was tried in its place.
  using Trials =
      std::map<SampleKey,
               std::map<std::pair<std::uint32_t, hybrid::TeamConfiguration>, MeasuredStretch>>;

  static void add_rank(const RankRecord& rank, Trials& trials);
  /// The rank's own, else that of all; of a region alike at all positions, as of all its passes
  /// where one has no sample.
  [[nodiscard]] const MeasuredStretch* sample(const SampleKey& key, std::uint32_t team,
                                              hybrid::TeamConfiguration configuration) const;
  [[nodiscard]] std::uint32_t packages_of(const hybrid::TeamConfiguration& configuration) const;
  void add_options(hybrid::TeamRegion& region, const OpenMpRegionRecord& record) const;
  void add_smaller(hybrid::TeamRegion& region, const OpenMpRegionRecord& record) const;

  const hybrid::TeamNode& node_;
  const TimesPredictor& predict_;
  std::map<std::uint64_t, std::string> places_;
  const std::set<std::uint64_t>& may_shrink_;
  Trials of_all_;
  Trials own_;
  // Sizes that a region's team had, beside its usual one: region, that one, and the size.
  std::set<std::array<std::uint64_t, 3>> sizes_;
  // Where the run chose by what it tried, passes of a region are not as it was started: as what
  // share of their mean those are that were.
  std::map<std::uint64_t, double> as_started_;
  std::map<std::uint64_t, std::uint32_t> usual_team_;
  std::set<std::uint64_t> alike_;  // regions that are at all their positions
  std::set<std::uint64_t> of_other_work_;
  const hybrid::TeamRank* rank_ = nullptr;
};

}  // namespace huddle::teams
