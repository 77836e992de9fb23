#include "spank_plugin/runtime/packing/chosen_teams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace huddle::runtime {
namespace {

// A group may take so many times as long at its clock as it did when the program was started.
constexpr std::uint64_t kLease = 4;

}  // namespace

ChosenTeams::ChosenTeams(const std::vector<throttling::RegionCores>& choices, double bound,
                         std::uint64_t anchor)
    : place_(anchor), guard_(bound), own_(bound) {
  for (const throttling::RegionCores& choice : choices) {
    if (choice.context != 0)
      positions_[{choice.region, choice.context}] = choice;
    else
      choices_[{choice.region, choice.group}] = choice;
    chosen_.insert(choice.region);
  }
}

void ChosenTeams::set_clocks(const std::vector<throttling::GroupClock>& clocks) {
  for (const throttling::GroupClock& clock : clocks) clocks_[clock.group] = clock.khz;
}

void ChosenTeams::group_ends(std::uint64_t group, std::uint64_t now) {
  const std::uint64_t took = now - last_delimiter_;
  const bool is_first = last_delimiter_ == 0;
  last_delimiter_ = now;
  own_.delimiter();
  const bool left_out = std::exchange(left_out_, false);
  place_.delimiter(group);
  if (!guard_.has_room_for(group)) {
    expect({});
    return;
  }
  // A clock is a group's, wherever it is.
  const std::uint64_t key = position_ != 0 && khz_ == 0 ? position_ : group;
  // A group that is not known yet was taken for another one.
  const bool is_known = guard_.is_known(key);
  if (position_ != 0) positions_in_[group].insert(position_);
  if (left_out) {
    // Nor is it a reference.
  } else if (khz_ != 0 && group != expected_) {
    // It had another one's clock: that is what is bad, however long it took.
    act_ends(expected_, expected_, std::numeric_limits<std::uint64_t>::max());
  } else if ((has_packed_ || khz_ != 0) && is_known) {
    act_ends(key, group, took);
  } else if (!has_packed_ && khz_ == 0 && !is_first) {
    const Seconds time{static_cast<double>(took)};
    guard_.measured(group, time);
    if (key != group) guard_.measured(key, time);
  }
  if (last_group_ != 0) {
    Successor& last = successor_[last_group_];
    last = {group, last.group == group};
  }
  last_group_ = group;
  const auto next = successor_.find(group);
  expect(next == successor_.end() ? Successor() : next->second);
}

bool ChosenTeams::acts_at(std::uint64_t key) const {
  return guard_.is_known(key) && !guard_.is_back(key);
}

// The regions before a position may be packed only where that is known, too, and is not back: it
// would have no reference, and nothing would guard it.
bool ChosenTeams::acts_in(std::uint64_t group) const {
  const auto found = positions_in_.find(group);
  return found == positions_in_.end() ||
         std::ranges::all_of(found->second, [&](std::uint64_t key) { return acts_at(key); });
}

bool ChosenTeams::is_by_position(std::uint64_t region) const {
  const auto found = positions_.lower_bound({region, 0});
  return found != positions_.end() && found->first.first == region;
}

// A pass of the group was acted on; `key`: what it is compared with.
void ChosenTeams::act_ends(std::uint64_t key, std::uint64_t group, std::uint64_t took) {
  const bool goes_on = guard_.acted_on(key, Seconds{static_cast<double>(took)});
  const std::lock_guard lock(mutex_);
  acted_on_.insert(group);
  has_slowed_ = has_slowed_ || khz_ != 0;
  if (!goes_on) back_.insert(group);
}

// The groups under way from here on. A clock slows all that comes until the next delimiter, a team
// only its own regions: so a clock wants to be surer of what comes.
void ChosenTeams::expect(Successor next) {
  expected_ = next.group;
  packs_ = expected_ != 0 && acts_at(expected_);
  const auto clock = packs_ && next.again ? clocks_.find(expected_) : clocks_.end();
  khz_ = clock == clocks_.end() ? 0 : clock->second;
  if (khz_ != 0)
    lease_ =
        kLease * static_cast<std::uint64_t>(guard_.reference(expected_).value_or(Seconds{}).value);
  has_packed_ = false;
  position_ = 0;
}

