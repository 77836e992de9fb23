#pragma once

#include <cstdint>
#include <string>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle {

/// 1536 is "1.5 KiB".
std::string human_bytes(std::uint64_t bytes);

/// 1500000 is "1.5 M"; exact below 10,000.
std::string human_count(std::uint64_t count);

/// One or the other.
inline std::string amount(std::uint64_t value, Weight weight) {
  return weight == Weight::kBytes ? human_bytes(value) : human_count(value);
}

}  // namespace huddle
