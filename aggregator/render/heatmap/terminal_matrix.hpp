#pragma once

#include <string>

#include "aggregator/render/heatmap/pair_matrix.hpp"

namespace huddle {

struct TerminalStyle {
  /// Characters in a line.
  unsigned width = 80;
  /// Whether the terminal obeys escape sequences for 256 colours; without, shades of ASCII.
  bool colours = false;
  /// Whether it shows UTF-8.
  bool utf8 = false;
};

/// The most bins that a heat map of this style has room for; `ranks` ranks need their labels.
unsigned most_bins(const TerminalStyle& style, std::uint32_t ranks);

/// A heat map of `matrix` on a logarithmic scale, row = sender, with labels and a legend. Lines,
/// each ended by a newline. Precondition: at most most_bins(style, matrix.ranks) bins.
std::string terminal_matrix(const BinnedMatrix& matrix, Weight weight, const TerminalStyle& style);

}  // namespace huddle
