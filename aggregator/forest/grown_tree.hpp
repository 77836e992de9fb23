#pragma once

#include "aggregator/forest/row_draw.hpp"
#include "aggregator/forest/tree.hpp"

namespace huddle {

/// A tree and the rows it was grown on.
struct GrownTree {
  Tree tree;
  DrawnRows drawn;
};

}  // namespace huddle
