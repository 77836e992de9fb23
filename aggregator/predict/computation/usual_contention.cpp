#include "aggregator/predict/computation/shared_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace huddle::predict {
namespace {

// kPower has no mechanism that could be assumed: its exponents are those of trained programs.
constexpr ContentionShape kMechanisms[] = {ContentionShape::kRoofline, ContentionShape::kSerial,
                                           ContentionShape::kOverlap, ContentionShape::kQueueing};

// Logs of what one rank can take.
struct Shares {
  double die = kWidePath;
  double package = kWidePath;
  double node = kWidePath;
};

// Memory of a package that is full with 1.5, 2.7 or 5.5 ranks that do nothing but stream, and nodes
// of two such packages; in the last of them, two ranks fill the path of their die.
std::vector<Shares> usual_shares() {
  return {{kWidePath, -0.4, -1.1}, {kWidePath, -1, -1.7}, {-0.8, -1.7, -2.4}};
}

std::vector<ClockCurve> usual_clocks() {
  constexpr double kUsualLoss = 0.012;
  return {ClockCurve(), ClockCurve::falling(kUsualLoss)};
}

// Nothing if no ranks were measured together.
std::optional<Shares> measured_shares(std::span<const MemoryStream> streams) {
  const auto fewest =
      std::min_element(streams.begin(), streams.end(),
                       [](const auto& a, const auto& b) { return a.ranks < b.ranks; });
  if (fewest == streams.end()) return std::nullopt;
  const double alone = fewest->bandwidth.value / fewest->ranks;
  Shares shares;
  bool together = false;
  for (const MemoryStream& stream : streams) {
    if (stream.ranks < 2) continue;
    together = true;
    double& share = stream.within == Distance::kDie       ? shares.die
                    : stream.within == Distance::kPackage ? shares.package
                                                          : shares.node;
    // The most that the ranks get bounds the share; more of them may get less than fewer.
    const double of_this = std::min(std::log(alone / stream.bandwidth.value), 0.0);
    share = share == kWidePath ? of_this : std::min(share, of_this);
  }
  if (!together) return std::nullopt;
  return shares;
}

ContentionModel assumed(ContentionShape shape, const Shares& shares, std::uint32_t numa_nodes) {
  // Nothing ties misses to a bandwidth that was learnt from no program.
  constexpr double kUntied = 3;
  ContentionModel model;
  model.shape = shape;
  model.prior = usual_demand(shape);
  model.tolerances.traffic = kUntied;
  const auto set = [&](MachineParameter parameter, double share) {
    model.machine[static_cast<std::size_t>(parameter)] = share;
  };
  set(MachineParameter::kDieShare, shares.die);
  set(MachineParameter::kPackageShare, shares.package);
  set(MachineParameter::kNodeShare, shares.node);
  if (numa_nodes > 0 && shares.package > kWidePath)
    set(MachineParameter::kNumaShare, shares.package + std::log(numa_nodes));
  return model;
}

}  // namespace

SharedModel usual_contention(std::span<const MemoryStream> streams, const ClockCurve& clock,
                             std::uint32_t numa_nodes) {
  const std::optional<Shares> measured = measured_shares(streams);
  SharedModel model;
  for (const ContentionShape shape : kMechanisms)
    for (const Shares& shares : measured ? std::vector{*measured} : usual_shares())
      for (const ClockCurve& one : clock.is_known() ? std::vector{clock} : usual_clocks()) {
        model.shapes.push_back(assumed(shape, shares, numa_nodes));
        model.shapes.back().clock = one;
      }
  // Half as wide again where not even the memory was measured: no site is quite like these.
  constexpr double kUnmeasured = 1.5;
  if (!measured) model.widening = kUnmeasured;
  model.weights.assign(model.shapes.size(), 1 / static_cast<double>(model.shapes.size()));
  return model;
}

}  // namespace huddle::predict
