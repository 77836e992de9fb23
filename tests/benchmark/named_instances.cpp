#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/graph_instances.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "2d5", "3d7", "2d9", "3d27", "2d5-wrap", "3d7-wrap", "geometric", "delaunay", "cg", "bt", "mg"};

struct Optimum {
  std::uint32_t vertices = 0;
  std::uint64_t cost = 0;
};
constexpr std::array<Optimum, 5> kOptima5Point = {
    {{64, 67904}, {1024, 1470464}, {16384, 25063424}, {262144, 407158784}, {1048576, 1632731136}}};
constexpr std::array<Optimum, 5> kOptima7Point = {
    {{64, 103104}, {1024, 2545664}, {16384, 46874624}, {262144, 790953984}, {1048576, 3196583936}}};

[[noreturn]] void fail_unknown(std::string_view name) {
  throw UsageError(fmt::format("there is no instance \"{}\": expected one of {}", shortened(name),
                               fmt::join(kNames, ", ")));
}

bool is_square(std::uint32_t number) {
  const auto root = static_cast<std::uint64_t>(std::lround(std::sqrt(number)));
  return root * root == number;
}

}  // namespace

std::span<const std::string_view> instance_names() {
  return kNames;
}

bool instance_exists(std::string_view name, std::uint32_t vertices) {
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) fail_unknown(name);
  if (name == "cg") return std::has_single_bit(vertices);
  if (name == "bt") return is_square(vertices);
  return vertices > 0;
}

commgraph::CommGraph instance_named(std::string_view name, std::uint32_t vertices,
                                    std::uint64_t seed) {
  const auto stencil = [&](std::uint32_t dimensions, Stencil reach, bool wraps = false) {
    return stencil_graph(even_sides(vertices, dimensions), reach, wraps);
  };
  if (!instance_exists(name, vertices))
    throw UsageError(fmt::format("{} does not exist for {} processes", name, vertices));
  if (name == "2d5") return stencil(2, Stencil::kFaces);
  if (name == "3d7") return stencil(3, Stencil::kFaces);
  if (name == "2d9") return stencil(2, Stencil::kCorners);
  if (name == "3d27") return stencil(3, Stencil::kCorners);
  if (name == "2d5-wrap") return stencil(2, Stencil::kFaces, true);
  if (name == "3d7-wrap") return stencil(3, Stencil::kFaces, true);
  if (name == "geometric") return geometric_graph(vertices, seed);
  if (name == "delaunay") return delaunay_graph(vertices, seed);
  if (name == "cg") return cg_graph(vertices);
  if (name == "bt") return bt_graph(vertices);
  return mg_graph(vertices);
}

std::uint64_t proven_optimum(std::string_view name, std::uint32_t vertices) {
  if (name != "2d5" && name != "3d7") return 0;
  const auto& optima = name == "2d5" ? kOptima5Point : kOptima7Point;
  const auto found = std::find_if(optima.begin(), optima.end(),
                                  [&](const Optimum& o) { return o.vertices == vertices; });
  return found == optima.end() ? 0 : found->cost;
}

}  // namespace huddle
