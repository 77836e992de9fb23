#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>

namespace huddle::cli {

enum class FileKind : std::uint8_t {
  kUnknown,
  kProfile,
  kTrace,
  kMachine,
  kModel,
  kPlan,
  kOutcome,
  kGraph,
  kRows,
  kProgram,
};

/// The kind of a file, by its first bytes and by its name's end; of a folder, whether it holds a
/// trace. A guess for error messages: the file is not read to its end. Unknown if it can't be read.
FileKind kind_of_file(const std::filesystem::path& path);

/// "FILE is a profile, which huddle show takes". Empty for files of unknown kind.
std::string kind_text(const std::filesystem::path& path, FileKind kind);

/// For commands that read `expected`: throws UsageError if the file surely is something else.
/// `what` names what is read: "huddle waitstates reads traces".
void expect_kind(const std::filesystem::path& path, std::initializer_list<FileKind> expected,
                 const std::string& what);

}  // namespace huddle::cli
