#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile.hpp"
#include "profiles/recorder/call_sites.hpp"
#include "profiles/recorder/phase_counters.hpp"
#include "profiles/recorder/tick_clock.hpp"

namespace huddle::recorder {

/// The phases of one thread: the computation between one delimiter and the next, told apart by
/// where the two were called from. That thread calls all members but records() and groups(), which
/// are safe from any thread at any time.
class PhaseTracker {
 public:
  /// The first phase begins at `now`. `counters` may be null, and must outlive this object.
  PhaseTracker(std::uint64_t now, PhaseCounters* counters);

  /// A delimiter begins: to be called first, so that the counters don't see what end_phase() does.
  void stop_counting() noexcept;
  /// A delimiter has begun at `now`, called at `site`: the phase ends. `inside` is the time that
  /// the thread has spent inside MPI so far. Throws std::bad_alloc.
  void end_phase(const CallSite& site, std::uint64_t now, std::uint64_t inside);
  /// The delimiter has ended: the next phase begins.
  void begin_phase(std::uint64_t now, std::uint64_t inside) noexcept;

  CallSites& sites() { return sites_; }
  /// A place that is no call path, by its name.
  static CallSite named_site(const char* name);

  /// Ordered by group. `run` turns ticks into time, `counts_of` what was read into counts.
  [[nodiscard]] std::vector<PhaseRecord> records(
      const Interval& run,
      const std::function<std::vector<double>(const counters::Tally&)>& counts_of) const;
  /// Ordered by id.
  [[nodiscard]] std::vector<PhaseGroup> groups() const;

 private:
  struct Phase {
    const CallSite* begin = nullptr;
    const CallSite* end = nullptr;
    std::uint64_t count = 0;
    double mean = 0;  // ticks
    double squares = 0;
    std::uint64_t shortest = 0;
    std::uint64_t longest = 0;
    std::uint64_t inside = 0;
    std::uint64_t in_delimiter = 0;
    std::uint64_t counted = 0;
    std::uint64_t counted_ticks = 0;
    counters::Tally tally;

    void add(std::uint64_t ticks);
  };
  using Key = std::uint64_t;

  Phase& phase_between(const CallSite& begin, const CallSite& end);

  CallSites sites_;
  PhaseCounters* counters_;
  CallSite first_;
  CallSite others_;
  // Of the phase that is under way.
  const CallSite* began_at_ = &first_;
  std::uint64_t began_ = 0;
  std::uint64_t inside_before_ = 0;
  bool counting_ = false;
  bool counted_ = false;
  // Of the delimiter that is under way.
  Key ended_ = 0;
  std::uint64_t delimiter_began_ = 0;

  mutable std::mutex mutex_;  // of what follows
  std::unordered_map<Key, Phase> phases_;
};

}  // namespace huddle::recorder
