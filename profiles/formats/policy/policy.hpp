#pragma once

// The site's policy, huddle.toml: defaults and limits by partition, account and group. Described in
// docs/formats/policy.md.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The mode that `--energy-aggregate` asks for.
enum class Mode : std::uint8_t {
  kOff,      ///< the job as submitted
  kProfile,  ///< as submitted, and measured
  kAdvise,   ///< as submitted; the plan is printed
  kAuto,     ///< packed if there is a plan, else measured
};

inline constexpr std::size_t kModeCount = 4;
inline constexpr std::string_view kModeNames = "off, profile, advise or auto";

/// The mode of that name, or nothing.
std::optional<Mode> mode_of(std::string_view name);
std::string_view name_of(Mode mode);

/// The quantity that a plan minimizes among the patterns within the bound of slowdown.
enum class Objective : std::uint8_t {
  kEnergy,  ///< predicted energy
  kEdp,     ///< predicted energy x time; needs power figures
  kTime,    ///< predicted time
};

inline constexpr std::string_view kObjectiveNames = "energy, edp or time";

/// The objective of that name, or nothing.
std::optional<Objective> objective_of(std::string_view name);
std::string_view name_of(Objective objective);

/// Permission to pack jobs where nothing shows how the ranks slow each other down.
enum class Explore : std::uint8_t {
  kNo,     ///< never: a run is measured that shows it, or the job is left as submitted
  kTrial,  ///< yes: by a plan that is marked as a trial
};

inline constexpr std::string_view kExploreNames = "no or trial";

/// The answer of that name, or nothing.
std::optional<Explore> explore_of(std::string_view name);
std::string_view name_of(Explore explore);

/// The packed runs that are recorded.
enum class RecordPacked : std::uint8_t {
  kAlways,      ///< all
  kSometimes,   ///< the first one of each plan, and one in ten of the others
  kWhenNeeded,  ///< the first one of each plan, and of each build of the program
  kNever,
};

inline constexpr std::string_view kRecordPackedNames =
    "\"always\", \"sometimes\", \"when needed\" or \"never\"";

/// The answer of that name, or nothing.
std::optional<RecordPacked> record_packed_of(std::string_view name);
std::string_view name_of(RecordPacked record);

/// Who may read a user's part of the store.
enum class Readers : std::uint8_t {
  kOwner,  ///< the user, and root
  kGroup,  ///< the group of the user's folder as well
  kAll,    ///< everybody
};

inline constexpr std::string_view kReadersNames = "owner, group or all";

/// The readers of that name, or nothing.
std::optional<Readers> readers_of(std::string_view name);

/// Bounds that a user can't go beyond, whatever the option says.
struct Limits {
  /// `limits.modes`, by Mode. Off is always allowed.
  std::array<bool, kModeCount> modes = {true, true, true, true};
  /// The rules that forbid a mode, such as "partition debug", indexed by Mode; empty: the site as a
  /// whole.
  std::array<std::string, kModeCount> forbidden_by = {};
  /// `limits.slowdown`: the largest bound that may be asked for; absent: any.
  std::optional<double> slowdown;
  /// `limits.frequency`: absent: any. Empty if two limits share nothing: then none may be set.
  std::optional<FrequencyRange> frequency;
  /// `limits.least_nodes`: a job is never packed onto fewer.
  std::uint32_t least_nodes = 1;
  /// `limits.higher_charge`: permission for a packed job to be charged more CPUs than as submitted,
  /// since it gets whole nodes; absent: not said, which is as false.
  std::optional<bool> higher_charge;

  [[nodiscard]] bool allows(Mode mode) const { return modes[static_cast<std::size_t>(mode)]; }
  /// Who does not allow the mode; empty: the site as a whole, or nobody.
  [[nodiscard]] const std::string& forbidder_of(Mode mode) const {
    return forbidden_by[static_cast<std::size_t>(mode)];
  }
  /// "off, profile".
  [[nodiscard]] std::string allowed_modes() const;
  /// The strictest of both.
  [[nodiscard]] Limits combined_with(const Limits& other) const;
};

