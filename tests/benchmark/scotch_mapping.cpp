#include "tests/benchmark/scotch_mapping.hpp"

#include <cstdio>
// Not self-contained: it takes FILE from here.
#include <scotch.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Numbers = std::vector<SCOTCH_Num>;

void demand(int status, const char* what) {
  if (status != 0) throw Error(std::string("Scotch failed: ") + what);
}

// One of Scotch's objects, emptied at the end.
template <class Object, int (*init)(Object*), void (*exit)(Object*)>
class Owned {
 public:
  Owned() { demand(init(&object_), "an object can't be made"); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { exit(&object_); }

  Object* get() { return &object_; }

 private:
  Object object_{};
};

using Graph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Architecture = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

// Scotch's levels begin at the root.
void build(Architecture& architecture, const commgraph::Hierarchy& hierarchy) {
  const auto arities = hierarchy.arities();
  const auto distances = hierarchy.distances();
  const Numbers sizes(arities.rbegin(), arities.rend());
  const Numbers links(distances.rbegin(), distances.rend());
  demand(SCOTCH_archTleaf(architecture.get(), static_cast<SCOTCH_Num>(sizes.size()), sizes.data(),
                          links.data()),
         "SCOTCH_archTleaf");
}

}  // namespace

std::vector<std::uint32_t> scotch_mapping(const commgraph::CommGraph& graph,
                                          const commgraph::Hierarchy& hierarchy,
                                          std::uint64_t seed) {
  if (hierarchy.cores() != graph.vertices())
    throw UsageError("Scotch takes part only where all cores are used");
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
  SCOTCH_randomSeed(static_cast<SCOTCH_Num>(seed));
  SCOTCH_randomReset();
  const commgraph::GraphView view = graph.view();
  const Numbers first(view.first.begin(), view.first.end());
  const Numbers neighbours(view.neighbours.begin(), view.neighbours.end());
  const Numbers weights(view.weights.begin(), view.weights.end());
  Graph scotch_graph;
  demand(SCOTCH_graphBuild(scotch_graph.get(), 0, static_cast<SCOTCH_Num>(view.vertices()),
                           first.data(), first.data() + 1, nullptr, nullptr,
                           static_cast<SCOTCH_Num>(view.arcs()), neighbours.data(), weights.data()),
         "SCOTCH_graphBuild");
  Architecture architecture;
  build(architecture, hierarchy);
  Strategy strategy;
  Numbers cores(view.vertices());
  demand(SCOTCH_graphMap(scotch_graph.get(), architecture.get(), strategy.get(), cores.data()),
         "SCOTCH_graphMap");
  std::vector<std::uint32_t> core_of(cores.size());
  std::transform(cores.begin(), cores.end(), core_of.begin(),
                 [](SCOTCH_Num core) { return static_cast<std::uint32_t>(core); });
  return core_of;
}

}  // namespace huddle