void ChosenTeams::comes(std::uint64_t region, std::uint64_t now) {
  place_.region(region);
  if (chosen_.count(region) == 0) return;
  own_.region_begins(region, now, place_.context() == 0 ? 0 : place_.periods());
  if (own_.is_delimiter()) packs_ = false;  // what was expected does not end
  if (own_.acted_on() == own_acted_on_ && own_.went_back() == own_back_) return;
  const std::lock_guard lock(mutex_);
  own_acted_on_ = own_.acted_on();
  own_back_ = own_.went_back();
}

// A position says itself what is under way, and needs no guess.
const throttling::RegionCores* ChosenTeams::choice_at(std::uint64_t region) {
  if (place_.context() != 0) {
    const auto found = positions_.find({region, place_.context()});
    if (found != positions_.end()) {
      if (position_ == 0) position_ = place_.context();
      const bool acts = own_.is_delimiter() ? own_.packs() : acts_at(position_);
      return acts ? &found->second : nullptr;
    }
  }
  if (!packs_ && !own_.packs()) return nullptr;
  if (!own_.packs() && (!acts_in(expected_) || (position_ != 0 && !acts_at(position_))))
    return nullptr;
  auto found = choices_.end();
  if (packs_) found = choices_.find({region, expected_});
  if (found == choices_.end()) found = choices_.find({region, 0});
  return found == choices_.end() ? nullptr : &found->second;
}

const throttling::RegionCores* ChosenTeams::begins(std::uint64_t region, std::uint32_t team,
                                                   bool may_shrink) {
  const throttling::RegionCores* const choice = choice_at(region);
  if (choice == nullptr || choice->cores >= team || team % choice->cores != 0) return nullptr;
  if (choice->threads != 0 && choice->threads < team && !may_shrink) return nullptr;
  has_packed_ = true;
  own_.packed();
  if (choice->context != 0) {
    const std::lock_guard lock(mutex_);
    ++at_positions_;
  }
  return choice;
}

void ChosenTeams::ended(std::uint64_t region, std::uint32_t team, std::uint32_t cores,
                        std::uint32_t packages, std::uint64_t ticks, std::uint32_t threads) {
  if (chosen_.count(region) == 0) return;
  const std::lock_guard lock(mutex_);
  Region& mine = regions_[region];
  (cores == 0 ? mine.usual : mine.packed[{team, cores, packages, threads}]).add(ticks);
}

void ChosenTeams::leave_out() {
  left_out_ = true;
  own_.leave_out();
}

std::vector<PackingTrials::Row> ChosenTeams::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<PackingTrials::Row> rows;
  for (const auto& [id, region] : regions_)
    for (const auto& [how, times] : region.packed)
      if (!is_by_position(id))
        rows.push_back({id, how[0], how[1], how[2], {}, times, region.usual, {}, how[3]});
  return rows;
}

std::string ChosenTeams::text() const {
  const std::lock_guard lock(mutex_);
  if (acted_on_.empty() && own_acted_on_ == 0)
    return "Teams ran as the program was started: no group of phases with regions that something "
           "was chosen for came often enough.";
  std::uint64_t packed = 0;
  for (const auto& [id, region] : regions_)
    if (!region.packed.empty()) ++packed;
  std::string text = packed == 0 && has_slowed_
                         ? std::string("Clocks were asked for as chosen")
                         : fmt::format("Teams of {} regions ran on fewer cores", packed);
  if (!acted_on_.empty()) text += fmt::format(", in {} groups of phases", acted_on_.size());
  if (!back_.empty())
    text += fmt::format(", {} of which went back: they took longer than the first passes",
                        back_.size());
  if (at_positions_ > 0)
    text += fmt::format(", {} times as chosen for their position in a period", at_positions_);
  if (own_acted_on_ == 0) return text + ".";
  text += fmt::format(". Where no delimiter of MPI came, passes of {} regions took its place",
                      own_acted_on_);
  if (own_back_ > 0)
    text +=
        fmt::format(", {} of which went back: they took longer than the first passes", own_back_);
  return text + ".";
}

}  // namespace huddle::runtime
