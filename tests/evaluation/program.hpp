#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::evaluation {

/// The computation of each rank in one pass, before imbalance.
struct Computation {
  double instructions = 0;
  /// Cycles per instruction if no access went past the private caches.
  double base_cpi = 1;
  /// Accesses to the shared cache per instruction.
  double references = 0;
  /// The share of these that misses with all of the footprint in the cache, and with none of it.
  double least_misses = 0;
  double most_misses = 0;
  double footprint_bytes = 0;
  /// The abruptness with which misses set in as the rank's share of the cache falls below the
  /// footprint.
  double steepness = 1;
  /// Fetched and written back.
  double bytes_per_miss = 64;
  /// The number of accesses to memory that are under way at once, which hides latency.
  double parallelism = 1;
};

enum class Shape : std::uint8_t {
  kHalo2d,        ///< the four neighbours on a periodic grid
  kHalo3d,        ///< the six
  kButterfly,     ///< log2(ranks) exchanges of two, point to point
  kWavefront,     ///< from one corner of a grid to the opposite one, block by block
  kAllToAll,      ///< among all
  kRowsAllToAll,  ///< among the ranks of a row of the grid
  kAllreduce,
  kPairs,  ///< ranks 0 and 1, 2 and 3, ...: both ways at once, for calibration
};

struct Exchange {
  Shape shape = Shape::kAllreduce;
  /// The bytes of a message; for an all-to-all, what a rank has for each other one.
  double bytes = 8;
  /// The share of the computation before it that runs while messages are under way. A wavefront
  /// computes all of it between its messages.
  double overlap = 0;
  /// The blocks of a wavefront.
  unsigned blocks = 1;
};

struct Step {
  Computation computation;
  Exchange exchange;
};

/// A program that does the same on every rank, over and over. The last step ends with a delimiter
/// (see is_delimiter).
struct Program {
  std::string name;
  std::vector<Step> steps;
  /// The largest relative deviation of a rank's instructions from the mean.
  double imbalance = 0;
  unsigned iterations = 100;
  double resident_bytes = 0;
};

/// Numbers below are those of a run with so many ranks.
inline constexpr std::uint32_t kBaseRanks = 16;

/// At least twelve programs that span bound by computation, by latency and by bandwidth, and the
/// shapes of communication.
std::vector<Program> training_programs();
/// Programs patterned after the NAS parallel benchmarks and two proxy applications; none of them
/// has the numbers of a training program.
std::vector<Program> test_programs();

/// The same problem on another number of ranks (strong scaling).
Program scaled(const Program& program, std::uint32_t ranks);

/// True if a recorder sees the exchange's end as the end of a phase: collectives and calls that
/// complete several requests do that.
bool is_delimiter(Shape shape);
bool is_all_to_all(Shape shape);
/// "allreduce", "alltoall", or the empty text for point-to-point messages.
std::string_view collective_name(Shape shape);

/// Instructions of a rank over those of the mean rank.
double load_of(const Program& program, std::uint32_t rank);

}  // namespace huddle::evaluation
