#pragma once

// Internal to the reader of traces.

#include <array>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "profiles/traces/read/clock_correction.hpp"
#include "profiles/traces/event_output.hpp"
#include "profiles/traces/read/event_records.hpp"
#include "profiles/traces/read/location_lookup.hpp"
#include "profiles/traces/read/reading_remarks.hpp"
#include "profiles/traces/read/region_nesting.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::otf2 {

/// The events of one location of an archive. Views the trace, which must outlive it.
class Otf2EventStream : public EventStream {
 public:
  Otf2EventStream(const ResolvedTrace& trace, std::uint32_t location, LocalDefinitions local,
                  const std::filesystem::path& file, std::uint64_t chunk_bytes,
                  std::shared_ptr<DescriptorBudget> budget);

  std::size_t read(std::span<Event> into) override;
  [[nodiscard]] std::vector<std::string> remarks() const override;

 private:
  void take_record();
  void take_time();
  void enter(std::uint32_t region);
  void leave(std::uint64_t id);
  void leave_down_to(std::size_t depth);
  void enter_context(std::uint64_t id);
  void leave_context(std::uint64_t id);
  void take_message(EventKind kind, bool has_request);
  void take_request(EventKind kind);
  void take_collective(bool nonblocking);
  void take_window_change(EventKind kind);
  void take_window_collective();
  void take_window_sync();
  void take_one_sided(bool atomic);
  void take_team(EventKind kind);
  /// An event of this kind at this time.
  [[nodiscard]] Event event(EventKind kind) const;
  /// Puts it, unless its fields were not all there.
  void put(const RecordFields& fields, const Event& event);
  bool in_communicator(std::uint32_t index);

  const ResolvedTrace& trace_;
  std::uint64_t told_events_;
  EventRecords records_;
  LocationLookup lookup_;
  ClockCorrection clock_;
  EventOutput out_;
  RegionNesting nesting_;
  struct EnteredContext {
    std::uint32_t context;
    std::size_t depth;  // of regions, before it
  };
  std::vector<EnteredContext> contexts_;

  std::uint64_t raw_time_ = 0;  // of the event before
  bool has_time_ = false;
  std::uint64_t time_ = 0;
  std::uint64_t events_read_ = 0;
  bool at_end_ = false;
  std::exception_ptr failure_;  // told by the next read()
  ReadingRemarks remarks_;
};

}  // namespace huddle::otf2
