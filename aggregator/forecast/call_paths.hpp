#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace huddle {

/// Who calls whom, by the names of regions that are call paths.
struct CallPaths {
  /// By region: the region whose name is the longest path that this one's path begins with, as
  /// "main => solve" is of "main => solve => MPI_Send()"; none if no region is.
  std::vector<std::optional<std::uint32_t>> caller;
  /// By region: the paths that end in it and have a caller, where its name is a single word. Such
  /// a row holds again what these paths hold: TAU writes both.
  std::vector<std::vector<std::uint32_t>> ends;

  /// Whether any region has a caller.
  [[nodiscard]] bool any() const;
};

/// Paths are written with "=>" (TAU), "->", ";" (folded stacks) or "/" (Caliper, Cube), whichever
/// of them, in this order, is in a name first; blanks around them don't count. A name that merely
/// holds one, such as a file's, is no path unless its beginning is a region.
CallPaths call_paths_of(const std::vector<std::string>& regions);

/// Whether the name is one that tools give to the whole program: "main", "int main(int, char **)",
/// "MAIN__", ".TAU application", "total", ...
bool is_whole_program(const std::string& region);

}  // namespace huddle