/// The rules of one table of huddle.toml for some jobs: the site's own, [partition.NAME],
/// [account.NAME] or [group.NAME]. Absent: not said there.
struct ScopeRules {
  std::optional<Mode> mode;
  std::optional<double> slowdown;
  std::optional<bool> whole_interval;
  std::optional<Objective> objective;
  std::optional<Explore> explore;
  std::optional<FrequencyWish> frequency;
  std::optional<bool> frequency_control;
  Limits limits;
};

/// Whose job it is.
struct SubmitterIdentity {
  /// Partitions of the job; several if it may run in any of them.
  std::vector<std::string> partitions;
  /// Empty: the job has none, since Slurm keeps no accounts and the user names none.
  std::string account;
  /// The user's groups; of two that say something about one key, the earlier counts.
  std::vector<std::string> groups;
};

/// The site's prices and its CO2, for reports; absent: nobody said it.
struct SiteRates {
  /// That of both prices, "EUR".
  std::string currency = {};
  std::optional<double> node_hour_price = {};
  std::optional<double> kwh_price = {};
  std::optional<double> co2_g_per_kwh = {};
};

/// A site's rules, from huddle.toml. Every key has a default; see huddle.toml(5).
struct Policy {
  /// `enabled`: false stops everything at once, see why_switched_off() of the plugin.
  bool enabled = true;
  /// `mode`: what a job gets that does not use the option.
  Mode mode = Mode::kOff;
  /// `measure`: whether a job in mode advise that has no profile is measured, as it is.
  bool measure = false;
  /// `slowdown`: the largest slowdown a plan may predict; 0.05 is 5 %.
  double slowdown = 0.05;
  /// `risk`: whether the whole interval of a predicted time must be within the bound, where there
  /// is one; else the most likely time must (see Risk::kPoint).
  bool whole_interval = false;
  /// `withdraw`: whether a plan is no longer followed once its runs were slower than its bound
  /// allows.
  bool withdraw = true;
  /// `control`: the share of the jobs that a plan would pack that runs as submitted (ControlDraw),
  /// and `control_seed`: what their lots are drawn by.
  double control = 0;
  std::string control_seed;
  /// `messages.in_steps`: whether Huddle may print messages on the standard error of jobs' steps.
  bool messages_in_steps = false;
  /// `record`: which packed runs are recorded.
  RecordPacked record = RecordPacked::kAlways;
  /// `objective`: what the best of the patterns within the bound has least of.
  Objective objective = Objective::kEnergy;
  /// `explore`: whether a job may be packed more densely than anything covers.
  Explore explore = Explore::kNo;
  /// `frequency.policy`: what a job gets that does not say anything about frequencies.
  FrequencyWish frequency;
  /// `frequency.control`: whether root may limit the clocks of a job's cores. The site's own is the
  /// default; any table that holds for the job may grant it, and one that refuses it wins.
  bool frequency_control = false;
  /// `frequency.journal`: directory on each node for what is to be put back.
  std::string frequency_journal = "/var/lib/huddle";
  /// `frequency.balance`: whether ranks may have their clocks changed while they run, where
  /// frequency_control holds for the job.
  bool frequency_balance = false;
  /// True where a job that says nothing about it is balanced (`frequency.balance = "by default"`).
  /// Only with frequency_balance.
  bool balance_by_default = false;
  /// `frequency.keeper_user`: the name of the user that writes such changes.
  std::string keeper_user = "nobody";
  /// `threads.allow`: whether jobs may ask that Huddle acts on the threads of their ranks.
  bool threads_allowed = true;
  /// True where it does so for a job that says nothing (`threads.allow = "by default"`). Only
  /// with threads_allowed.
  bool threads_by_default = false;
  /// `energy.readers`: who may know what a node as a whole takes: "root", "all", or the name of a
  /// group.
  std::string energy_readers = "root";
  /// `energy.period`: how often huddle-energyd reads each sensor, 0.02 s to 60 s.
  Seconds energy_period{1};
  /// `energy.metrics`: the file in which huddle-energyd leaves what the node takes for Prometheus;
  /// empty: none.
  std::string energy_metrics;
  /// `limits`. Those of the site as a whole; for_submitter() combines them with the others.
  Limits limits;
  /// `profiles.directory`: root of the store; "~/" in front stands for the user's home.
  std::string profiles_directory = "~/.huddle";
  /// `profiles.readable_by`: who may read a user's profiles, plans and records.
  Readers readers = Readers::kOwner;
  /// `profiles.by_script`: whether jobs of one name whose scripts do different things are different
  /// jobs, with profiles and plans of their own.
  bool by_script = true;
  /// `profiles.samples`: how many runs may be measured before a plan is made, 1 or 2.
  std::uint32_t samples = 2;
  /// `profiles.sample_slowdown`: see PlanRequest::sample_slowdown.
  double sample_slowdown = 0.3;
  /// `profiles.keep_days`: profiles that are older are removed, 0: never.
  std::uint32_t keep_days = 365;
  /// `profiles.quota_bytes`: what a user's part of the store may hold before the oldest goes, and
  /// for each megabyte of it a file; 0: any number.
  std::uint64_t quota_files = 50'000;
  Bytes quota{50'000'000'000};
  /// `machine.file`: the machine document of the site's nodes; empty if there is none.
  std::string machine_file;
  /// `machine.model`: the model that was trained on them; empty if there is none.
  std::string model_file;
  /// `report`: what node-hours and energy cost.
  SiteRates rates;
  /// `programs.huddle`: the command that makes plans.
  std::string huddle;
  /// The recorder's library, in the folder `programs.modules` as what follows.
  std::string recorder;
  /// The library that lets mpirun follow a plan inside a batch script.
  std::string mpirun_helper;
  /// The program that watches over the clocks of limited steps, as root.
  std::string clocks;
  /// The program that brings profiles from the nodes to the store.
  std::string courier;

  /// [partition.NAME], [account.NAME] and [group.NAME], by name.
  std::map<std::string, ScopeRules, std::less<>> partitions;
  std::map<std::string, ScopeRules, std::less<>> accounts;
  std::map<std::string, ScopeRules, std::less<>> groups;

  /// The defaults, with the programs where they were installed.
  static Policy defaults();
  /// Takes the recorder, the helper of mpirun and root's programs from this folder.
  void take_modules(const std::filesystem::path& folder);

  /// Lets the defaults that `rules` has replace these, and combines the limits.
  void take(const ScopeRules& rules);

  /// Returns the rules that hold for a job of this submitter: of the defaults those of the group
  /// win over those of the account, the partition and the site; the limits are the strictest of
  /// all; defaults are cut to the limits. Of several partitions the first one's defaults count, and
  /// the limits of all; the control of frequencies must be granted in each, since nobody knows yet
  /// where the job runs. The result has no tables for anybody any more.
  [[nodiscard]] Policy for_submitter(const SubmitterIdentity& submitter) const;

  /// True if anybody's job gets something that does not use the option: a mode other than off.
  [[nodiscard]] bool acts_unasked() const;

  /// True if `frequency.control` is true for anybody.
  [[nodiscard]] bool grants_frequencies() const;
  /// True if a job's partition or account decides what root may do about its frequencies.
  [[nodiscard]] bool frequencies_depend_on_job() const;
};

/// Reads huddle.toml. Throws SystemError, or FormatError for syntax (with line and column), an
/// unknown key, a wrong type or a value out of range.
Policy load_policy(const std::filesystem::path& path);
Policy parse_policy(std::string_view text, std::string_view file);

/// A share of 0 to 1 written "5%", "5 %" or "0.05"; nothing if it is not one.
std::optional<double> parse_share(std::string_view text);

}  // namespace huddle
