#include "commgraph/topology/hierarchy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

template <class Number>
std::vector<Number> numbers(std::string_view text, std::string_view what,
                            std::string_view example) {
  std::vector<Number> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    Number value{};
    const auto [next, failure] = std::from_chars(at, end, value);
    if (failure == std::errc::result_out_of_range)
      throw UsageError(fmt::format("{} \"{}\": \"{}\" is beyond the limit of {}", what,
                                   shortened(text),
                                   shortened({at, static_cast<std::size_t>(next - at)}),
                                   std::numeric_limits<Number>::max()));
    if (failure != std::errc{} || (next != end && *next != ':'))
      throw UsageError(
          fmt::format("{} \"{}\": expected whole numbers with colons between, such as {}", what,
                      shortened(text), example));
    values.push_back(value);
    if (next == end) return values;
    at = next + 1;
  }
}

}  // namespace

Hierarchy::Hierarchy(std::vector<std::uint32_t> arities, std::vector<std::uint64_t> distances)
    : arities_(std::move(arities)), distances_(std::move(distances)) {
  if (arities_.empty()) throw UsageError("a hierarchy needs at least one level");
  if (arities_.size() != distances_.size())
    throw UsageError(
        fmt::format("the hierarchy has {} levels and there are {} distances: give one "
                    "distance for each level, innermost first",
                    arities_.size(), distances_.size()));
  std::uint64_t cores = 1;
  for (const std::uint32_t arity : arities_) {
    if (arity == 0) throw UsageError("a level of the hierarchy has 0 members: expected at least 1");
    cores *= arity;  // below 2^64, since both factors are below 2^32
    if (cores > std::numeric_limits<std::uint32_t>::max())
      throw UsageError(fmt::format("the hierarchy {} has 2^32 cores or more, which is too many",
                                   fmt::join(arities_, ":")));
    group_sizes_.push_back(static_cast<std::uint32_t>(cores));
  }
}

Hierarchy Hierarchy::parse(std::string_view arities, std::string_view distances) {
  return {numbers<std::uint32_t>(arities, "hierarchy", "2:2:2:128"),
          numbers<std::uint64_t>(distances, "distances", "1:10:100:1000")};
}

std::uint64_t Hierarchy::largest_distance() const {
  return *std::max_element(distances_.begin(), distances_.end());
}

std::uint32_t core_in_whole(const Hierarchy& part, const Hierarchy& whole, std::uint32_t core) {
  std::uint32_t found = 0;
  std::uint32_t stride = 1;
  for (std::size_t level = 0; level < part.levels(); ++level) {
    found += core % part.arities()[level] * stride;
    core /= part.arities()[level];
    stride *= whole.arities()[level];
  }
  return found;
}

}  // namespace huddle::commgraph
