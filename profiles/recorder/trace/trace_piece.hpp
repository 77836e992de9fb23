#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/recorder/trace/call_path_functions.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/write/trace_part.hpp"

namespace huddle::recorder {

/// What rank 0 has to know of a rank's trace to number what all ranks define: little, also where
/// its groups are large.
struct TracePiece {
  std::uint32_t rank = 0;
  std::string node;
  std::uint32_t threads = 0;
  std::uint64_t operations = 0;  ///< a hash of their names: all ranks have the same ones
  std::vector<std::string> functions;
  std::vector<std::uint64_t> groups;  ///< a hash of each
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedWindow> windows;
  std::vector<std::string> remarks;

  [[nodiscard]] std::string packed() const;
  static TracePiece unpacked(std::string_view text, std::string_view origin);
};

/// `trace` without its processes of other worlds: those are no ranks of it (see known_ranks()).
TracePiece piece_of(const RecordedTrace& trace, const CallPathFunctions& functions);

/// The members of a group that are ranks of this run, in their order.
std::vector<std::uint32_t> known_ranks(const std::vector<std::uint32_t>& group);

/// Which of a rank's groups rank 0 wants to see, by index.
struct GroupWishes {
  std::vector<std::uint32_t> groups;
  [[nodiscard]] std::string packed() const;
  static GroupWishes unpacked(std::string_view text, std::string_view origin);
};
/// These, in the same order.
struct GroupLists {
  std::vector<std::vector<std::uint32_t>> lists;
  [[nodiscard]] std::string packed() const;
  static GroupLists unpacked(std::string_view text, std::string_view origin);
};

/// What the rank's definitions are in those of all.
struct PieceNumbers {
  std::vector<std::uint32_t> functions;  ///< regions, as the others by index
  std::vector<std::uint32_t> communicators;
  std::vector<std::uint32_t> windows;
  std::vector<std::uint32_t> groups;
  [[nodiscard]] std::string packed() const;
  static PieceNumbers unpacked(std::string_view text, std::string_view origin);
};

/// What became of a rank's events.
struct PieceResult {
  std::string failure;                ///< why they were not written; empty: they were
  std::vector<std::uint64_t> events;  ///< by thread
  bool has_events = false;            ///< any
  /// Nanoseconds of rank 0's clock; of the first and the last event.
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  /// By how much the rank's times may be off, against rank 0's.
  std::uint64_t clock_uncertainty_ns = 0;
  std::vector<std::string> remarks;
  [[nodiscard]] std::string packed() const;
  static PieceResult unpacked(std::string_view text, std::string_view origin);
};

}  // namespace huddle::recorder
