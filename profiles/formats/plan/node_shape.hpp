#pragma once

#include <cstdint>

namespace huddle {

/// What a plan takes each node to have, all of it, whether ranks use it or not.
struct NodeShape {
  /// Each 1 or more.
  std::uint32_t packages = 0;
  std::uint32_t cores = 0;

  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

}  // namespace huddle
