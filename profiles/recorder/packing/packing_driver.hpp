#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiles/recorder/packing/chosen_teams.hpp"
#include "profiles/recorder/packing/packing_trials.hpp"
#include "profiles/recorder/packing/team_clocks.hpp"
#include "profiles/recorder/packing/team_packing.hpp"
#include "profiles/recorder/packing/team_places.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/ids.hpp"

namespace huddle::recorder {

/// What is done to the teams of a rank whose environment asks for it. What sees its regions calls
/// this at their begin and end. Who chooses their places: with HUDDLE_RUNTIME_SHAKE chance, as a
/// test of what packing may break; else HUDDLE_TEAMS, by which a plan is carried out; else, where
/// teams may be packed, trials (PackingTrials).
class PackingDriver {
 public:
  struct Options {
    Rank rank;
    std::uint32_t ranks = 1;
    /// Whether it is libgomp's regions that are seen.
    bool libgomp = true;
    /// Where the rank's threads may run. Empty: all PUs of the calling thread, in their order.
    TeamHome home = {};
    /// Ticks in one second, about.
    double second = 1e9;
    /// The id of the region with that outlined function; called once for each.
    std::function<std::uint64_t(std::uintptr_t)> id_of = [](std::uintptr_t at) { return at; };
    /// Whether teams may have as many threads as was chosen for them.
    bool may_resize = false;
    /// Whether smaller teams may be tried in this run, instead of all else; asked before the first
    /// one. Null: no.
    std::function<bool()> begin_audit = nullptr;
  };

  /// Whether the environment wants anything done to teams.
  static bool is_asked_for(const Environment& environment);
  /// A driver for the calling thread's teams, if HUDDLE_THREADS is "pack" or HUDDLE_RUNTIME_SHAKE
  /// is "1"; else a null pointer.
  static std::unique_ptr<PackingDriver> from(const Environment& environment, Options options);

  /// By a thread that begins a region with this outlined function for `team` threads, inside of
  /// `level` others, `now` ticks after the run began; `resizable`: whether the user allows its
  /// team to have another size, if its beginner is the leader. What each of them is to hand to
  /// thread_begins().
  [[nodiscard]] std::uint64_t region_begins(std::uintptr_t function, std::uint32_t team,
                                            std::uint32_t level, std::uint64_t now,
                                            bool resizable = false) noexcept;
  /// How many threads its team is to have; 0: as many as its program asks for.
  static unsigned threads_of(std::uint64_t token) noexcept {
    return static_cast<unsigned>(token >> kThreadsBit);
  }
  /// By each thread of the region, before it does anything else.
  void thread_begins(std::uint64_t token, std::uint32_t thread) noexcept {
    packing_.follow(static_cast<std::uint32_t>(token), thread);
  }
  /// By the thread that began it: its team of so many threads has ended, `ticks` after that.
  void region_ended(std::uint64_t token, std::uint32_t team, std::uint64_t ticks,
                    std::uint64_t now) noexcept;
  /// A delimiter of phases begins at `now` and ends `group`. By the thread that made this.
  void group_ends(std::uint64_t group, std::uint64_t now) noexcept;
  /// Outside of regions, by the thread that made this; nothing is packed from here on.
  void finish() noexcept;

  /// Before any region: while teams run where they were chosen to run, these clocks are lowered of
  /// cores that they left, and are as chosen where they run. Null: clocks are left alone.
  void use_clocks(std::unique_ptr<TeamClocks> clocks);
  /// Whether teams run as HUDDLE_TEAMS says.
  [[nodiscard]] bool has_choices() const { return chosen_ != nullptr; }

  /// Before any region: threads are not packed, for a reason.
  void refuse(const std::string& why);
  [[nodiscard]] bool may_pack() const {
    return refusal_.empty() && packing_.ended() == TeamPacking::End::kNone;
  }
  /// Whether chance chooses.
  [[nodiscard]] bool shakes() const { return shake_.has_value(); }
  [[nodiscard]] TeamPacking& packing() { return packing_; }
  /// How many regions were begun with other places than the one before, by the leader.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

  /// What regions took, packed and not, with the id of each as its function. Safe from any thread.
  [[nodiscard]] std::vector<PackingTrials::Row> rows() const;
  /// What regions took with fewer threads, as an audit saw it: `cores` of a row is how many. Safe
  /// from any thread.
  [[nodiscard]] std::vector<PackingTrials::Row> sizes_tried() const;
  /// Whether any team had another size than its program asked for.
  [[nodiscard]] bool has_resized() const { return resized_ > 0; }
  [[nodiscard]] const TeamHome& home() const { return options_.home; }
  /// A sentence for the user: what was done, or why threads are not, or no longer, packed.
  /// `length` is of the run, in ticks.
  [[nodiscard]] std::string note(std::uint64_t length) const;

 private:
  static constexpr unsigned kThreadsBit = 40;

  explicit PackingDriver(Options options);

  void steer(std::uintptr_t function, std::uint32_t team, std::uint64_t now, bool resizable);
  void try_size(std::uintptr_t function, std::uint32_t team, std::uint64_t now, bool resizable);
  [[nodiscard]] std::string sizes_note(std::uint64_t length) const;
  void place(std::uint32_t team, std::uint32_t cores, std::uint32_t packages, std::uint64_t now);
  void end_clocks() noexcept;
  [[nodiscard]] std::string clocks_note() const;
  [[nodiscard]] std::uint64_t id_of(std::uintptr_t function);

  Options options_;
  TeamPacking packing_;
  std::string refusal_;
  std::optional<RandomPlaces> shake_;
  std::unique_ptr<PackingTrials> trials_;
  std::unique_ptr<PackingTrials> sizes_;  // in place of trials_
  bool audit_asked_ = false;
  bool audits_ = false;
  std::unique_ptr<ChosenTeams> chosen_;
  std::vector<GroupClock> group_clocks_;
  std::unique_ptr<TeamClocks> clocks_;
  bool clocks_over_ = false;
  std::unordered_map<std::uintptr_t, std::uint64_t> ids_;
  // Of the leader's region that is under way.
  std::uint64_t region_ = 0;
  std::uint32_t usual_team_ = 0;  // as its program asks for it
  std::uint32_t threads_ = 0;     // as the runtime is asked for it; 0: as the program does
  std::uint32_t sized_cores_ = 0;
  // Where its teams are; cores 0: at home.
  std::uint32_t team_ = 0;
  std::uint32_t cores_ = 0;
  std::uint32_t packages_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t resized_ = 0;                      // regions
  std::unordered_set<std::uint64_t> resized_ids_;  // those that were chosen
};

}  // namespace huddle::recorder
