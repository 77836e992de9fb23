#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

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
  /// The machine document of the nodes; empty if the site has none.
  std::filesystem::path machine;
  /// Whether the plan shall list every pattern, for people; the choice is the same, and quicker,
  /// without.
  bool every_pattern = false;
};

/// What is decided, and the plan it rests on, if there is one.
struct JobAnswer {
  Decision decision;
  std::optional<Plan> plan;
};

/// Decides for a job: a stored plan made from the very same profiles, machine and question is
/// taken; else one is made from the newest complete profiles and stored; without such a profile the
/// job is to be measured. Throws Error if there is a plan or profile that can't be used and no way
/// around it.
JobAnswer decide_job(const Store& store, const JobQuestion& question);

}  // namespace huddle
