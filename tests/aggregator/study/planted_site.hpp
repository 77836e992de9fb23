#pragma once

// Sites that are made up: dumps of jobs whose contention is known.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "aggregator/study/site_study.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle::study {

/// The study of a dump's text, on one thread; with nodes as learnt, or of `machine`.
SiteStudy study_text_of_site(const std::string& text, double slowdown = 0.05,
                             const std::optional<Machine>& machine = {});

struct PlantedSite {
  std::string dump;
  /// Node-hours that packing frees at 5 %, of the runs after the two that are measured.
  double freed_node_hours = 0;
  /// Names of the programs (one shape each) whose runs can use fewer nodes within the bound.
  std::map<std::string, bool> is_packable;
};

/// A site on whose nodes one contention rules, drawn from what is usual, with programs of unlike
/// demand, sizes and memory. Some of their jobs can't be judged.
PlantedSite planted_site(std::uint32_t seed);

}  // namespace huddle::study
