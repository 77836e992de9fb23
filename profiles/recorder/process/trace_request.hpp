#pragma once

#include <cstdint>
#include <filesystem>

#include "profiles/vocabulary/recorder_environment.hpp"

namespace huddle::recorder {

/// What the environment says about tracing. Rank 0's counts.
struct TraceRequest {
  static constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

  /// HUDDLE_TRACE: the folder that the trace shall be in; empty: no trace. A relative path is made
  /// absolute now, since the program may change its directory.
  std::filesystem::path folder;
  /// HUDDLE_TRACE=1: the folder has the profile's name with ".trace" in the place of its extension.
  bool beside_profile = false;
  /// HUDDLE_TRACE_BUFFER, in MiB: each thread has two buffers of this size.
  std::uint64_t buffer_bytes = kMiB;
  /// HUDDLE_TRACE_LIMIT, in MiB: how much of a rank's events is written, then its trace ends.
  std::uint64_t limit_bytes = 4096 * kMiB;

  [[nodiscard]] bool wanted() const { return beside_profile || !folder.empty(); }

  static TraceRequest from(const Environment& environment);
};

}  // namespace huddle::recorder
