#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/render/heatmap/pair_matrix.hpp"

namespace huddle::render {

/// A heat map of who sends how much to whom, with everything that is written around it.
struct MatrixPicture {
  BinnedMatrix matrix;
  commgraph::Weight weight = commgraph::Weight::kBytes;
  std::string title;
  std::string subtitle;
  /// The ranks at which another node begins; lines are drawn there.
  std::vector<std::uint32_t> node_borders;
};

/// The picture of a profile: a cell for each pair of ranks up to 1,024 ranks; beyond, neighbouring
/// ranks share one of at most 512 rows and columns.
MatrixPicture matrix_picture(const Profile& profile, PairMatrix traffic, commgraph::Weight weight);

/// The ranks at which another node begins, ascending. Empty where lines would not help: on one
/// node, or where nodes are unknown, do not hold ranks one after the other or are very many.
std::vector<std::uint32_t> node_borders(const Profile& profile);

/// The content of an SVG file.
std::string svg_of(const MatrixPicture& picture);

}  // namespace huddle::render
