#pragma once

#include "aggregator/forecast/forest/row_draw.hpp"
#include "aggregator/forecast/forest/tree.hpp"

namespace huddle {

/// A tree and the rows it was grown on.
struct GrownTree {
  Tree tree;
  DrawnRows drawn;
};

}  // namespace huddle
