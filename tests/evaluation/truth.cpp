#include "tests/evaluation/truth.hpp"

#include <algorithm>
#include <numeric>

namespace huddle::evaluation {

Truth truth_of(const Cluster& cluster, const Program& program, const Placement& placement,
               const Run& run) {
  const std::vector<Sharers> sharers = sharers_of(placement);
  const double repeated = static_cast<double>(program.iterations) / kSimulatedIterations;
  const auto ranks = static_cast<double>(run.size());
  Truth truth;
  double memory_bytes = 0;
  for (std::uint32_t rank = 0; rank < run.size(); ++rank) {
    const RankTimes& times = run[rank];
    truth.time_s = std::max(truth.time_s, times.run * repeated);
    truth.computation_s +=
        std::accumulate(times.computing.begin(), times.computing.end(), 0.0) * repeated / ranks;
    for (const Step& step : program.steps)
      memory_bytes += pace_of(step.computation, cluster, sharers[rank]).memory_bytes *
                      load_of(program, rank) * program.iterations;
  }
  const Occupied used = occupied_by(placement);
  const PowerFigures& power = cluster.power;
  // MPI waits by polling, so a rank's core is active all the time.
  const double watts = used.nodes * power.node_w + used.packages * power.active_package_w +
                       used.dies * power.active_die_w + used.cores * power.active_core_w;
  truth.energy_j = watts * truth.time_s + memory_bytes * power.memory_j_per_byte;
  truth.nodes = used.nodes;
  return truth;
}

}  // namespace huddle::evaluation
