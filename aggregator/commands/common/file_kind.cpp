#include "aggregator/commands/common/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

namespace fs = std::filesystem;

struct KnownKind {
  FileKind kind;
  /// As "format" of a document says it; empty: it is none.
  std::string_view format;
  std::string_view text;
  /// The command that reads it.
  std::string_view command;
};

constexpr std::array kKinds = {
    KnownKind{FileKind::kProfile, "huddle/profile", "a profile", "huddle show"},
    KnownKind{FileKind::kMachine, "huddle/machine", "a machine document", "huddle recommend -m"},
    KnownKind{FileKind::kModel, "huddle/model", "a model document", "huddle recommend --model"},
    KnownKind{FileKind::kPlan, "huddle/plan", "a plan", "huddle emit"},
    KnownKind{FileKind::kOutcome, "huddle/outcome", "the record of a step", "huddle report"},
    KnownKind{FileKind::kTrace, "", "a trace", "huddle waitstates"},
    KnownKind{FileKind::kGraph, "", "a graph", "huddle map"},
    KnownKind{FileKind::kRows, "", "a table", "huddle forecast"},
    KnownKind{FileKind::kProgram, "", "a program or a library", "huddle record --"},
};

std::string beginning_of(const fs::path& path) {
  constexpr std::size_t kEnough = 4096;
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return {};  // one that waits, such as a pipe
  std::ifstream file(path, std::ios::binary);
  std::string text(kEnough, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

bool holds_trace(const fs::path& folder) {
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder, unknown))
    if (entry.path().extension() == ".otf2") return true;
  return false;
}

// In JSON and in CBOR the document's name stands as it is, near the beginning, after "format".
FileKind kind_of_document(std::string_view text) {
  constexpr std::size_t kBetween = 16;
  const std::size_t format = text.find("format");
  if (format == std::string_view::npos) return FileKind::kUnknown;
  for (const KnownKind& kind : kKinds) {
    const std::size_t name = kind.format.empty() ? text.npos : text.find(kind.format, format);
    if (name == std::string_view::npos || name - format > kBetween) continue;
    const std::size_t end = name + kind.format.size();
    const bool ends = end >= text.size() || (text[end] != '-' && text[end] != '/');
    if (ends) return kind.kind;
  }
  return FileKind::kUnknown;
}

}  // namespace

FileKind kind_of_file(const fs::path& path) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown))
    return holds_trace(path) ? FileKind::kTrace : FileKind::kUnknown;
  const std::string text = beginning_of(path);
  if (text.empty()) return FileKind::kUnknown;
  if (text.starts_with("\x7f"
                       "ELF"))
    return FileKind::kProgram;
  if (const FileKind kind = kind_of_document(text); kind != FileKind::kUnknown) return kind;
  if (path.extension() == ".otf2") return FileKind::kTrace;
  if (path.extension() == ".graph" || path.extension() == ".metis") return FileKind::kGraph;
  if (path.extension() == ".csv") return FileKind::kRows;
  return FileKind::kUnknown;
}

std::string kind_text(const fs::path& path, FileKind kind) {
  for (const KnownKind& each : kKinds)
    if (each.kind == kind)
      return fmt::format("{} is {}, which {} takes", path.string(), each.text, each.command);
  return {};
}

void expect_kind(const fs::path& path, std::initializer_list<FileKind> expected,
                 const std::string& what) {
  const FileKind kind = kind_of_file(path);
  if (kind == FileKind::kUnknown ||
      std::find(expected.begin(), expected.end(), kind) != expected.end())
    return;
  throw UsageError(fmt::format("{}; {}", kind_text(path, kind), what));
}

}  // namespace huddle::cli
