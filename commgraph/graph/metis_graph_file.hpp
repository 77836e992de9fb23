#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle::commgraph {

/// Reads a graph in the format of METIS (its manual, section 4.1.1): a line "n m [fmt [ncon]]",
/// then one line for each of the n vertices, that lists its neighbours, 1-based. `fmt` is up to
/// three binary digits: vertex sizes, vertex weights (`ncon` of them), edge weights. Lines that
/// begin with
/// '%' are comments.
///
/// Vertex sizes and vertex weights are checked and then ignored: a vertex is a rank, and a rank
/// fills a core. Edges weigh 1 if the file has no edge weights. Weight 0 is accepted and means that
/// there is no edge.
///
/// Throws SystemError if the file can't be read, Error if it is larger than 8 GiB, and FormatError,
/// with "line L, column C", if a number is missing, malformed or out of range, the graph has a
/// self-loop, a neighbour listed twice or an edge whose two ends disagree about it, or if the
/// header's counts are not the file's. Memory grows with the size of the file, never with what its
/// header promises.
CommGraph load_metis_graph(const std::filesystem::path& path);

/// The same from memory; `file` is what errors call it.
CommGraph parse_metis_graph(std::string_view text, std::string_view file);

}  // namespace huddle::commgraph
