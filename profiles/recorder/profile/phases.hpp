#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/profile/call_sites.hpp"
#include "profiles/recorder/profile/phase_counters.hpp"
#include "profiles/recorder/process/tick_clock.hpp"

namespace huddle::recorder {

/// What a pass of a phase counts to: where its rank, and the others of its node, were meanwhile.
enum class PassAccount : std::uint8_t {
  kUsual,    ///< where the launcher has put them
  kMoved,    ///< where the recorder has moved them
  kBetween,  ///< partly here and partly there, or on caches that were filled elsewhere
};
inline constexpr std::size_t kPassBooks = 3;

/// The phases of one thread: the computation between one delimiter and the next, told apart by
/// where the two were called from. That thread calls all members but records() and groups(), which
/// are safe from any thread at any time. Where ranks are moved, passes are booked by PassAccount.
class PhaseTracker {
 public:
  /// The first phase begins at `now`. `counters` may be null, and must outlive this object.
  PhaseTracker(std::uint64_t now, PhaseCounters* counters);

  /// A delimiter begins: to be called first, so that the counters don't see what end_phase() does.
  void stop_counting() noexcept;
  /// A delimiter has begun at `now`, called at `site`: the phase ends. `inside` is the time that
  /// the thread has spent inside MPI so far. Throws std::bad_alloc.
  void end_phase(const CallSite& site, std::uint64_t now, std::uint64_t inside,
                 PassAccount book = PassAccount::kUsual);
  /// The delimiter has ended. Needed only where something is done before the next phase begins.
  void end_delimiter(std::uint64_t now) noexcept;
  /// The delimiter has ended, and the next phase begins.
  void begin_phase(std::uint64_t now, std::uint64_t inside) noexcept;

  CallSites& sites() { return sites_; }
  /// A place that is no call path, by its name.
  static CallSite named_site(const char* name);

  /// By how much the passes that were not usual were longer, delimiters included, than such passes
  /// usually are, in ticks. Passes that have no usual ones count as a whole.
  [[nodiscard]] std::int64_t extra_ticks() const { return extra_; }
  /// In how many ticks the rarest of the phases that matter comes again, if the usual ones are
  /// spread over `elapsed` ticks; 0 if none matter. Those that do come again often and take a share
  /// of the time that can be seen.
  [[nodiscard]] std::uint64_t longest_period(std::uint64_t elapsed) const;

  /// Ordered by group. `run` turns ticks into time, `counts_of` what was read into counts.
  [[nodiscard]] std::vector<PhaseRecord> records(
      const Interval& run,
      const std::function<std::vector<double>(const counters::Tally&)>& counts_of,
      PassAccount book = PassAccount::kUsual) const;
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
    // From the end of a delimiter to the end of the next one.
    [[nodiscard]] double mean_cycle() const {
      return count == 0
                 ? 0
                 : mean + static_cast<double>(inside + in_delimiter) / static_cast<double>(count);
    }
  };
  using Key = std::uint64_t;
  using Phases = std::unordered_map<Key, Phase>;

  Phase& phase_between(Phases& phases, const CallSite& begin, const CallSite& end);
  [[nodiscard]] const Phases& usual() const { return books_[0]; }

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
  PassAccount book_ = PassAccount::kUsual;
  std::uint64_t delimiter_began_ = 0;
  std::uint64_t pass_ = 0;  // how long the pass before it was
  std::int64_t extra_ = 0;

  mutable std::mutex mutex_;  // of what follows
  std::array<Phases, kPassBooks> books_;
};

}  // namespace huddle::recorder
