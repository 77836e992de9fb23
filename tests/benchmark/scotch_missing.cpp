// In place of scotch_mapping.cpp where Scotch is not installed.

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/scotch_mapping.hpp"

namespace huddle {

std::vector<std::uint32_t> scotch_mapping(const commgraph::CommGraph& /*graph*/,
                                          const commgraph::Hierarchy& /*hierarchy*/,
                                          std::uint64_t /*seed*/) {
  throw Error("Scotch is not installed");
}

}  // namespace huddle
