#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiles/throttling/region_cores.hpp"
#include "spank_plugin/runtime/packing/own_passes.hpp"
#include "spank_plugin/runtime/packing/packing_trials.hpp"
#include "spank_plugin/runtime/packing/pass_guard.hpp"
#include "spank_plugin/runtime/packing/period_place.hpp"

namespace huddle::runtime {

/// Runs the teams of regions on as many cores as was chosen for them, and groups of phases at the
/// clocks chosen, as long as that keeps what it promised: each group of phases has its first passes
/// as the program was started, and goes back to that for good where passes come more slowly than
/// those (PassGuard). What counts is how long it is from one delimiter to the next, the waiting for
/// others included, so that a rank that waits may compute more slowly.
///
/// Which group is under way is known only when it ends; meanwhile it is taken for the one that
/// followed its predecessor the last time. Where no delimiter comes, passes of a region take its
/// place (OwnPasses), for what was chosen in all groups. What was chosen for a position in a period
/// holds at that position only (PeriodPlace); a pass of a group in which a region came to such a
/// position is compared with those in which it came there. By the thread that begins the regions,
/// but for rows() and text().
class ChosenTeams {
 public:
  /// `bound`: by how much a group's passes may become longer; 0.05 is 5 %. `anchor`: from where on
  /// positions count; 0 if none has a choice.
  ChosenTeams(const std::vector<throttling::RegionCores>& choices, double bound,
              std::uint64_t anchor = 0);

  /// Groups that are to have a clock; for who can give it to them, before anything else.
  void set_clocks(const std::vector<throttling::GroupClock>& clocks);
  /// At most how many kHz the rank is to have now; 0: as without asking.
  [[nodiscard]] std::uint32_t clock_khz() const { return packs_ ? khz_ : 0; }
  /// For how many ticks at most: several times what the group takes, so that nothing stays slow
  /// that comes in its place and has no end that could be seen.
  [[nodiscard]] std::uint64_t clock_lease() const { return lease_; }

  /// True if anything was chosen for the region with that id.
  [[nodiscard]] bool is_chosen(std::uint64_t region) const { return chosen_.count(region) != 0; }
  /// True if anything was chosen by position: then comes() wants to know of all regions.
  [[nodiscard]] bool has_positions() const { return place_.anchor() != 0; }
  /// A delimiter begins at `now`, in ticks; `group` is the one that it ends.
  void group_ends(std::uint64_t group, std::uint64_t now);
  /// The region with that id comes, at `now`: before begins(), for it may end what is under way.
  void comes(std::uint64_t region, std::uint64_t now);
  /// A region begins, `region` being its id: where its team is to run; null: as the program was
  /// started, also where it was chosen to be smaller and may not be (`may_shrink`): the whole of it
  /// on these cores may be what nobody has measured. Valid as long as this.
  const throttling::RegionCores* begins(std::uint64_t region, std::uint32_t team,
                                        bool may_shrink = true);
  /// It has ended, after `ticks`, on `cores` of `packages`; `cores` 0: as the program was started.
  /// `threads`: how many its team had in place of `team`; 0: as many.
  void ended(std::uint64_t region, std::uint32_t team, std::uint32_t cores, std::uint32_t packages,
             std::uint64_t ticks, std::uint32_t threads = 0);
  /// Something else is tried with a region: what its group takes says nothing of what was chosen.
  void leave_out();

  /// The times of the regions that something was chosen for, packed and not, in no order;
  /// `function` is the region's id. Without those chosen by position, whose packed passes are of
  /// other sizes than the others. Safe from any thread.
  [[nodiscard]] std::vector<PackingTrials::Row> rows() const;
  /// The outcome, a sentence for people. Safe from any thread.
  [[nodiscard]] std::string text() const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // region, and group or 0

  struct Region {
    PassTimes usual;
    // The times by team, cores, packages and threads.
    std::map<std::array<std::uint32_t, 4>, PassTimes> packed;
  };

  /// The group that followed another the last time, and whether that was so the time before as
  /// well.
  struct Successor {
    std::uint64_t group = 0;
    bool again = false;
  };

  void expect(Successor next);
  void act_ends(std::uint64_t key, std::uint64_t group, std::uint64_t took);
  [[nodiscard]] bool acts_at(std::uint64_t key) const;
  [[nodiscard]] bool acts_in(std::uint64_t group) const;
  [[nodiscard]] bool is_by_position(std::uint64_t region) const;
  const throttling::RegionCores* choice_at(std::uint64_t region);

  std::map<Key, throttling::RegionCores> choices_;
  std::map<Key, throttling::RegionCores> positions_;  // by region and context
  // Positions that were the first of a pass, by the group that this was of.
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> positions_in_;
  PeriodPlace place_;
  std::unordered_set<std::uint64_t> chosen_;  // their regions
  std::unordered_map<std::uint64_t, std::uint32_t> clocks_;
  PassGuard guard_;  // of groups, or of the positions that they were at; times in ticks
  OwnPasses own_;
  std::unordered_map<std::uint64_t, Successor> successor_;
  std::uint64_t last_group_ = 0;
  std::uint64_t last_delimiter_ = 0;
  std::uint64_t expected_ = 0;  // the group that is under way, presumably; 0: not known
  bool packs_ = false;          // in that group
  std::uint32_t khz_ = 0;       // of that group, where it is acted on
  std::uint64_t lease_ = 0;     // of that clock
  bool has_packed_ = false;     // since the last delimiter
  bool left_out_ = false;       // what is under way since then
  // The first position since the last delimiter that something was chosen for; 0: there was none.
  std::uint64_t position_ = 0;

  mutable std::mutex mutex_;  // of all that follows
  std::unordered_map<std::uint64_t, Region> regions_;
  std::set<std::uint64_t> acted_on_;  // groups
  std::set<std::uint64_t> back_;      // those of them that went back
  bool has_slowed_ = false;           // any group
  std::size_t own_acted_on_ = 0;      // regions in place of delimiters
  std::size_t own_back_ = 0;          // those of them that went back
  std::uint64_t at_positions_ = 0;    // passes on cores that were chosen for their position
};

}  // namespace huddle::runtime
