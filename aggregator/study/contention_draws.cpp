#include "aggregator/study/contention_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "profiles/vocabulary/hash.hpp"

namespace huddle::study {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers with every compiler.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  /// Above 0 and up to 1.
  double uniform() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return static_cast<double>(((z ^ (z >> 31U)) >> 11U) + 1) * 0x1p-53;
  }
  /// Box and Muller's.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

const predict::ContentionModel& drawn_model(const predict::SharedModel& model, std::uint32_t draw) {
  const std::size_t shapes = model.shapes.size();
  const double place = Numbers(draw).uniform() * static_cast<double>(shapes);
  return model.shapes[std::min(static_cast<std::size_t>(place), shapes - 1)];
}

std::uint32_t share(std::uint32_t all, std::uint32_t parts) {
  return (all + parts - 1) / parts;
}

}  // namespace

DrawnDemand drawn_demand(std::string_view program, std::uint32_t draw) {
  Numbers numbers(hash_of(program) ^ (std::uint64_t{draw} << 32U));
  DrawnDemand demand;
  for (double& number : demand) number = numbers.normal();
  return demand;
}

NodeContention::NodeContention(const NodeSize& node)
    : packages_(node.packages),
      dies_per_package_(node.dies_per_package),
      numa_per_package_(node.numa_per_package),
      model_(predict::usual_contention(
          node.machine ? node.machine->memory_streams : std::vector<MemoryStream>(), {},
          node.numa_per_package)) {}

ProgramContention::ProgramContention(const NodeContention& node, std::uint32_t draw,
                                     const DrawnDemand& demand)
    : node_(node), model_(drawn_model(node.model_, draw)), demand_(model_.prior.mean) {
  // The usual demand's parameters are independent of each other.
  for (std::size_t i = 0; i < demand_.size(); ++i)
    demand_[i] +=
        demand[i] * std::sqrt(model_.prior.covariance[i * predict::kDemandParameters + i]);
}

double ProgramContention::computed(std::uint32_t busy_cores) const {
  predict::Sharing sharing;
  sharing.node = busy_cores;
  sharing.package = share(busy_cores, node_.packages_);
  sharing.die = share(sharing.package, node_.dies_per_package_);
  if (node_.numa_per_package_ > 0)
    sharing.numa_node = share(sharing.package, node_.numa_per_package_);
  return predict::slower_time(model_.shape, model_.machine, demand_, sharing,
                              model_.clock.slowdown(sharing));
}

double ProgramContention::time(std::uint32_t busy_cores) {
  constexpr std::uint32_t kRemembered = 1024;
  if (busy_cores >= kRemembered) return computed(busy_cores);
  if (busy_cores >= known_.size()) known_.resize(busy_cores + 1);
  double& known = known_[busy_cores];
  if (known == 0) known = computed(busy_cores);
  return known;
}

}  // namespace huddle::study
