#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "spank_plugin/runtime/packing/chosen_teams.hpp"
#include "spank_plugin/runtime/packing/packing_trials.hpp"
#include "spank_plugin/runtime/packing/team_clocks.hpp"
#include "spank_plugin/runtime/packing/team_packing.hpp"
#include "spank_plugin/runtime/packing/team_places.hpp"

namespace huddle::runtime {

/// Acts on the teams of a rank whose environment asks for it. The watch over its regions calls
/// this at their begin and end. Who chooses their places: with HUDDLE_TEAMS=shake chance, as a
/// test of what packing may break; else HUDDLE_TEAMS, by which a plan is carried out; else, where
/// teams may be packed, trials (PackingTrials), and once they are through whoever is asked by then.
/// Where smaller teams may be tried, that is done in windows of these trials, or in some beside the
/// plan's teams.
class PackingDriver {
 public:
  struct Options {
    Rank rank;
    std::uint32_t ranks = 1;
    /// True if it is libgomp's regions that are seen.
    bool libgomp = true;
    /// Where the rank's threads may run. Empty: all PUs of the calling thread, in their order.
    TeamHome home = {};
    /// Ticks in one second, about.
    double second = 1e9;
    /// The id of the region with that outlined function; called once for each.
    std::function<std::uint64_t(std::uintptr_t)> id_of = [](std::uintptr_t at) { return at; };
    /// True if teams may have as many threads as was chosen for them.
    bool may_resize = false;
    /// True if smaller teams may be tried in this run; asked before the first one. Null: no.
    std::function<bool()> begin_audit = nullptr;
  };

  /// True if the environment wants anything done to teams.
  static bool is_asked_for(const Environment& environment);
  /// A driver for the calling thread's teams, if HUDDLE_THREADS is "pack"; else a null
  /// pointer.
  static std::unique_ptr<PackingDriver> from(const Environment& environment, Options options);

  /// Called by a thread that begins a region with this outlined function for `team` threads, inside
  /// of `level` others, `now` ticks after the run began; `resizable`: whether the user allows its
  /// team to have another size, if its beginner is the leader. What each of them is to hand to
  /// thread_begins().
  [[nodiscard]] std::uint64_t region_begins(std::uintptr_t function, std::uint32_t team,
                                            std::uint32_t level, std::uint64_t now,
                                            bool resizable = false) noexcept;
  /// The number of threads that its team is to have; 0: as many as its program asks for.
  static unsigned threads_of(std::uint64_t token) noexcept {
    return static_cast<unsigned>(token >> kThreadsBit);
  }
  /// Called by a thread that begins a region in no other: whether it runs as the program was
  /// started, and nobody needs to know when, so that region_begins() need not be called; its token
  /// is then TeamPacking::kHome. Cheap.
  [[nodiscard]] bool leaves_alone(std::uintptr_t function) const noexcept {
    return packing_.is_leader() && kept_[slot_of(function)] == function && function != 0 &&
           cores_ == 0 && !clocks_ && packing_.ended() == TeamPacking::End::kNone;
  }
  /// Called by each thread of the region, before it does anything else.
  void thread_begins(std::uint64_t token, std::uint32_t thread) noexcept {
    packing_.follow(static_cast<std::uint32_t>(token), thread);
  }
  /// Called by the thread that began it: its team of so many threads has ended, `ticks` after that.
  void region_ended(std::uint64_t token, std::uint32_t team, std::uint64_t ticks,
                    std::uint64_t now) noexcept;
  /// A delimiter of phases begins at `now` and ends `group`. By the thread that made this.
  void group_ends(std::uint64_t group, std::uint64_t now) noexcept;
  /// Outside of regions, by the thread that made this; nothing is packed from here on.
  void finish() noexcept;

  /// Before any region: while teams run where they were chosen to run, at once or by choose(),
  /// these clocks are lowered of cores that they left, and are as a plan chose where they run.
  /// Null: clocks are left alone.
  void use_clocks(std::unique_ptr<TeamClocks> clocks);
  /// True if teams run as HUDDLE_TEAMS says, or as was chosen meanwhile.
  [[nodiscard]] bool has_choices() const { return chosen() != nullptr; }
  /// A run has to be so long, in seconds, before it chooses by what it tried. As it may be expected
  /// to last as long again, what choosing takes, some 0.05 s of a processor, is 1 % of the rest.
  static constexpr double kLeastRun = 5;
  /// True if it has tried its teams, and nobody chose by that. `now` as above. Safe from any
  /// thread, as the three below.
  [[nodiscard]] bool may_choose(std::uint64_t now) const;
  /// From the leader's next region on teams run as is chosen here for `rank`. Once.
  void choose(const throttling::ChosenByRank& chosen, Rank rank, std::uint64_t now);
  /// Teams stay, since nothing was chosen, for a reason. Once, in place of that.
  void leave_teams(const std::string& why);

