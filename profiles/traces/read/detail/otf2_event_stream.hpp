#pragma once

// The events of a location of an OTF2 archive, repaired so that they keep the promises of
// EventStream.

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "profiles/traces/event.hpp"
#include "profiles/traces/read/detail/location_lookup.hpp"
#include "profiles/traces/read/detail/records.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::otf2 {

/// Collects events into the caller's buffer; what does not fit waits for the next call, since one
/// record of a trace can be several events.
class EventOutput {
 public:
  /// Begins a call: puts what waits into `into`.
  void begin(std::span<traces::Event> into) {
    into_ = into;
    filled_ = 0;
    while (filled_ < into_.size() && taken_ < waiting_.size())
      into_[filled_++] = waiting_[taken_++];
    if (taken_ < waiting_.size()) return;
    waiting_.clear();
    taken_ = 0;
  }
  void put(const traces::Event& event) {
    if (filled_ < into_.size())
      into_[filled_++] = event;
    else
      waiting_.push_back(event);
  }
  [[nodiscard]] bool full() const { return filled_ == into_.size(); }
  [[nodiscard]] std::size_t filled() const { return filled_; }

 private:
  std::span<traces::Event> into_;
  std::size_t filled_ = 0;
  std::vector<traces::Event> waiting_;
  std::size_t taken_ = 0;  // of waiting_
};

/// The stack of regions that a location is in.
class RegionNesting {
 public:
  /// Beyond that, regions are entered and never left.
  static constexpr std::size_t kDeepest = std::size_t{1} << 20;

  [[nodiscard]] std::size_t depth() const { return regions_.size(); }
  /// The innermost; depth() must not be 0.
  [[nodiscard]] std::uint32_t innermost() const { return regions_.back(); }
  void enter(std::uint32_t region) { regions_.push_back(region); }
  void leave() { regions_.pop_back(); }

  /// How deep it is once the innermost visit to `region` is over; depth() if there is none among
  /// the innermost few hundred.
  [[nodiscard]] std::size_t depth_without(std::uint32_t region) const {
    constexpr std::size_t kFurthest = 256;
    const std::size_t last = depth() > kFurthest ? depth() - kFurthest : 0;
    for (std::size_t at = depth(); at > last; --at)
      if (regions_[at - 1] == region) return at - 1;
    return depth();
  }

 private:
  std::vector<std::uint32_t> regions_;
};

/// Counts of oddities in the events of a location.
struct ReadingRemarks {
  std::uint64_t times_fell = 0;
  std::uint64_t largest_fall = 0;  ///< ticks
  std::uint64_t before_begin = 0;
  std::uint64_t unknown_regions = 0;
  std::uint64_t unknown_communicators = 0;  ///< windows and teams, too
  std::uint64_t unknown_peers = 0;
  std::uint64_t left_without_enter = 0;
  std::uint64_t closed_by_outer = 0;
  std::uint64_t lone_syncs = 0;
  std::uint64_t collectives_begun = 0;
  std::uint64_t collectives_ended = 0;
  std::uint64_t receives_posted = 0;
  std::uint64_t receives_ended = 0;  ///< cancelled ones, too
  std::uint64_t sends_begun = 0;
  std::uint64_t sends_ended = 0;

  /// A sentence for each kind; `at_end`: the stream was read to its end, so that what is missing
  /// is missing.
  [[nodiscard]] std::vector<std::string> sentences(bool at_end) const;
};

/// The events of one location of an archive. Views the trace, which must outlive it.
class Otf2EventStream : public traces::EventStream {
 public:
  Otf2EventStream(const ResolvedTrace& trace, std::uint32_t location, LocalDefinitions local,
                  const std::filesystem::path& file, std::uint64_t chunk_bytes,
                  std::shared_ptr<DescriptorBudget> budget);

  std::size_t read(std::span<traces::Event> into) override;
  [[nodiscard]] std::vector<std::string> remarks() const override;

 private:
  void take_record();
  void take_time();
  void enter(std::uint32_t region);
  void leave(std::uint64_t id);
  void leave_down_to(std::size_t depth);
  void enter_context(std::uint64_t id);
  void leave_context(std::uint64_t id);
  void take_message(traces::EventKind kind, bool has_request);
  void take_request(traces::EventKind kind);
  void take_collective(bool nonblocking);
  void take_window_change(traces::EventKind kind);
  void take_window_collective();
  void take_window_sync();
  void take_one_sided(bool atomic);
  void take_team(traces::EventKind kind);
  void take_file_access();
  void take_window_lock(traces::EventKind kind);
  void take_thread_lock(traces::EventKind kind, bool has_paradigm);
  /// An event of this kind at this time.
  [[nodiscard]] traces::Event event(traces::EventKind kind) const;
  /// Puts it, unless its fields were not all there.
  void put(const RecordFields& fields, const traces::Event& event);
  bool in_communicator(std::uint32_t index);

  const ResolvedTrace& trace_;
  std::uint64_t declared_events_;
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
  std::exception_ptr failure_;  // thrown by the next read()
  ReadingRemarks remarks_;
};

}  // namespace huddle::otf2
