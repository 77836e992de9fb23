#pragma once

// Internal to the reader of documents.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "profiles/files/open_file.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle {

/// The bytes of a document, of which a window is in memory. (The file is not mapped: if it were cut
/// meanwhile, touching the map would end the process.) Owned by one thread.
class ByteSource {
 public:
  /// Views `bytes`, which must outlive it.
  explicit ByteSource(std::string_view bytes);
  /// Opens a regular file of at most `limit` bytes. Throws SystemError, or FormatError if it is
  /// larger or something else (a FIFO would hang its reader).
  ByteSource(const std::filesystem::path& path, std::uint64_t limit);

  /// The bytes of the window that were not used yet, from `at` to `end`.
  const char* at = nullptr;
  const char* end = nullptr;

  /// Puts the next bytes into the window, whose bytes were all used; false at the end of the
  /// document. Throws SystemError.
  bool fetch();
  /// True once somebody asked for more than there is.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Returns the number of bytes that follow.
  [[nodiscard]] std::uint64_t left() const {
    return size_ - fetched_ + static_cast<std::uint64_t>(end - at);
  }

 private:
  std::unique_ptr<files::OpenFile> file_;  // none for bytes in memory
  std::string window_;
  std::uint64_t size_ = 0;
  std::uint64_t fetched_ = 0;
  bool ended_ = false;
};

/// Reads JSON or CBOR from `source` onto the empty `tape`, whose names are set. Throws FormatError
/// naming the byte, and SystemError.
void parse_document(ByteSource& source, const DocumentLimits& limits, const StreamedArray* streamed,
                    ValueTape& tape);

}  // namespace huddle
