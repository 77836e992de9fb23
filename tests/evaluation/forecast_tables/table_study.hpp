#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/evaluation/forecast_tables/made_up_machines.hpp"

namespace huddle::evaluation {

/// The threads of a node that were measured, and those for which forecasts are asked.
enum class Learnt : unsigned char {
  every_other,  ///< numbers of threads between measured ones, of all that the node has
  socket,       ///< threads up to the cores of a socket were measured; asked up to twice as many
  half,         ///< the lower half of all threads was measured; asked up to all
  sizes,        ///< asked for twice the largest size, on numbers of threads that were measured
};
inline constexpr std::array kLearnt = {Learnt::every_other, Learnt::socket, Learnt::half,
                                       Learnt::sizes};

std::string_view name_of(Learnt learnt);

/// One forecast of a quantity, judged by further measurements and the truth.
struct JudgedQuantity {
  double held = 0;        ///< the share of further measurements that lie in the interval
  double half_width = 0;  ///< half of the interval, as a natural logarithm
  double error = 0;       ///< |predicted / true - 1|
  bool told = true;       ///< whether the forecast says that the rows tell something there
};

struct JudgedTable {
  std::vector<JudgedQuantity> time;
  std::vector<JudgedQuantity> energy;
};

/// Draws a node in which the effect matters, measures a table of threads (all, each second or
/// fourth, or powers of two) and one to five sizes, with noise of 0.3 to 5 %, rare outliers, 1 to 5
/// repetitions, and asks for a few configurations that are not in it. The same for the same
/// arguments, everywhere.
JudgedTable judged_table(Effect effect, Learnt learnt, std::uint64_t seed);

}  // namespace huddle::evaluation
