#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "commgraph/graph/metis_graph_file.hpp"
#include "profiles/vocabulary/error.hpp"

/// libFuzzer's entry: any text is either a graph, whose two ends agree about every edge, or a
/// huddle::Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const huddle::commgraph::CommGraph graph = huddle::commgraph::parse_metis_graph(text, "fuzz");
    if (graph.vertices() > size || graph.edges() > size) std::abort();
    std::uint64_t weight = 0;
    for (const std::uint64_t arc : graph.view().weights) weight += arc;
    if (weight / 2 != graph.total_weight()) std::abort();
  } catch (const huddle::Error&) {
  }
  return 0;
}
