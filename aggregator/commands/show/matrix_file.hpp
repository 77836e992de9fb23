#pragma once

#include <string>

#include "aggregator/render/heatmap/pair_matrix.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Throws UsageError if the name ends in neither .csv nor .svg.
void check_matrix_file(const std::string& path);

/// Writes the matrix of `traffic` atomically, in the format that the name ends in: .csv, N lines of
/// N numbers with commas between, row = sender; or .svg, a heat map. Throws SystemError,
/// and Error if a .csv file would have more than 131,072 lines.
/// Precondition: check_matrix_file(path).
void write_matrix(const Profile& profile, PairMatrix traffic, Weight weight,
                  const std::string& path);

}  // namespace huddle
