#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "aggregator/choice/recommendation.hpp"
#include "profiles/formats/decision.hpp"
#include "profiles/formats/plan.hpp"
#include "profiles/store/store.hpp"

namespace huddle {

/// What a job that is being submitted looks like.
struct JobQuestion {
  StoreKey key;
  /// The nodes that the user asks for: the reference and the upper limit; absent: those of the
  /// measured run.
  std::optional<std::uint32_t> nodes;
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
};

/// What is decided, and the plan it rests on, if there is one.
struct JobAnswer {
  Decision decision;
  std::optional<Plan> plan;
};

/// Decides for a job: a stored plan made from the very same profiles, machine, model and question
/// is taken; else one is made from the newest complete profiles and stored; without such a profile
/// the job is to be measured. With a model and only one profile, whose ranks were on one pattern,
/// the job is measured once more, laid out by a plan that fills its nodes in different ways
/// (sampling.hpp); that is tried once, whatever becomes of the run. Throws Error if there is a plan
/// or profile that can't be used and no way around it.
JobAnswer decide_job(const Store& store, const JobQuestion& question);

}  // namespace huddle
