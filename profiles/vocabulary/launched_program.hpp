#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// The program that a launcher was told to start on all ranks, as its user knows it: of an
/// interpreter the script, of a wrapper such as numactl what it starts.
struct LaunchedProgram {
  /// Absolute where the file was found; else as it was written. Empty: unknown.
  std::string path;
  /// GNU build id in hexadecimal; empty: it has none, or nobody could read it.
  std::string build_id;

  /// The path without its folders.
  [[nodiscard]] std::string name() const;

  friend bool operator==(const LaunchedProgram&, const LaunchedProgram&) = default;
};

/// Tells if both are one program: they have the same name, and the same path or no different
/// builds. A program that was copied into another folder is the same, and one that was built anew
/// in its place, too. ("%j" stands for the job's number in paths: launched_command.hpp.) False if
/// either is unknown.
bool same_program(const LaunchedProgram& one, const LaunchedProgram& other);

/// As HUDDLE_STEP has it: the build id, ":" and the path.
std::string text_of(const LaunchedProgram& program);
/// Reads the form of text_of(); unknown for a text without ":".
LaunchedProgram launched_program_of(std::string_view text);

}  // namespace huddle
