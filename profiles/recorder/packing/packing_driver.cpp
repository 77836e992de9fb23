#include "profiles/recorder/packing/packing_driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "profiles/recorder/packing/packing_refusal.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

// Of what region_begins() returns, above the configuration: the region is the leader's, in no
// other.
constexpr std::uint64_t kSteered = std::uint64_t{1} << 32U;

}  // namespace

bool PackingDriver::is_asked_for(const Environment& environment) {
  return text_of(environment, kShakeVariable) == "1" ||
         text_of(environment, kThreadsVariable) == kPackedThreads;
}

std::unique_ptr<PackingDriver> PackingDriver::from(const Environment& environment,
                                                   Options options) {
  const bool shakes = text_of(environment, kShakeVariable) == "1";
  if (!is_asked_for(environment)) return nullptr;
  const Rank rank = options.rank;
  const std::uint32_t ranks = options.ranks;
  const bool libgomp = options.libgomp;
  auto driver = std::unique_ptr<PackingDriver>(new PackingDriver(std::move(options)));
  driver->refusal_ = why_not_packed(environment, libgomp);
  if (!driver->may_pack()) return driver;
  const std::string_view teams = text_of(environment, kTeamsVariable);
  if (shakes) {
    driver->shake_.emplace(driver->packing_.home().members(),
                           static_cast<std::uint64_t>(::getpid()));
  } else if (driver->options_.begin_audit) {
    driver->sizes_ =
        std::make_unique<PackingTrials>(driver->home().size(), driver->options_.second, false);
  } else if (teams.empty()) {
    driver->trials_ =
        std::make_unique<PackingTrials>(driver->home().size(), driver->options_.second);
  } else {
    try {
      const ChosenByRank chosen = parse_teams(teams, ranks);
      driver->choices_ = std::make_unique<ChosenTeams>(choices_for(chosen, rank), chosen.bound,
                                                       anchor_for(chosen, rank));
      driver->chosen_ = driver->choices_.get();
      driver->group_clocks_ = clocks_for(chosen, rank);
    } catch (const Error& error) {
      driver->refuse(fmt::format("{}: {}", kTeamsVariable, error.what()));
    }
  }
  return driver;
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
  sizes_.reset();
  chosen_ = nullptr;
  choices_.reset();
}

bool PackingDriver::may_choose(std::uint64_t now) const {
  if (!trials_ || !may_pack() || static_cast<double>(now) < kLeastRun * options_.second)
    return false;
  const std::lock_guard lock(mutex_);
  return !was_asked_ && trials_->is_through(now);
}

