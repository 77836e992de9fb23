#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <filesystem>

#include "profiles/traces/read/chunk_walk.hpp"
#include "profiles/traces/read/record_fields.hpp"
#include "profiles/traces/read/record_window.hpp"

namespace huddle::otf2 {

/// The records of a file of definitions, one after the other. One thread's.
class DefinitionRecords {
 public:
  /// Throws SystemError and FormatError.
  DefinitionRecords(const std::filesystem::path& file, std::uint64_t chunk_bytes);

  /// Goes to the next record; false at the end. Throws FormatError for a damaged file.
  bool next();
  [[nodiscard]] std::uint8_t type() const { return type_; }
  /// Of this record; views into the window until next().
  [[nodiscard]] RecordFields fields() const;
  /// Blames this record.
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    window_.fail(found, expected);
  }

 private:
  RecordWindow window_;
  ChunkWalk chunks_;
  std::uint8_t type_ = 0;
  std::size_t bytes_ = 0;  // of this record, which the window still has
};

}  // namespace huddle::otf2
