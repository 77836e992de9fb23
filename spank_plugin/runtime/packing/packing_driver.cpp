#include "spank_plugin/runtime/packing/packing_driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/runtime/packing/packing_refusal.hpp"

namespace huddle::runtime {
namespace {

// A bit of what region_begins() returns, above the configuration: the region is the leader's, in no
// other.
constexpr std::uint64_t kSteered = std::uint64_t{1} << 32U;

}  // namespace

bool PackingDriver::is_asked_for(const Environment& environment) {
  return text_of(environment, kThreadsVariable) == kPackedThreads;
}

std::unique_ptr<PackingDriver> PackingDriver::from(const Environment& environment,
                                                   Options options) {
  if (!is_asked_for(environment)) return nullptr;
  const Rank rank = options.rank;
  const std::uint32_t ranks = options.ranks;
  const bool libgomp = options.libgomp;
  auto driver = std::unique_ptr<PackingDriver>(new PackingDriver(std::move(options)));
  driver->refusal_ = why_not_packed(environment, libgomp);
  if (!driver->may_pack()) return driver;
  const std::string_view teams = text_of(environment, kTeamsVariable);
  if (teams == kShakenTeams) {
    driver->shake_.emplace(driver->packing_.home().members(),
                           static_cast<std::uint64_t>(::getpid()));
    return driver;
  }
  driver->by_plan_ = !teams.empty();
  driver->make_trials();
  if (driver->by_plan_) {
    try {
      const throttling::ChosenByRank chosen = throttling::parse_teams(teams, ranks);
      driver->choices_ =
          std::make_unique<ChosenTeams>(throttling::choices_for(chosen, rank), chosen.bound,
                                        throttling::anchor_for(chosen, rank));
      driver->chosen_ = driver->choices_.get();
      driver->group_clocks_ = throttling::clocks_for(chosen, rank);
    } catch (const Error& error) {
      driver->refuse(fmt::format("{}: {}", kTeamsVariable, error.what()));
    }
  }
  return driver;
}

// Beside a plan's teams, what smaller ones are compared with is tried as well: there are few other
// passes as the program was started.
void PackingDriver::make_trials() {
  std::vector<TrialKind> kinds;
  if (!by_plan_) kinds = {TrialKind::kPacked};
  if (options_.begin_audit && by_plan_) kinds = {TrialKind::kAsStarted};
  if (options_.begin_audit) kinds.push_back(TrialKind::kSmaller);
  if (!kinds.empty())
    trials_ = std::make_unique<PackingTrials>(home().size(), options_.second, kinds);
}

PackingDriver::PackingDriver(Options options) : options_(std::move(options)) {
  if (options_.home.size() == 0) options_.home = TeamHome(packing_.home(), {});
}

void PackingDriver::use_clocks(std::unique_ptr<TeamClocks> clocks) {
  clocks_ = std::move(clocks);
  // Where no clock is the rank's, groups must not count as slowed.
  if (clocks_ && clocks_->has_any() && has_choices()) chosen()->set_clocks(group_clocks_);
}

void PackingDriver::refuse(const std::string& why) {
  refusal_ = why;
  shake_.reset();
  trials_.reset();
  by_plan_ = false;
  chosen_ = nullptr;
  choices_.reset();
}

bool PackingDriver::may_choose(std::uint64_t now) const {
  if (!tries_cores() || !may_pack() || static_cast<double>(now) < kLeastRun * options_.second)
    return false;
  const std::lock_guard lock(mutex_);
  return !was_asked_ && trials_->is_through(now);
}

void PackingDriver::choose(const throttling::ChosenByRank& chosen, Rank rank, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  if (was_asked_) return;
  was_asked_ = true;
  choice_ = fmt::format("By that, teams were chosen after {:.1f} s of the run.",
                        static_cast<double>(now) / options_.second);
  choices_ = std::make_unique<ChosenTeams>(throttling::choices_for(chosen, rank), chosen.bound,
                                           throttling::anchor_for(chosen, rank));
  offered_.store(choices_.get(), std::memory_order_release);
}

void PackingDriver::leave_teams(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (was_asked_) return;
  was_asked_ = true;
  choice_ = fmt::format("By that, nothing was chosen in this run: {}.", why);
}

std::uint64_t PackingDriver::region_begins(std::uintptr_t function, std::uint32_t team,
                                           std::uint32_t level, std::uint64_t now,
                                           bool resizable) noexcept {
  const bool over = packing_.ended() != TeamPacking::End::kNone;
  if (over && packing_.is_leader()) end_clocks();
  if (level > 0 || over || !packing_.is_leader()) return packing_.begin_region(team, level);
  threads_ = 0;
  try {
    steer(function, team, now, resizable);
  } catch (const std::exception&) {  // it stays as it is
    threads_ = 0;
  }
  if (threads_ > 0) ++resized_;
  return std::uint64_t{threads_} << kThreadsBit | kSteered |
         packing_.begin_region(threads_ > 0 ? threads_ : team, level);
}

bool PackingDriver::may_audit() {
  if (!audit_asked_) {
    audit_asked_ = true;
    audits_ = options_.begin_audit && options_.begin_audit();
    if (!audits_) trials_->keep_sizes();
  }
  return audits_;
}

// True if a window says how the region runs. Of smaller teams each has as many threads as it would
// have cores if it were packed, and runs on as many; regions whose teams must stay run as ever.
bool PackingDriver::try_teams(std::uint32_t team, std::uint64_t now, bool resizable) {
  const bool may_shrink = resizable && team <= TeamPacking::kMostThreads;
  const std::uint32_t count = trials_->begins(function_, team, now, may_shrink);
  const std::optional<TrialKind> window = trials_->window();
  if (!window || (*window == TrialKind::kSmaller && (count == 0 || !may_audit()))) return false;
  is_tried_ = true;
  if (*window == TrialKind::kSmaller) {
    threads_ = sized_cores_ = count;
    place(count, count, 1, now);
  } else {
    place(team, count, 1, now);
  }
  return true;
}

// Where the user allows that, and else the whole team is packed.
void PackingDriver::choose_size(const throttling::RegionCores& choice, std::uint32_t team) {
  if (choice.threads == 0 || choice.threads >= team) return;
  threads_ = choice.threads;
  sized_cores_ = choice.cores;
}

void PackingDriver::steer(std::uintptr_t function, std::uint32_t team, std::uint64_t now,
                          bool resizable) {
  if (shake_) {
    packing_.pack(shake_->next(team));
    ++changes_;
    return;
  }
  if (trials_) function_ = id_of(function);
  usual_team_ = team;
  is_tried_ = false;
  if (ChosenTeams* const offered = offered_.load(std::memory_order_acquire); offered != nullptr)
    chosen_.store(offered, std::memory_order_release);
  if (has_choices())
    act(function, team, now, resizable);
  else if (trials_ && !try_teams(team, now, resizable))
    place(team, 0, 0, now);
}

// As was chosen, but for windows in which sizes are tried.
void PackingDriver::act(std::uintptr_t function, std::uint32_t team, std::uint64_t now,
                        bool resizable) {
  ChosenTeams& choices = *chosen();
  const bool may_try = by_plan_ && trials_ && trials_->goes_on();
  region_ = id_of(function);
  if (!choices.is_chosen(region_) && !may_try && !choices.has_positions())
    kept_[slot_of(function)] = function;
  choices.comes(region_, now);
  if (may_try && try_teams(team, now, resizable)) {
    choices.leave_out();
    if (clocks_) clocks_->run_at(0, 0);
  } else {
    const throttling::RegionCores* const choice =
        choices.begins(region_, team, options_.may_resize && resizable);
    if (choice == nullptr) {
      place(team, 0, 0, now);
    } else {
      choose_size(*choice, team);
      place(threads_ > 0 ? threads_ : team, choice->cores, choice->packages, now);
    }
    if (clocks_ && choices.clock_khz() == 0) clocks_->run_at(0, 0);
  }
  if (clocks_) clocks_->look(now);
}

void PackingDriver::place(std::uint32_t team, std::uint32_t cores, std::uint32_t packages,
                          std::uint64_t now) {
  if (cores >= home().size() || team > TeamPacking::kMostThreads) cores = 0;
  if (cores == cores_ && (cores == 0 || (team == team_ && packages == packages_))) return;
  const std::vector<std::uint32_t> pus =
      cores == 0 ? std::vector<std::uint32_t>() : home().pus(cores, packages);
  // Also in windows of trials, after which none is lowered: one may be under way at the choice.
  if (clocks_) clocks_->moves_to(pus, now);
  packing_.pack(cores == 0 ? pus : team_places(team, pus));
  team_ = team;
  cores_ = cores;
  packages_ = packages;
  ++changes_;
}

void PackingDriver::region_ended(std::uint64_t token, std::uint32_t team, std::uint64_t ticks,
                                 std::uint64_t now) noexcept {
  if ((token & kSteered) == 0) return;
  const unsigned threads = threads_of(token);
  // As the team that its program asked for, but where the runtime gave yet another one.
  if (threads > 0 && team == threads) team = usual_team_;
  const bool is_home = static_cast<std::uint32_t>(token) == TeamPacking::kHome;
  try {
    const std::uint32_t cores = threads > 0 ? sized_cores_ : is_home ? 0 : cores_;
    count_pass(team, cores, threads, ticks, now);
  } catch (const std::exception&) {  // one pass less is known
  }
}

void PackingDriver::count_pass(std::uint32_t team, std::uint32_t cores, unsigned threads,
                               std::uint64_t ticks, std::uint64_t now) {
  if (is_tried_) {
    trials_->ended(function_, team, cores, ticks, now, threads > 0);
    return;
  }
  ChosenTeams* const choices = chosen();
  if (choices == nullptr) {
    if (trials_) trials_->ended(function_, team, 0, ticks, now);
    return;
  }
  // One of another size than expected was on places that are meant for others.
  if (cores != 0 && team != (threads > 0 ? usual_team_ : team_)) return;
  choices->ended(region_, team, cores, packages_, ticks, threads);
  if (!by_plan_ || !trials_) return;
  if (cores == 0)
    trials_->ended(function_, team, 0, ticks, now);
  else
    trials_->acted(function_, ticks);
}

void PackingDriver::group_ends(std::uint64_t group, std::uint64_t now) noexcept {
  ChosenTeams* const choices = chosen();
  try {
    if (choices == nullptr) {
      if (trials_) trials_->group_ends(group);
      return;
    }
    choices->group_ends(group, now);
    if (packing_.ended() != TeamPacking::End::kNone)
      end_clocks();
    else if (clocks_)
      clocks_->run_at(choices->clock_khz(), choices->clock_lease());
  } catch (const std::exception&) {  // it stays as it is
  }
}

void PackingDriver::finish() noexcept {
  packing_.end();
  end_clocks();
}

// Teams are at home from here on, on all their cores.
void PackingDriver::end_clocks() noexcept {
  if (!clocks_ || clocks_over_) return;
  clocks_over_ = true;
  try {
    clocks_->end();
  } catch (const std::exception&) {  // the keeper lets go of them when the process ends
  }
}

std::uint64_t PackingDriver::id_of(std::uintptr_t function) {
  const auto found = ids_.find(function);
  if (found != ids_.end()) return found->second;
  return ids_.emplace(function, options_.id_of(function)).first->second;
}

// Teams of another size are not what a packed region's are.
std::vector<PackingTrials::Row> PackingDriver::rows() const {
  std::vector<PackingTrials::Row> rows = tries_cores()   ? trials_->rows()
                                         : has_choices() ? chosen()->rows()
                                                         : std::vector<PackingTrials::Row>();
  std::erase_if(rows, [](const auto& row) { return row.threads > 0; });
  if (tries_cores() && has_choices()) add_acted(rows);
  if (!by_plan_ || !trials_) return rows;
  // Both are compared with the same.
  for (const PackingTrials::Row& tried : trials_->rows())
    for (PackingTrials::Row& row : rows)
      if (row.function == tried.function && row.team == tried.team) row.usual = tried.usual;
  return rows;
}

std::vector<PackingTrials::Row> PackingDriver::smaller_rows() const {
  std::vector<PackingTrials::Row> rows =
      trials_ ? trials_->rows() : std::vector<PackingTrials::Row>();
  if (!trials_ && has_choices()) rows = chosen()->rows();
  std::erase_if(rows, [](const auto& row) { return row.threads == 0 || row.threads != row.cores; });
  return rows;
}

PackingTrials::Positions PackingDriver::positions() const {
  return trials_ ? trials_->positions() : PackingTrials::Positions();
}

// The trials stay as they were when the run chose by them: a run that was on fewer cores for most
// of its time says little else of what its regions take as they are started.
void PackingDriver::add_acted(std::vector<PackingTrials::Row>& tried) const {
  for (const PackingTrials::Row& row : chosen()->rows())
    for (PackingTrials::Row& one : tried)
      if (one.function == row.function && one.team == row.team && one.cores == row.cores &&
          home().packages(one.cores, 1) == home().packages(row.cores, row.packages))
        one.acted = row.packed;
}

std::string PackingDriver::sizes_note(std::uint64_t length) const {
  if (!options_.begin_audit)
    return has_choices() && resized_ > 0
               ? fmt::format(" Teams had as many threads as was chosen for them {} times.",
                             resized_)
               : std::string();
  if (audit_asked_ && !audits_)
    return " Smaller teams were not tried: another run of the program has begun to, or that can't "
           "be noted.";
  if (resized_ == 0)
    return " Smaller teams were not tried: the run is too short for that, its regions are, or none "
           "is the program's own with a team of its usual size.";
  const PackingTrials::Effort effort = trials_->effort(TrialKind::kSmaller);
  return fmt::format(
      " Teams had fewer threads {} times, as the user allows it, to see what that does: {:.2f} % "
      "of "
      "the run.",
      resized_, 100 * static_cast<double>(effort.ticks) / static_cast<double>(length));
}

std::string PackingDriver::clocks_note() const {
  std::string text;
  if (clocks_ && clocks_->lowered() > 0)
    text +=
        fmt::format(" Clocks of cores that they left were lowered {} times.", clocks_->lowered());
  if (clocks_ && clocks_->slowed() > 0)
    text += fmt::format(" A lower clock for a group of phases was asked for {} times.",
                        clocks_->slowed());
  if (!group_clocks_.empty() && (!clocks_ || !clocks_->has_any()))
    text +=
        " Clocks that were chosen for groups of phases were not set: no keeper of the step's "
        "clocks lets this rank ask for any.";
  return text;
}

std::string PackingDriver::note(std::uint64_t length) const {
  const std::string why = refusal_.empty() ? TeamPacking::text_of(packing_.ended()) : refusal_;
  if (!why.empty()) return fmt::format("Threads were not packed: {}.", why) + clocks_note();
  if (shake_ && changes_ > 0)
    return fmt::format("Teams were packed at random, {} times.", changes_);
  if (!tries_cores())
    return has_choices() ? chosen()->text() + sizes_note(length) + clocks_note() : std::string();
  std::string text = trials_note(length) + sizes_note(length);
  const std::lock_guard lock(mutex_);
  if (!choice_.empty()) text += ' ' + choice_;
  if (has_choices()) text += ' ' + chosen()->text() + clocks_note();
  return text;
}

std::string PackingDriver::trials_note(std::uint64_t length) const {
  const PackingTrials::Effort effort = trials_->effort();
  if (effort.windows == 0)
    return "Nothing was tried with teams on fewer cores: the run is too short for that, its "
           "regions "
           "are, or their teams have no two cores each.";
  const double share = static_cast<double>(effort.ticks) / static_cast<double>(length);
  return fmt::format(
      "Teams were on fewer cores {} times, to see what they take there: {:.2f} % of "
      "the run.",
      effort.windows, 100 * share);
}

}  // namespace huddle::runtime
