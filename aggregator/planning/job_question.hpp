#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "aggregator/recommend/recommendation.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/store/store.hpp"

namespace huddle {

/// What a job that is being submitted looks like, and what bounds its plan.
struct JobQuestion {
  StoreKey key;
  /// The nodes that the user asks for: the reference and the upper limit; absent: those of the
  /// measured run.
  std::optional<std::uint32_t> nodes;
  /// The size of the job's problem; absent: that of the newest run.
  std::optional<double> size = {};
  double slowdown = 0.05;
  Grouping grouping = Grouping::kMapped;
  Risk risk = Risk::kPoint;
  /// The machine document of the nodes; empty if the site has none.
  std::filesystem::path machine;
  /// The model that was trained on them; empty if there is none.
  std::filesystem::path model;
  /// How many runs may be measured before there is a plan.
  std::uint32_t samples = 2;
  /// Whether the plan shall list every pattern, for people; the choice is the same, and quicker,
  /// without.
  bool every_pattern = false;
  Objective objective = Objective::kEnergy;
  /// The fewest nodes that may be used.
  std::uint32_t least_nodes = 1;
  /// How many cores each rank has.
  std::uint32_t cores_per_rank = 1;
  /// The frequencies that the cores may be set to; absent: they are left alone. Without bounds
  /// ("auto"), they are left alone as well where nothing is known of the machine's.
  std::optional<FrequencyRange> frequencies = {};
  /// What the plan is made from instead of the stored profiles, the one whose layout is the job's
  /// first. Empty: the stored ones. A second run is never asked for then.
  std::vector<std::filesystem::path> profiles = {};
  /// Whether the store's root may be made, if a plan is to be kept in it that isn't there.
  bool make_store = false;
  /// Whether nothing may be written: the answer is the same, and made anew each time.
  bool dry_run = false;
};

}  // namespace huddle
