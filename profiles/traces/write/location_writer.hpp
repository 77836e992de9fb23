#pragma once

// Internal to the writer of traces.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiles/traces/mpi_functions.hpp"
#include "profiles/traces/write/otf2_output.hpp"
#include "profiles/traces/write/rank_lookup.hpp"
#include "profiles/traces/write/trace_part.hpp"

namespace huddle {

/// What all locations of a part look up. One thread's.
class PartTables {
 public:
  PartTables(TraceDefinitions own, TraceNumbers numbers);

  [[nodiscard]] const TraceDefinitions& own() const { return own_; }

  // The archive's reference for an index in own(). Throw Error if there is none.
  [[nodiscard]] std::uint32_t region(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t communicator(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t window(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t group(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t team(std::uint32_t index) const;

  /// An OTF2_CollectiveOp: what a region does that makes its members wait like that.
  [[nodiscard]] std::uint8_t operation(std::uint32_t region, Collective waiting) const;
  [[nodiscard]] OneSidedAccess access(std::uint32_t region) const;
  /// By index, as `rank` sees it.
  const CommunicatorView& view(std::uint32_t communicator, std::uint32_t rank);

 private:
  static constexpr std::size_t kCollectives = static_cast<std::size_t>(Collective::kOther) + 1;

  TraceDefinitions own_;
  TraceNumbers numbers_;
  std::vector<std::array<std::uint8_t, kCollectives>> operations_;  // by region
  std::vector<OneSidedAccess> accesses_;
  std::unordered_map<std::uint64_t, CommunicatorView> views_;  // by communicator and rank
};

/// Writes the events of one location as Score-P would. One thread's.
class LocationWriter {
 public:
  /// Keeps references to `output` and `tables`. `location`: an index in the tables' own().
  LocationWriter(Otf2Output& output, PartTables& tables, std::uint32_t location);

  void write(std::span<const Event> events);
  /// How many events there are in the file.
  std::uint64_t finish();

 private:
  // Groups of ranks that a window's access and exposure epochs are with.
  struct Epochs {
    std::uint32_t access = kNobody;
    std::uint32_t exposure = kNobody;
  };

  void write(const Event& event);
  void write_region(const Event& event);
  void write_message(const Event& event);
  void write_collective(const Event& event);
  void write_nonblocking_collective(const Event& event);
  void write_window_collective(const Event& event);
  void write_group_sync(const Event& event);
  void write_one_sided(const Event& event);
  // Writes the begin of a region that was held back, and a collective's begin with it if the region
  // holds nothing else.
  void release_enter();
  [[nodiscard]] std::uint64_t begin_of_collective(const Event& event);
  [[nodiscard]] std::uint32_t peer_in(std::uint32_t communicator, const Event& event);
  [[nodiscard]] std::uint32_t root_in(const Event& event);
  [[nodiscard]] std::uint32_t current_region() const;
  [[nodiscard]] std::uint32_t communicator_of(std::uint32_t window) const;

  Otf2Output& output_;
  PartTables& tables_;
  std::uint32_t rank_;
  OTF2_EvtWriter* writer_;
  std::uint64_t last_time_ = 0;
  std::optional<Event> held_enter_;
  std::vector<std::uint32_t> regions_;  // those that were entered and not left
  std::unordered_map<std::uint64_t, std::uint32_t> collective_requests_;  // -> region
  std::unordered_map<std::uint32_t, Epochs> epochs_;                      // by window
  std::uint64_t one_sided_ = 0;
};

}  // namespace huddle