void PackingDriver::choose(const ChosenByRank& chosen, Rank rank, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  if (was_asked_) return;
  was_asked_ = true;
  choice_ = fmt::format("By that, teams were chosen after {:.1f} s of the run.",
                        static_cast<double>(now) / options_.second);
  choices_ = std::make_unique<ChosenTeams>(choices_for(chosen, rank), chosen.bound,
                                           anchor_for(chosen, rank));
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

// In a window the teams that may be smaller are: each has as many threads as it would have cores if
// it were packed. The others stay as they are. So does a region that comes for the first time: who
// reads the profile is to see that its team varies.
void PackingDriver::try_size(std::uintptr_t function, std::uint32_t team, std::uint64_t now,
                             bool resizable) {
  region_ = 0;
  if (!resizable || team > TeamPacking::kMostThreads) return;
  region_ = function;
  usual_team_ = team;
  const std::uint32_t threads = sizes_->begins(function, team, now);
  if (threads > 0 && !audit_asked_) {
    audit_asked_ = true;
    audits_ = options_.begin_audit();
  }
  if (!seen_.insert(function).second && audits_) threads_ = threads;
}

// Where the user allows that, and else the whole team is packed.
void PackingDriver::choose_size(const RegionCores& choice, std::uint32_t team) {
  if (!options_.may_resize || choice.threads == 0 || choice.threads >= team) return;
  if (!resized_ids_.contains(region_)) {
    const std::lock_guard lock(mutex_);
    resized_ids_.insert(region_);
  }
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
  if (sizes_) {
    try_size(function, team, now, resizable);
    return;
  }
  if (ChosenTeams* const offered = offered_.load(std::memory_order_acquire); offered != nullptr)
    chosen_.store(offered, std::memory_order_release);
  if (ChosenTeams* const choices = chosen(); choices != nullptr) {
    region_ = id_of(function);
    if (!choices->is_chosen(region_) && !choices->has_positions())
      kept_[slot_of(function)] = function;
    choices->comes(region_, now);
    const RegionCores* const choice = choices->begins(region_, team);
    usual_team_ = team;
    if (choice != nullptr && resizable) choose_size(*choice, team);
    if (choice == nullptr)
      place(team, 0, 0, now);
    else
      place(threads_ > 0 ? threads_ : team, choice->cores, choice->packages, now);
    if (clocks_) {
      if (choices->clock_khz() == 0) clocks_->run_at(0, 0);
      clocks_->look(now);
    }
  } else if (trials_) {
    region_ = id_of(function);
    place(team, trials_->begins(region_, team, now), 1, now);
  }
}

void PackingDriver::place(std::uint32_t team, std::uint32_t cores, std::uint32_t packages,
                          std::uint64_t now) {
  if (cores >= home().size() || team > TeamPacking::kMostThreads) cores = 0;
  if (cores == cores_ && (cores == 0 || (team == team_ && packages == packages_))) return;
  const std::vector<std::uint32_t> pus =
      cores == 0 ? std::vector<std::uint32_t>() : home().pus(cores, packages);
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
  if (threads > 0 || sizes_) {
    // As the team that its program asked for, but where the runtime gave yet another one.
    const std::uint32_t usual = team == (threads > 0 ? threads : usual_team_) ? usual_team_ : team;
    try {
      if (sizes_ && region_ != 0)
        sizes_->ended(region_, usual, threads, ticks, now);
      else if (ChosenTeams* const choices = chosen(); choices != nullptr)
        choices->ended(region_, usual, sized_cores_, 1, ticks);
    } catch (const std::exception&) {  // one pass less is known
    }
    return;
  }
  const std::uint32_t cores = static_cast<std::uint32_t>(token) == TeamPacking::kHome ? 0 : cores_;
  try {
    if (ChosenTeams* const choices = chosen(); choices != nullptr) {
      // One of another size than expected was on places that are meant for others.
      if (cores != 0 && team != team_) return;
      choices->ended(region_, team, cores, packages_, ticks);
    } else if (trials_)
      trials_->ended(region_, team, cores, ticks, now);
  } catch (const std::exception&) {  // one pass less is known
  }
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

std::vector<PackingTrials::Row> PackingDriver::rows() const {
  if (!trials_) {
    auto rows = has_choices() ? chosen()->rows() : std::vector<PackingTrials::Row>();
    // Teams of another size are not what a packed region's are.
    const std::lock_guard lock(mutex_);
    std::erase_if(rows, [&](const auto& row) { return resized_ids_.contains(row.function); });
    return rows;
  }
  auto rows = trials_->rows();
  if (has_choices()) add_acted(rows);
  return rows;
}

PackingTrials::Positions PackingDriver::positions() const {
  return trials_ ? trials_->positions() : PackingTrials::Positions();
}

// What was tried stays as it was when the run chose by it: a run that was on fewer cores for most
// of its time says little else of what its regions take as they are started.
void PackingDriver::add_acted(std::vector<PackingTrials::Row>& tried) const {
  for (const PackingTrials::Row& row : chosen()->rows())
    for (PackingTrials::Row& one : tried)
      if (one.function == row.function && one.team == row.team && one.cores == row.cores &&
          home().packages(one.cores, 1) == home().packages(row.cores, row.packages))
        one.acted = row.packed;
}

std::vector<PackingTrials::Row> PackingDriver::sizes_tried() const {
  if (!sizes_) return {};
  auto rows = sizes_->rows();
  for (PackingTrials::Row& row : rows) row.function = options_.id_of(row.function);
  return rows;
}

std::string PackingDriver::sizes_note(std::uint64_t length) const {
  if (has_choices() && resized_ > 0)
    return fmt::format(" Teams had as many threads as was chosen for them {} times.", resized_);
  if (!sizes_) return {};
  if (audit_asked_ && !audits_)
    return "Smaller teams were not tried: another run of the program has begun to, or that can't "
           "be noted.";
  if (resized_ == 0)
    return "Smaller teams were not tried: the run is too short for that, its regions are, or none "
           "is the program's own with a team of its usual size.";
  const PackingTrials::Effort effort = sizes_->effort();
  return fmt::format(
      "Teams had fewer threads {} times, as the user allows it, to see what that does: {:.2f} % of "
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
    return fmt::format("Teams were packed at random, {} times ({}).", changes_, kShakeVariable);
  if (sizes_) return sizes_note(length);
  if (!trials_)
    return has_choices() ? chosen()->text() + sizes_note(length) + clocks_note() : std::string();
  std::string text = trials_note(length);
  const std::lock_guard lock(mutex_);
  if (!choice_.empty()) text += ' ' + choice_;
  if (has_choices()) text += ' ' + chosen()->text();
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

}  // namespace huddle::recorder
