#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// Files as the recorder leaves them, of a run whose ranks pass a message around and meet in a
/// barrier. A tick is a nanosecond; rank r lives on node n0 if r is even, else on n1.
struct RecordedRun {
  enum Operation : std::uint32_t { kSend, kRecv, kBarrier };

  std::filesystem::path folder;  ///< for the raw files; is made
  std::uint32_t ranks = 2;

  /// The record of a rank, as if it had ended: one thread, whose events are written to its file.
  [[nodiscard]] RecordedTrace put(std::uint32_t rank, std::span<const traces::Event> events) const;
  /// The same, with its file of definitions. If `killed`, as a killed rank leaves them.
  void leave(std::uint32_t rank, std::span<const traces::Event> events, bool killed = true) const;
  void leave_definitions(const RecordedTrace& trace) const;
};

/// A call of MPI from `begin` to `end`, with these events in between.
std::vector<traces::Event> call(std::uint32_t operation, std::uint64_t begin, std::uint64_t end,
                                const std::vector<traces::Event>& inside = {});
traces::Event event_of(traces::EventKind kind, std::uint64_t time, std::uint32_t subject = 0,
                       std::uint32_t peer = traces::kNobody);
std::vector<traces::Event> joined(std::initializer_list<std::vector<traces::Event>> lists);
/// As they are in a file.
std::string packed(std::span<const traces::Event> events);

/// "enter MPI_Send at 10" and so on, of one location of a trace.
std::vector<std::string> lines_of(const std::filesystem::path& trace, std::uint32_t location);

}  // namespace huddle::recorder
