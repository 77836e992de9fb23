#pragma once

// Writes the events of one location to an OTF2 archive.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiles/traces/write/detail/otf2_output.hpp"
#include "profiles/traces/write/detail/part_tables.hpp"
#include "profiles/traces/write/trace_writer.hpp"

namespace huddle::traces {

/// Writes the events of one location in the way Score-P does. Not thread-safe.
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
  void write_team(const Event& event);
  void write_message(const Event& event);
  void write_collective(const Event& event);
  void write_nonblocking_collective(const Event& event);
  void write_window_collective(const Event& event);
  void write_file_access(const Event& event);
  void write_window_lock(const Event& event);
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
  std::uint32_t location_;
  std::uint32_t rank_;
  OTF2_EvtWriter* writer_;
  std::uint64_t last_time_ = 0;
  std::optional<Event> held_enter_;
  std::vector<std::uint32_t> regions_;  // those that were entered and not left
  std::unordered_map<std::uint64_t, std::uint32_t> collective_requests_;  // -> region
  std::unordered_map<std::uint32_t, Epochs> epochs_;                      // by window
  std::uint64_t one_sided_ = 0;
  std::uint64_t file_accesses_ = 0;
};

}  // namespace huddle::traces
