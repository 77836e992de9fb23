#pragma once

// Slowdown of computation by sharing of caches and memory: the equations of the shared-resource
// model.

#include <array>
#include <cstdint>
#include <string_view>

#include "aggregator/predict/pattern/placement.hpp"

namespace huddle::predict {

/// A rule for adding up the time that a rank computes and the time that it waits for memory, and
/// for how memory gets slower the more ranks share it. Which of them a machine (or a simulator)
/// follows is not known beforehand; training finds out.
enum class ContentionShape : std::uint8_t {
  kRoofline,  ///< the longer of both; a memory that is full is shared, one that is not is free
  kSerial,    ///< the sum of both; memory as above
  kOverlap,   ///< in between: a p-norm of both, p fitted; memory as above
  kQueueing,  ///< the sum of both; memory slows down like a queue before it is full
  kPower,     ///< no mechanism: time grows as powers of the cores, dies and packages in use
};
inline constexpr std::size_t kContentionShapes = 5;

/// The word that files use: "roofline", "serial", "overlap", "queueing" or "power".
std::string_view name_of(ContentionShape shape);

/// Parameters of a machine, the same for all programs. All without unit.
enum class MachineParameter : std::uint8_t {
  kPackageShare,  ///< log of the share of a package's memory bandwidth that one rank can take
  kNodeShare,     ///< log of the share of a node's memory bandwidth that one rank can take
  kCacheCurve,    ///< h: extra misses grow with the ranks n of a die as (1 - n^-h) / h
  kOverlap,       ///< log of p - 1, with kOverlap's p-norm
  kQueueing,      ///< log of how much a queue slows memory down, with kQueueing
  kTraffic,       ///< log of the time that a cache miss takes of a rank's bandwidth, in s
  kDieShare,      ///< log of the share of a die's own path to memory that one rank can take
  kNumaShare,     ///< log of the share of a NUMA node's memory bandwidth that one rank can take
  kThreadCost,    ///< log of how much longer a rank computes for each other one on its core
};
inline constexpr std::size_t kMachineParameters = 9;
using MachineParameters = std::array<double, kMachineParameters>;

/// The words that files use, in the order of MachineParameter.
extern const std::array<std::string_view, kMachineParameters> kMachineParameterNames;

/// A program's demand, for all shapes but kPower, where the three are the exponents of cores, dies
/// and packages.
enum class DemandParameter : std::uint8_t {
  kIntensity,  ///< log of memory time over computing time of a rank that is alone on a node
  kCache,      ///< k: extra misses of a rank that shares its die are log(1 + e^k) times the curve
  kRate,       ///< logit of the bandwidth that it asks for while it waits for memory, as a share
               ///< of what a rank can take: 1 bandwidth-bound, 0 latency-bound
};
inline constexpr std::size_t kDemandParameters = 3;
using DemandParameters = std::array<double, kDemandParameters>;

/// The factor by which computation takes longer at another frequency than at the nominal one.
struct Stretch {
  double mean = 1;
  /// Standard deviation of what is not known about it.
  double deviation = 0;
};

/// The value of kDieShare and kNumaShare at which the path to memory never limits its ranks.
inline constexpr double kWidePath = -9;

/// Where fits start, and what they stay near without evidence: the path of a die is wide.
MachineParameters usual_machine();

/// Returns the factor by which a rank computes longer than one that has its core to itself. 1 or
/// more.
double thread_slowdown(const MachineParameters& machine, const Sharing& sharing);

/// Misses of a rank whose die is shared by `die` ranks, over those of a rank alone. 1 or more.
double cache_growth(const MachineParameters& machine, const DemandParameters& demand, double die);

/// Time of a rank under `sharing`, in units of its computing time (for kPower: of its time alone),
/// if that grows `core_slowdown` times (its cores are set to a lower frequency) and memory stays as
/// it is. At most core_slowdown times as long as at 1 if that is above 1. kPower knows no memory,
/// and so everything grows. Above 0 and finite for finite parameters of up to a few dozen. Pure.
double slower_time(ContentionShape shape, const MachineParameters& machine,
                   const DemandParameters& demand, const Sharing& sharing,
                   double core_slowdown = 1);

}  // namespace huddle::predict
