#include "tests/evaluation/rounds.hpp"

#include <array>
#include <cmath>

namespace huddle::evaluation {
namespace {

// Above this size an allreduce halves and doubles vectors instead of sending whole ones.
constexpr double kLongVector = 65536;

template <std::size_t N>
using Grid = std::array<std::uint32_t, N>;

// As near to a cube as factors of the number allow.
template <std::size_t N>
Grid<N> grid_of(std::uint32_t ranks) {
  Grid<N> sides{};
  for (std::size_t axis = 0; axis < N; ++axis) {
    const double root = std::pow(ranks, 1.0 / static_cast<double>(N - axis));
    auto side = static_cast<std::uint32_t>(root + 1e-9);
    while (ranks % side != 0) --side;
    sides[axis] = side;
    ranks /= side;
  }
  return sides;
}

template <std::size_t N>
std::uint32_t stride_of(const Grid<N>& sides, std::size_t axis) {
  std::uint32_t stride = 1;
  for (std::size_t inner = axis + 1; inner < N; ++inner) stride *= sides[inner];
  return stride;
}

template <std::size_t N>
std::vector<Round> halo(double bytes, std::uint32_t rank, std::uint32_t ranks) {
  const Grid<N> sides = grid_of<N>(ranks);
  Round round;
  for (std::size_t axis = 0; axis < N; ++axis) {
    if (sides[axis] == 1) continue;
    const std::uint32_t stride = stride_of(sides, axis);
    const std::uint32_t at = rank / stride % sides[axis];
    for (const std::uint32_t step : {std::uint32_t{1}, sides[axis] - 1}) {
      const std::uint32_t to = (at + step) % sides[axis];
      round.sends.push_back({rank - at * stride + to * stride, bytes});
    }
  }
  round.receives = round.sends;
  return {round};
}

std::vector<Round> butterfly(double bytes, std::uint32_t rank, std::uint32_t ranks) {
  std::vector<Round> rounds;
  for (std::uint32_t bit = 1; bit < ranks; bit *= 2)
    rounds.push_back({{{rank ^ bit, bytes}}, {{rank ^ bit, bytes}}});
  return rounds;
}

std::vector<Round> allreduce(double bytes, std::uint32_t rank, std::uint32_t ranks) {
  if (bytes < kLongVector) return butterfly(bytes, rank, ranks);
  std::vector<Round> rounds;
  for (std::uint32_t bit = 1; bit < ranks; bit *= 2) {
    bytes /= 2;
    rounds.push_back({{{rank ^ bit, bytes}}, {{rank ^ bit, bytes}}});
  }
  const std::vector<Round> gathering(rounds.rbegin(), rounds.rend());
  rounds.insert(rounds.end(), gathering.begin(), gathering.end());
  return rounds;
}

std::vector<Round> wavefront(double bytes, std::uint32_t rank, std::uint32_t ranks) {
  const Grid<2> sides = grid_of<2>(ranks);
  const std::uint32_t row = rank / sides[1];
  const std::uint32_t column = rank % sides[1];
  Round before;
  Round after;
  if (row > 0) before.receives.push_back({rank - sides[1], bytes});
  if (column > 0) before.receives.push_back({rank - 1, bytes});
  if (row + 1 < sides[0]) after.sends.push_back({rank + sides[1], bytes});
  if (column + 1 < sides[1]) after.sends.push_back({rank + 1, bytes});
  return {before, after};
}

}  // namespace

std::vector<Round> rounds_of(const Exchange& exchange, std::uint32_t rank, std::uint32_t ranks) {
  switch (exchange.shape) {
    case Shape::kHalo2d:
      return halo<2>(exchange.bytes, rank, ranks);
    case Shape::kHalo3d:
      return halo<3>(exchange.bytes, rank, ranks);
    case Shape::kButterfly:
      return butterfly(exchange.bytes, rank, ranks);
    case Shape::kWavefront:
      return wavefront(exchange.bytes, rank, ranks);
    case Shape::kAllreduce:
      return allreduce(exchange.bytes, rank, ranks);
    case Shape::kPairs:
      return {{{{rank ^ 1U, exchange.bytes}}, {{rank ^ 1U, exchange.bytes}}}};
    case Shape::kAllToAll:
    case Shape::kRowsAllToAll:
      break;
  }
  return {};
}

std::vector<std::uint32_t> members_of(Shape shape, std::uint32_t rank, std::uint32_t ranks) {
  const std::uint32_t size = shape == Shape::kRowsAllToAll ? grid_of<2>(ranks)[1] : ranks;
  std::vector<std::uint32_t> members(size);
  for (std::uint32_t i = 0; i < size; ++i) members[i] = rank / size * size + i;
  return members;
}

}  // namespace huddle::evaluation
