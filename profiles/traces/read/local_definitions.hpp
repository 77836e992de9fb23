#pragma once

// Internal to the reader of traces.

#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace huddle::otf2 {

/// What a location's events are to be read with.
struct LocalDefinitions {
  /// What numbers in the events stand for, by what they number.
  enum Kind : std::uint8_t { kRegions = 3, kGroups = 4, kComms = 6, kWindows = 8, kContexts = 10 };
  static constexpr std::size_t kKinds = 11;
  /// The location's own number, and that of the definition for all. Numbers that are not there
  /// stand for themselves.
  std::array<std::vector<std::pair<std::uint64_t, std::uint64_t>>, kKinds> mappings;

  struct ClockOffset {
    std::uint64_t time = 0;   ///< of the location's clock
    std::int64_t offset = 0;  ///< to be added at that time
  };
  std::vector<ClockOffset> clock_offsets;  ///< as in the file
};

/// Throws SystemError, and FormatError for a damaged file.
LocalDefinitions read_local_definitions(const std::filesystem::path& file,
                                        std::uint64_t chunk_bytes);

}  // namespace huddle::otf2
