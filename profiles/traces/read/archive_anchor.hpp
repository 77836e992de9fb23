#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace huddle::otf2 {

/// What the file tells that stands for an archive.
struct Anchor {
  std::uint64_t event_chunk_bytes = 0;
  std::uint64_t definition_chunk_bytes = 0;
  std::uint64_t locations = 0;
  std::uint64_t definitions = 0;
  std::vector<std::string> remarks;  ///< of Huddle's writer, for people
};

/// Throws SystemError, and FormatError for a file that is none or says what can't be read here.
Anchor read_anchor(const std::filesystem::path& file);

/// `path` itself if it is a file, or the only anchor in that folder. Throws SystemError, and
/// FormatError for a folder with none or with several.
std::filesystem::path find_anchor(const std::filesystem::path& path);

}  // namespace huddle::otf2
