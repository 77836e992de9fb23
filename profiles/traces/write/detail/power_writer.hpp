#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"
#include "profiles/traces/write/detail/otf2_output.hpp"

namespace huddle::traces {

/// Writes the power of nodes as OTF2's metrics (power_metrics.hpp). Not thread-safe.
class PowerWriter {
 public:
  /// Keeps references. Throws Error if a rank is not there, or times fall.
  PowerWriter(Otf2Output& output, const TraceDefinitions& definitions,
              std::span<const TracePower> power);

  /// First: the samples, in a file of events for each rank that read sensors.
  void write_events();
  /// Then what they refer to. `string` gives a text's number, `node` that of a node of the system
  /// tree.
  void write_definitions(OTF2_GlobalDefWriter* writer,
                         const std::function<std::uint32_t(const std::string&)>& string,
                         const std::function<std::uint32_t(const std::string&)>& node) const;
  /// At last, when the output is closed: moves the files of events from its folder to the
  /// archive's.
  void move_files(const std::filesystem::path& from, const std::filesystem::path& to) const;

 private:
  Otf2Output& output_;
  std::span<const TracePower> power_;
  std::map<std::uint32_t, std::uint64_t> events_;  // by rank
};

}  // namespace huddle::traces
