#pragma once

#include <optional>

#include "aggregator/recommend/narrow_ranks.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle {

/// Eight ranks with teams of four threads on four cores each, one on each of eight nodes of 16
/// cores, which tried their region of 90 of 100 s on two cores, where it took `ratio` times as
/// long.
struct TriedRanks {
  explicit TriedRanks(double ratio) : machine(slow_machine()) {
    machine.topology = "package:2 die:2 core:4 pu:1";
    machine.power = PowerFigures{{10}, {0}, {5}, {3}, {2}, Origin::kGiven};
    for (RankRecord& rank : profile.rank_records) {
      rank.pus = PuSet::parse("0-3");
      rank.cpu_time = Seconds{300};
      const double pass = rank.computation_time().value * 0.009;
      OpenMpRegionRecord region;
      region.region = 7;
      region.passes = 100;
      region.mean = region.shortest = region.longest = Seconds{pass};
      region.smallest_team = region.largest_team = 4;
      rank.openmp_regions = {region};
      PackedRegionRecord packed;
      packed.region = 7;
      packed.team = 4;
      packed.cores = 2;
      packed.passes = 20;
      packed.mean = packed.shortest = packed.longest = Seconds{pass * ratio};
      packed.usual_passes = 80;
      packed.usual_mean = Seconds{pass};
      rank.packed_regions = {packed};
    }
    profile.shared.openmp_regions = {{7, "region at app+0x1"}};
  }
  [[nodiscard]] std::optional<NarrowStudy> study(double bound, bool covered_only = false) const {
    const NodeTopology node = load_topology(machine.topology);
    const Recommender recommender(machine, node, 4);
    RecommendationOptions options;
    options.slowdown = bound;
    options.computation = ComputationMethod::kSimple;  // by hand
    options.covered_only = covered_only;
    const Recommendation wide =
        recommender.recommend({profile}, measured_reference(profile, recommender.slots()), options);
    return study_narrow_ranks({profile}, narrow_ranks_of(profile, 4), recommender, node, wide,
                              options);
  }
  Machine machine;
  Profile profile = run_of(8, 1);
};

}  // namespace huddle