  /// Before any region: threads are not packed, for a reason.
  void refuse(const std::string& why);
  [[nodiscard]] bool may_pack() const {
    return refusal_.empty() && packing_.ended() == TeamPacking::End::kNone;
  }
  /// True if teams are tried on fewer cores, so that there will be something to choose by.
  [[nodiscard]] bool tries_cores() const { return trials_ != nullptr && !by_plan_; }
  /// True if chance chooses.
  [[nodiscard]] bool shakes() const { return shake_.has_value(); }
  [[nodiscard]] TeamPacking& packing() { return packing_; }
  /// The number of regions that the leader began with other places than the one before.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

  /// The times of regions, packed and not, with the id of each as its function. Safe from any
  /// thread.
  [[nodiscard]] std::vector<PackingTrials::Row> rows() const;
  /// The times of regions by their position in a period, where they were tried and that matters.
  /// Safe from any thread.
  [[nodiscard]] PackingTrials::Positions positions() const;
  /// The times of regions with fewer threads, with a core for each, tried or as was chosen: `cores`
  /// of a row is how many. Safe from any thread.
  [[nodiscard]] std::vector<PackingTrials::Row> smaller_rows() const;
  /// True if any team had another size than its program asked for.
  [[nodiscard]] bool has_resized() const { return resized_ > 0; }
  [[nodiscard]] const TeamHome& home() const { return options_.home; }
  /// A sentence for the user: what was done, or why threads are not, or no longer, packed.
  /// `length` is of the run, in ticks.
  [[nodiscard]] std::string note(std::uint64_t length) const;

 private:
  static constexpr std::size_t kKept = 64;
  static constexpr unsigned kThreadsBit = 40;

  explicit PackingDriver(Options options);
  static std::size_t slot_of(std::uintptr_t function) { return (function >> 4U) % kKept; }

  void steer(std::uintptr_t function, std::uint32_t team, std::uint64_t now, bool resizable);
  [[nodiscard]] bool try_teams(std::uint32_t team, std::uint64_t now, bool resizable);
  [[nodiscard]] bool may_audit();
  void make_trials();
  void act(std::uintptr_t function, std::uint32_t team, std::uint64_t now, bool resizable);
  void count_pass(std::uint32_t team, std::uint32_t cores, unsigned threads, std::uint64_t ticks,
                  std::uint64_t now);
  void choose_size(const throttling::RegionCores& choice, std::uint32_t team);
  [[nodiscard]] std::string sizes_note(std::uint64_t length) const;
  void place(std::uint32_t team, std::uint32_t cores, std::uint32_t packages, std::uint64_t now);
  void end_clocks() noexcept;
  [[nodiscard]] ChosenTeams* chosen() const { return chosen_.load(std::memory_order_acquire); }
  void add_acted(std::vector<PackingTrials::Row>& tried) const;
  [[nodiscard]] std::string trials_note(std::uint64_t length) const;
  [[nodiscard]] std::string clocks_note() const;
  [[nodiscard]] std::uint64_t id_of(std::uintptr_t function);

  Options options_;
  TeamPacking packing_;
  std::string refusal_;
  std::optional<RandomPlaces> shake_;
  std::unique_ptr<PackingTrials> trials_;
  bool audit_asked_ = false;
  bool audits_ = false;
  bool by_plan_ = false;  // teams run as HUDDLE_TEAMS says, and trials_ are of sizes only
  std::unique_ptr<ChosenTeams> choices_;
  std::atomic<ChosenTeams*> chosen_{nullptr};   // those that teams run by
  std::atomic<ChosenTeams*> offered_{nullptr};  // those that the leader is to take
  std::vector<throttling::GroupClock> group_clocks_;
  std::unique_ptr<TeamClocks> clocks_;
  bool clocks_over_ = false;
  std::unordered_map<std::uintptr_t, std::uint64_t> ids_;
  // The leader's region that is under way.
  std::uint64_t region_ = 0;  // its id, where something was chosen
  std::uintptr_t function_ = 0;
  std::uint32_t sized_cores_ = 0;
  bool is_tried_ = false;         // a window of trials says how it runs
  std::uint32_t usual_team_ = 0;  // as its program asks for it
  std::uint32_t threads_ = 0;     // as the runtime is asked for it; 0: as the program does
  // Where its teams are; cores 0: at home.
  std::uint32_t team_ = 0;
  std::uint32_t cores_ = 0;
  std::uint32_t packages_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t resized_ = 0;  // regions
  // The leader's: functions of regions for which nothing was chosen, as many as have a slot.
  std::array<std::uintptr_t, kKept> kept_{};

  mutable std::mutex mutex_;  // of all that follows
  bool was_asked_ = false;    // by what was tried
  std::string choice_;        // what came of it, a sentence
};

}  // namespace huddle::runtime
