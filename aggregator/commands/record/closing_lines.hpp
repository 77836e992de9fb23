#pragma once

// The last lines of huddle record: how efficient the run was.

#include <filesystem>
#include <string>
#include <vector>

namespace huddle::cli {

/// The wishes of a command's user, as far as it decides what to try next.
struct RecordedCommand {
  /// The file that its profile goes to, as its user wrote it.
  std::string output;
  /// As --recorder names it; empty: the installed one.
  std::string recorder;
  bool traced = false;
  std::vector<std::string> words;
};

/// Returns lines for people: of one profile a few on its efficiency, what loses most, who talks
/// most, its energy, and the command to try next; of several a line each. Nothing of files that
/// can't be read, that have no times, or that are too large to be read in passing. Never throws but
/// std::bad_alloc.
std::vector<std::string> closing_lines(const std::vector<std::filesystem::path>& profiles,
                                       const RecordedCommand& command);

}  // namespace huddle::cli
