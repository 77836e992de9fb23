#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/hybrid/team_prediction.hpp"
#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid::teams {

/// Where a rank's team is, and its clock.
struct State {
  std::uint32_t place = 0;  ///< of the rank's places
  double clock = 0;         ///< hertz, never 0
  friend bool operator==(const State&, const State&) = default;
};

/// Cores that a rank's team can be on, and what of the node they belong to.
struct Place {
  std::vector<std::uint32_t> cores;          ///< ascending
  std::vector<std::uint32_t> dies;           ///< with one of them, each once
  std::vector<std::uint32_t> packages;       ///< of `cores`, each once
  std::vector<std::uint32_t> package_cores;  ///< how many of them each of `packages` has
};

/// The same cores at the same clock for some time.
struct Stretch {
  double until = 0;  ///< from the begin of the group, in seconds of the run
  State state;
  bool first_core_only = false;
};

/// A rank in a group, over the run.
struct RankRun {
  double time = 0;
  double at_most = 0;  ///< by what errors allow
  double switches = 0;
  std::vector<Stretch> stretches;
  State end;
};

/// An option as its rank sees it.
struct OptionState {
  State state;
  double seconds = 0;
  double at_most = 0;
};

/// A region with its options resolved.
struct RegionModel {
  std::vector<OptionState> options;
  bool follows = false;  ///< too short for a configuration of its own
  bool team = false;     ///< more than one thread in its reference
};

/// A program, resolved once so that many choices can be compared.
class Model {
 public:
  /// Keeps a reference to `program`. With `times_clock`, what nodes draw is the published
  /// t x f in place of energy. Regions below `least_cycles` do what the region before them does.
  Model(const hybrid::TeamProgram& program, double slack_tolerance, bool times_clock,
        double least_cycles = hybrid::kLeastCycles);

  [[nodiscard]] const hybrid::TeamProgram& program() const { return program_; }
  [[nodiscard]] double least_cycles() const { return least_cycles_; }
  [[nodiscard]] std::size_t ranks() const { return program_.ranks.size(); }
  [[nodiscard]] std::size_t groups() const { return program_.groups.size(); }
  [[nodiscard]] const RegionModel& region(std::size_t rank, std::size_t group,
                                          std::size_t region) const {
    return regions_[rank][group][region];
  }
  [[nodiscard]] const Place& place(std::size_t rank, std::uint32_t place) const {
    return places_[rank][place];
  }
  /// Ranks of each node that has some.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t node_of(std::size_t rank) const { return node_of_[rank]; }

  /// The state in which the program begins: as its first team region's reference.
  [[nodiscard]] State first_state(std::size_t rank) const;
  /// The option that a region has after `before`: if it follows, what that says.
  [[nodiscard]] OptionState effective(std::size_t rank, std::size_t group, std::size_t region,
                                      std::size_t option, State before) const;
  /// After this region.
  [[nodiscard]] static State after(const RegionModel& region, State now, State before) {
    return {region.team ? now.place : before.place, now.clock};
  }
  /// After this group.
  [[nodiscard]] State state_after(std::size_t rank, std::size_t group,
                                  std::span<const std::size_t> options, State entry) const;
  /// The group, entered from `previous`, and from `own` as often as it follows itself.
  [[nodiscard]] RankRun run(std::size_t rank, std::size_t group,
                            std::span<const std::size_t> options, State previous, State own) const;

  /// The time beyond its own after which a rank arrives at the end of a group.
  [[nodiscard]] double offset(std::size_t rank, std::size_t group) const {
    return offsets_[rank][group];
  }
  /// `at_most` as limits count it: what the rank takes longer than its reference counts
  /// 1 + tolerance times (9).
  [[nodiscard]] double weighed(std::size_t rank, std::size_t group, const RankRun& run) const;

  /// The energy that a node draws in a group of this length; `runs` by rank, for all ranks.
  [[nodiscard]] double drawn(std::size_t node, std::span<const RankRun> runs, double length) const;
  /// The watts that a rank draws beyond the idle node, alone on these cores.
  [[nodiscard]] double watts(std::size_t rank, State state, bool first_core_only) const;

 private:
  [[nodiscard]] hybrid::TeamPowerPoint power_at(double clock) const;
  [[nodiscard]] double drawn_together(std::size_t node, std::span<const RankRun> runs,
                                      double length) const;
  void resolve_rank(std::size_t rank);
  void find_offsets();

  const hybrid::TeamProgram& program_;
  double tolerance_;
  bool times_clock_;
  double least_cycles_;
  std::vector<std::vector<Place>> places_;                      ///< by rank
  std::vector<std::vector<std::vector<RegionModel>>> regions_;  ///< by rank, group
  std::vector<std::vector<std::vector<double>>> fresh_;  ///< by rank, place before and now: share
  std::vector<std::vector<double>> offsets_;
  std::vector<std::vector<double>> reference_times_;
  std::vector<std::vector<std::size_t>> nodes_;
  std::vector<std::size_t> node_of_;
  std::vector<bool> shares_packages_;  ///< by node: whether two ranks do
};

/// Ends of all groups for one rank, in a program that iterates.
std::vector<State> ends_of(const Model& model, std::size_t rank,
                           const std::vector<std::vector<std::size_t>>& options);

/// predict_team_program() for a program that is resolved.
hybrid::TeamPrediction predict(const Model& model, const hybrid::TeamChoice& choice);

}  // namespace huddle::hybrid::teams
