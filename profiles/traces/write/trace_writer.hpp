#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "profiles/traces/trace.hpp"

namespace huddle {

/// Writes an OTF2 archive that open_otf2() and other tools read. Of each location that was written
/// to, at most 5 MiB are in memory, and a file is open. One thread's.
/// Of a collective only how its members wait is known; the name of the region around it says which
/// one it is, and whether a one-sided operation puts, gets or computes.
class TraceWriter {
 public:
  /// `folder` will hold traces.otf2 and its files; until finish() they are in a hidden one beside
  /// it. Throws SystemError, and Error (the folder exists and is not empty, a rank without
  /// location, an index out of range, two locations that are the same thread of a rank, ...).
  TraceWriter(const std::filesystem::path& folder, TraceDefinitions definitions);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Appends to a location; times must not fall. Throws Error for an event that names what is not
  /// defined, and if the disk is full: then the trace can't be completed any more.
  void write(std::uint32_t location, std::span<const Event> events);

  /// Completes the archive, and is the last call. Without it, nothing is left. Throws SystemError,
  /// Error.
  void finish();

 private:
  class Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace huddle
