#pragma once

#include <elf.h>

#include <filesystem>
#include <string>
#include <vector>

namespace huddle::executables {

/// A program for this kind of machine that consists of what a loader looks at, and does nothing.
struct MadeProgram {
  /// PT_INTERP; empty: linked statically.
  std::string loader = "/lib64/ld-linux-x86-64.so.2";
  /// DT_NEEDED.
  std::vector<std::string> libraries = {"libc.so.6"};
  /// Names of dynamic symbols.
  std::vector<std::string> symbols;
  /// Names in the table that strip(1) removes.
  std::vector<std::string> local_symbols;
  /// Changes to the finished header.
  int machine = -1;
  int word_size = ELFCLASS64;

  [[nodiscard]] std::string bytes() const;
};

/// Writes an executable file.
void write_program(const std::filesystem::path& path, const std::string& bytes,
                   unsigned mode = 0755);

}  // namespace huddle::executables
