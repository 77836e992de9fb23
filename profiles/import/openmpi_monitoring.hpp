#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::imports {

/// The counts that the monitoring of Open MPI (4 and later) wrote for one rank.
struct MonitoredRank {
  /// Rank, `sent`, `put` and `fetched` are set.
  RankRecord record;
  /// Messages and bytes that Open MPI itself sent, inside collectives and windows.
  std::uint64_t internal_messages = 0;
  Bytes internal_bytes;
  /// True if the file distinguishes them from the program's own (monitoring level 2) or has no such
  /// messages; at level 1 both are one number, and `sent` holds them.
  bool internal_known = true;
};

/// Reads the file that rank `rank` of `ranks` wrote; `file` is what errors call it. Of its lines
///   E  source  destination  N bytes  M msgs sent  [histogram]   become `sent`;
///   I  the same                                                 are only summed;
///   S, R  the same                                              become `put` and `fetched`;
/// all others (those of collectives: C, D, O2A, A2O, A2A) are left out, since they name no
/// operation. Histograms of sizes are left out, too: all messages of a pair count as of their mean
/// size.
///
/// Throws FormatError with line and column. Precondition: rank < ranks.
MonitoredRank parse_monitoring(std::string_view text, std::string_view file, Rank rank,
                               std::uint32_t ranks);

/// Makes a profile of all ranks' files (written with `--mca pml_monitoring_enable 2
/// --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename PREFIX`), in any order, whose
/// names end in ".RANK.prof". `notes` say what the profile lacks; its label is empty.
///
/// Throws UsageError if a name ends otherwise, or a rank's file is there twice or missing up to the
/// highest; SystemError, Error and FormatError for the files.
Profile import_monitoring(const std::vector<std::filesystem::path>& files);

}  // namespace huddle::imports
