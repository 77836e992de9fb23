#include "aggregator/predict/computation/predictor.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "aggregator/predict/pattern/placement.hpp"

namespace huddle::predict {
namespace {

// Returns the loads in one run; empty if it shows nothing.
std::vector<double> loads_of(const Profile& run, const std::vector<RankClass>& classes,
                             const ComputationPredictor& predictor) {
  std::vector<double> loads(run.ranks, 0);
  for (const RankClass& of_class : classes) {
    const Seconds usual = classes.size() == 1 ? run.mean_computation_time()
                                              : predictor.on(std::vector<RankClass>{of_class}).time;
    if (!(usual > Seconds{0})) return {};
    for (const std::uint32_t rank : of_class.ranks)
      loads[rank] = run.rank_records[rank].computation_time() / usual;
  }
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / run.ranks;
  if (!(mean > 0)) return {};
  for (double& load : loads) load /= mean;
  return loads;
}

}  // namespace

std::vector<double> rank_loads(const std::vector<const Profile*>& runs,
                               const commgraph::NodeTopology& node,
                               const ComputationPredictor& predictor) {
  std::vector<std::vector<double>> alike;
  std::vector<std::vector<double>> others;
  for (const Profile* const run : runs) {
    const auto classes = classes_of(measured_locations(*run, node));
    if (!classes) continue;
    std::vector<double> loads = loads_of(*run, *classes, predictor);
    if (!loads.empty()) (classes->size() == 1 ? alike : others).push_back(std::move(loads));
  }
  const std::vector<std::vector<double>>& counted = alike.empty() ? others : alike;
  std::vector<double> mean(runs.front()->ranks, counted.empty() ? 1 : 0);
  for (const std::vector<double>& loads : counted)
    for (std::size_t rank = 0; rank < mean.size(); ++rank)
      mean[rank] += loads[rank] / static_cast<double>(counted.size());
  return mean;
}

}  // namespace huddle::predict
