#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spank_plugin/runtime/packing/pass_times.hpp"
#include "spank_plugin/runtime/packing/position_times.hpp"

namespace huddle::runtime {

/// The kind of trial in a window.
enum class TrialKind : std::uint8_t {
  kPacked,     ///< teams keep their size, on fewer cores
  kSmaller,    ///< teams that may be smaller have fewer threads, with a core for each
  kAsStarted,  ///< where teams are acted on already: as the program was started, to compare with
};

/// Tries how long regions take with their teams on fewer cores, in a run that is measured: now and
/// then, for a short window, all teams are packed, or smaller, in turns. Regions that follow each
/// other are so packed alike, as they would be later, and no pass but the first pays for the
/// change.
///
/// Windows begin at fixed moments after MPI_Init, by each rank's own clock and without a message,
/// so that ranks which compute alike try at the same time. Together they take no more than
/// kMostTime of the run so far: a run that is too short for a window has none. A window ends when
/// each region that matters had kPassesOfWindow passes, but for those that come too seldom. Where a
/// region takes longer at some positions of a period than at others (PositionTimes), windows last
/// kPeriods periods; but a run that can't have these yet has the short ones first, and longer ones
/// later.
///
/// By the thread that begins the regions, but for rows() and positions().
class PackingTrials {
 public:
  static constexpr double kMostTime = 0.02;
  /// Passes as the program was started, before a region counts.
  static constexpr std::uint64_t kFewestUsual = 8;
  /// The first of which is for getting there.
  static constexpr std::uint32_t kPassesOfWindow = 3;
  /// The number of periods that a window lasts whose regions differ by their position.
  static constexpr std::uint32_t kPeriods = 2;
  /// A run that was tried by short windows waits until it is so many times as long for those of
  /// whole periods, before it counts as tried without.
  static constexpr double kPatience = 2;
  /// The most numbers of cores that are tried, each in two windows: the largest that divides
  /// the team and is at most half of what it has, and then again.
  static constexpr std::uint32_t kMostDepth = 2;

  /// `pus`: on how many PUs the rank's threads may be. `second`: ticks in one. `kinds`: of windows,
  /// in turns. Where packed teams are among them, regions are looked at by their position in a
  /// period, too.
  PackingTrials(std::uint32_t pus, double second,
                const std::vector<TrialKind>& kinds = {TrialKind::kPacked});

  /// A region with this outlined function begins for `team` threads at `now`, ticks since MPI_Init:
  /// on how many cores its team is to run, or with how many threads, as window() says; 0: as the
  /// program was started, or, in no window or one of smaller teams, as ever. `may_shrink`: whether
  /// its team may be smaller.
  std::uint32_t begins(std::uintptr_t function, std::uint32_t team, std::uint64_t now,
                       bool may_shrink = false);
  /// The window of the region that has begun; nothing: it is in none. By the thread that begins
  /// regions.
  [[nodiscard]] std::optional<TrialKind> window() const;
  /// It has ended, after `ticks`, on as many cores, with a team that its program wants to have so
  /// many threads. It counts if that is the team it was begun for. `smaller`: the team had `cores`
  /// threads.
  void ended(std::uintptr_t function, std::uint32_t team, std::uint32_t cores, std::uint64_t ticks,
             std::uint64_t now, bool smaller = false);
  /// The same where it ran as was chosen for it, which is no trial.
  void acted(std::uintptr_t function, std::uint64_t ticks);
  /// No more windows but those of packed teams.
  void keep_sizes();
  /// True if there will be windows. By the thread that begins regions.
  [[nodiscard]] bool goes_on() const;

  /// A delimiter of MPI ends `group`.
  void group_ends(std::uint64_t group);

