#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// The trace that one rank left of a run.
struct RawTrace {
  RecordedTrace recorded;
  std::vector<std::vector<traces::Event>> threads;

  /// The members of a communicator, window or post: ranks in order, all of them spelled out.
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t group) const;
  [[nodiscard]] const RecordedCommunicator& communicator(std::uint32_t number) const {
    return recorded.communicators.at(number);
  }
  [[nodiscard]] const std::string& operation(const traces::Event& event) const {
    return recorded.operations.at(event.subject);
  }
};

/// Reads the traces of all ranks that left one. Throws Error if one is not whole: times fall, calls
/// are not nested, an event is outside of all calls, or a number names nothing.
std::map<std::uint32_t, RawTrace> read_raw_traces(const std::filesystem::path& folder);

/// "irecv", "collective".
std::string name_of(traces::EventKind kind);
/// "from_root".
std::string name_of(traces::Collective collective);

}  // namespace huddle::recorder
