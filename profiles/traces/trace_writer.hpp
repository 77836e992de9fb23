#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "profiles/traces/trace.hpp"

namespace huddle {

/// Writes an OTF2 archive that open_otf2() and other tools read. One thread's.
class TraceWriter {
 public:
  /// Makes `folder` and in it traces.otf2 and its files; all by this process. Throws SystemError
  /// (the folder exists and is not empty, ...) and Error (a rank without location, an index out of
  /// range, ...).
  TraceWriter(const std::filesystem::path& folder, TraceDefinitions definitions);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Appends to a location; times must not fall. Throws Error for an event that names what is not
  /// defined.
  void write(std::uint32_t location, std::span<const Event> events);

  /// Completes the archive. Without it, nothing is left. Throws SystemError.
  void finish();

 private:
  class Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace huddle
