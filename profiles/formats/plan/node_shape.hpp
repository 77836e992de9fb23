#pragma once

#include <cstdint>

namespace huddle {

/// The size of each node that a plan is made for, all of it, whether ranks use it or not.
struct NodeShape {
  /// Each 1 or more.
  std::uint32_t packages = 0;
  std::uint32_t cores = 0;

  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

}  // namespace huddle
