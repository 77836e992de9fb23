#pragma once

#include <otf2/OTF2_Archive.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace huddle::traces {

/// An OTF2 archive that this process alone writes; its anchor is traces.otf2. Of each writer one
/// chunk is in memory. After an error it can only be destroyed, and what OTF2 had in memory is
/// lost. Not thread-safe.
class Otf2Output {
 public:
  /// Of events; a reader has one for each location that it reads.
  static constexpr std::uint64_t kEventChunk = 256U << 10U;
  static constexpr std::uint64_t kLeastDefinitionChunk = 256U << 10U;
  static constexpr std::uint64_t kMostDefinitionChunk = 16U << 20U;

  /// `largest_definition`: in bytes, at most kMostDefinitionChunk. The folder must exist. Throws
  /// Error.
  Otf2Output(std::filesystem::path folder, std::uint64_t largest_definition = 0);
  ~Otf2Output();
  Otf2Output(const Otf2Output&) = delete;
  Otf2Output& operator=(const Otf2Output&) = delete;

  /// Throws Error, as the others do where the disk is full, for instance.
  OTF2_EvtWriter* open_events(std::uint64_t location);
  /// How many events there are, including those that OTF2 adds.
  std::uint64_t close_events(OTF2_EvtWriter* writer);
  /// An empty file for the location's own definitions, which some readers require.
  void write_no_local_definitions(std::uint64_t location);
  OTF2_GlobalDefWriter* definitions();
  /// `name` in OTF2's form of property names.
  void set_property(const std::string& name, const std::string& value);
  /// Completes the files and checks their sizes: OTF2 itself overlooks a full disk at the end.
  void close();

  /// Throws Error unless `status` is a success.
  void check(OTF2_ErrorCode status) const {
    if (status != OTF2_SUCCESS) [[unlikely]]
      fail();
  }

 private:
  // The memory of one of OTF2's writers.
  struct Chunk;
  static OTF2_FlushType before_flush(void* output, OTF2_FileType type, OTF2_LocationRef location,
                                     void* writer, bool final);
  static void* give_chunk(void* output, OTF2_FileType type, OTF2_LocationRef location, void** chunk,
                          std::uint64_t size);
  static void take_chunk(void* output, OTF2_FileType type, OTF2_LocationRef location, void** chunk,
                         bool final);
  [[noreturn]] void fail() const;
  void check_sizes() const;

  std::filesystem::path folder_;
  std::vector<std::pair<std::filesystem::path, std::uint64_t>> sizes_;  // that files should have
  bool final_flush_ = false;
  OTF2_Archive* archive_ = nullptr;
  bool events_open_ = false;
  // Once a write has failed OTF2 must not be called again: closing, it would write behind its own
  // buffers.
  mutable bool broken_ = false;
};

}  // namespace huddle::traces
