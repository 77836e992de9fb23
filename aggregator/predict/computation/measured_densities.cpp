#include "aggregator/predict/computation/measured_densities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "aggregator/predict/pattern/reference.hpp"

namespace huddle::predict {
namespace {

// By MeasuredDensity::By.
constexpr std::array<std::string_view, 2> kGrounds = {"a measured run",
                                                      "mixed nodes of a measured run"};

// Returns the sharing of ranks that were not bound to a die: a pattern may have room for more than
// there were.
Sharing widest_sharing(const Profile& run, const commgraph::NodeTopology& node) {
  Sharing widest = sharing_of(Pattern::parse(measured_reference(run, node).pattern));
  widest.node = std::min(widest.node, run.ranks_per_node());
  widest.package = std::min(widest.package, widest.node);
  widest.die = std::min(widest.die, widest.package);
  return widest;
}

}  // namespace

MeasuredDensities::MeasuredDensities(std::vector<MeasuredDensity> measured)
    : measured_(std::move(measured)) {
  std::sort(measured_.begin(), measured_.end());
}

MeasuredDensities::MeasuredDensities(const std::vector<const Profile*>& runs,
                                     const commgraph::NodeTopology& node) {
  for (const Profile* const run : runs) add(*run, node);
  std::sort(measured_.begin(), measured_.end());
}

void MeasuredDensities::add(const Profile& run, const commgraph::NodeTopology& node) {
  using By = MeasuredDensity::By;
  const std::optional<std::vector<RankClass>> classes = classes_of(measured_locations(run, node));
  if (!classes) {
    measured_.push_back({widest_sharing(run, node), By::kRun});
    return;
  }
  const By by = classes->size() > 1 ? By::kMixedNodes : By::kRun;
  for (const RankClass& of_class : *classes) measured_.push_back({of_class.sharing, by});
}

const MeasuredDensity* MeasuredDensities::just_like(const Sharing& sharing) const {
  const auto found =
      std::find_if(measured_.begin(), measured_.end(),
                   [&](const MeasuredDensity& density) { return density.sharing == sharing; });
  return found == measured_.end() ? nullptr : &*found;
}

Coverage MeasuredDensities::coverage_of(const Sharing& sharing, bool by_model) const {
  if (just_like(sharing) != nullptr) return Coverage::kMeasured;
  if (by_model) return Coverage::kModel;
  const bool within = std::any_of(
      measured_.begin(), measured_.end(),
      [&](const MeasuredDensity& density) { return at_most_as_dense(sharing, density.sharing); });
  return within ? Coverage::kInterpolated : Coverage::kNone;
}

Coverage MeasuredDensities::coverage_of(const std::vector<RankClass>& classes,
                                        bool by_model) const {
  Coverage weakest = Coverage::kMeasured;
  for (const RankClass& of_class : classes)
    weakest = std::max(weakest, coverage_of(of_class.sharing, by_model));
  return weakest;
}

std::string MeasuredDensities::ground_of(const std::vector<RankClass>& classes,
                                         bool by_model) const {
  switch (coverage_of(classes, by_model)) {
    case Coverage::kMeasured:
      break;
    case Coverage::kInterpolated:
      return "measured runs with denser ranks";
    case Coverage::kModel:
      return "a model";
    case Coverage::kNone:
      return "nothing";
  }
  MeasuredDensity::By weakest = MeasuredDensity::By::kRun;
  for (const RankClass& of_class : classes)
    weakest = std::max(weakest, just_like(of_class.sharing)->by);
  return std::string(kGrounds[static_cast<std::size_t>(weakest)]);
}

}  // namespace huddle::predict