  /// One region on one number of cores.
  struct Row {
    std::uintptr_t function = 0;
    std::uint32_t team = 0;
    std::uint32_t cores = 0;
    /// Over how many these are spread; 0: as few as can be.
    std::uint32_t packages = 0;
    /// The first pass of each window: caches are cold, and threads move.
    PassTimes first;
    PassTimes packed;
    /// As the program was started.
    PassTimes usual;
    /// The passes on these cores since a run chose by what it tried.
    PassTimes acted = {};
    /// The number of threads that its team had, as many as `cores`; 0: as many as its program
    /// wants, `team`.
    std::uint32_t threads = 0;
  };
  /// The trials so far, in no order. Safe from any thread.
  [[nodiscard]] std::vector<Row> rows() const;
  /// The same by position in a period, with the size of each region's team; regions whose team
  /// varies are left out. Safe from any thread.
  struct Positions {
    PositionTimes::All all;
    std::unordered_map<std::uint64_t, std::uint32_t> teams;
  };
  [[nodiscard]] Positions positions() const;
  /// Windows so far, and how long they were together. Safe from any thread.
  struct Effort {
    std::uint32_t windows = 0;
    std::uint64_t ticks = 0;
  };
  [[nodiscard]] Effort effort(TrialKind kind = TrialKind::kPacked) const;
  /// True if all was tried at `now` that is to be tried of the regions so far. Safe from any
  /// thread.
  [[nodiscard]] bool is_through(std::uint64_t now) const;

 private:
  struct Region {
    std::uint32_t team = 0;
    bool team_varies = false;
    std::uint64_t begun = 0;  // passes
    std::uint64_t first_begin = 0;
    std::uint64_t last_begin = 0;
    PassTimes usual;
    std::vector<TriedTimes> tried;
    std::uint32_t in_window = 0;  // passes
    std::uint32_t needed = 0;     // of them
    bool is_awaited = false;      // the window lasts until it had enough of them
    bool may_shrink = false;
    PassTimes acted;  // as was chosen for it
  };
  /// The windows of one kind.
  struct Turn {
    TrialKind kind;
    std::uint32_t depth = 0;  // of the window that is under way, or else of the next one
    std::uint32_t windows_at_depth = 0;
    std::uint32_t passed_over = 0;  // moments
    bool ended = false;
    Effort effort = {};
  };
  using Regions = std::unordered_map<std::uintptr_t, Region>;

  [[nodiscard]] bool matters(const Region& region, const Turn& turn, std::uint64_t now) const;
  [[nodiscard]] std::uint32_t cores_at(const Region& region, std::uint32_t depth) const;
  [[nodiscard]] std::uint32_t cores_in(const Region& region, const Turn& turn) const;
  [[nodiscard]] std::uint32_t needed_for(std::uintptr_t function) const;
  [[nodiscard]] double length_for(const Region& region, const Turn& turn) const;
  [[nodiscard]] std::uint64_t length_of_window(const Turn& turn, std::uint64_t now,
                                               double most) const;
  [[nodiscard]] bool matters_to_any(const Turn& turn, std::uint64_t now) const;
  [[nodiscard]] bool differ() const;
  [[nodiscard]] bool has_tried_all(std::uint64_t now) const;
  [[nodiscard]] bool want_periods() const;
  [[nodiscard]] const Turn* packed_turn() const;
  void set_needed(bool whole_periods);
  void begin_whole_periods();
  [[nodiscard]] bool takes_worst_stretch(const Turn& turn) const;
  void try_to_begin(std::uint64_t now);
  void begin_window(std::uint64_t now, std::uint64_t length);
  void end_window(std::uint64_t now);
  void end_pass_of_window(Region& region, std::uint64_t now);

  std::uint32_t pus_;
  double second_;
  bool by_position_;
  mutable std::mutex mutex_;  // of all that follows
  Regions regions_;
  PositionTimes positions_;
  double next_moment_ = 1;  // in seconds
  std::vector<Turn> turns_;
  std::size_t turn_ = 0;  // whose window is under way, or is to be next
  bool in_window_ = false;
  bool ended_ = false;
  std::uint64_t window_began_ = 0;
  std::uint64_t window_ends_ = 0;
  std::uint32_t awaited_ = 0;       // regions
  bool whole_periods_ = false;      // of packed teams, only windows of these are left
  std::uint32_t long_windows_ = 0;  // of packed teams
  std::uint64_t tried_at_ = 0;      // when the short ones were over
};

}  // namespace huddle::runtime
