#include "profiles/recorder/packing/packing_trials.hpp"

#include <algorithm>

#include "profiles/recorder/packing/team_places.hpp"

namespace huddle::recorder {
namespace {

// What takes less of the run is not worth a longer window.
constexpr double kShareThatMatters = 0.01;
constexpr double kFromMomentToMoment = 1.25;
constexpr std::uint32_t kWindowsAtDepth = 2;
// Of the time in regions that matter, what must be in those that a window waits for.
constexpr double kShareCovered = 0.5;
constexpr std::size_t kMostTried = 4096;
// Where half of the cores take nearly twice as long, fewer take longer still.
constexpr double kShareOfWorstStretch = 0.85;

double passes_of(const PassTimes& times) {
  return static_cast<double>(times.count);
}

}  // namespace

std::uint32_t PackingTrials::begins(std::uintptr_t function, std::uint32_t team,
                                    std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  if (by_position_) positions_.begins(function);
  if (regions_.size() >= kMostTried && regions_.count(function) == 0) return 0;
  Region& region = regions_[function];
  if (region.begun++ == 0) {
    region.team = team;
    region.first_begin = now;
  }
  region.team_varies = region.team_varies || region.team != team;
  region.last_begin = now;
  if (in_window_ && now >= window_ends_) end_window(now);
  if (!in_window_ && static_cast<double>(now) >= next_moment_ * second_) try_to_begin(now);
  return in_window_ && !region.team_varies ? cores_at(region, depth_) : 0;
}

void PackingTrials::ended(std::uintptr_t function, std::uint32_t team, std::uint32_t cores,
                          std::uint64_t ticks, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = regions_.find(function);
  if (found == regions_.end()) return;
  Region& region = found->second;
  // Also where its team varies: it is on the way to others.
  if (by_position_) positions_.ended(function, cores, cores != 0 && region.in_window == 0, ticks);
  if (team != region.team) {
    region.team_varies = true;
    return;
  }
  if (cores == 0) return region.usual.add(ticks);
  auto tried = std::find_if(region.tried.begin(), region.tried.end(),
                            [&](const Region::Tried& one) { return one.cores == cores; });
  if (tried == region.tried.end()) tried = region.tried.insert(tried, {cores, {}, {}});
  (region.in_window++ == 0 ? tried->first : tried->packed).add(ticks);
  if (region.in_window == region.needed && region.is_awaited && --awaited_ == 0 && in_window_)
    end_window(now);
}

// One at whose cores something can be seen.
bool PackingTrials::matters(const Region& region, std::uint64_t now) const {
  const double time = passes_of(region.usual) * region.usual.mean;
  return region.usual.count >= kFewestUsual && !region.team_varies &&
         time >= kShareThatMatters * static_cast<double>(now) && cores_at(region, depth_) > 0;
}

// Of the numbers of cores that are fewer than it has, from the most on; 0: there is none.
std::uint32_t PackingTrials::cores_at(const Region& region, std::uint32_t depth) const {
  const std::uint32_t has = std::min(region.team, pus_);
  std::uint32_t cores = has;
  for (std::uint32_t i = 0; i <= depth; ++i) {
    const auto fewer = packable_counts(region.team, cores / 2);
    if (fewer.empty()) return 0;
    cores = fewer.front();
  }
  return cores;
}

// How long it may take until such a region had its passes.
double PackingTrials::length_for(const Region& region) const {
  const double gap = static_cast<double>(region.last_begin - region.first_begin) /
                     static_cast<double>(region.begun - 1);
  const double worst = static_cast<double>(std::min(region.team, pus_)) /
                       static_cast<double>(cores_at(region, depth_));
  // One pass more, as the first may be under way.
  return (region.needed + 1) * gap * worst;
}

// One pass of the first period is for getting there, as everywhere.
std::uint32_t PackingTrials::needed_for(std::uintptr_t function) const {
  return std::max(kPassesOfWindow, kPeriods * positions_.differing(function) + 1);
}

bool PackingTrials::differ() const {
  return std::ranges::any_of(regions_, [&](const auto& one) {
    return !one.second.team_varies && cores_at(one.second, 0) > 0 &&
           positions_.differing(one.first) > 0;
  });
}

// Where teams were tried, but not at all positions of the period that they are in.
bool PackingTrials::want_periods() const {
  return !whole_periods_ && long_windows_ != effort_.windows && differ();
}

void PackingTrials::set_needed(bool whole_periods) {
  for (auto& [function, region] : regions_)
    region.needed = whole_periods ? needed_for(function) : kPassesOfWindow;
}

// A region that comes too seldom for `most` ticks is not waited for, if the others are most of what
// matters.
std::uint64_t PackingTrials::length_of_window(std::uint64_t now, double most) const {
  double length = 0;
  double covered = 0;
  double all = 0;
  for (const auto& [function, region] : regions_) {
    if (!matters(region, now)) continue;
    const double time = passes_of(region.usual) * region.usual.mean;
    all += time;
    if (length_for(region) > most) continue;
    covered += time;
    length = std::max(length, length_for(region));
  }
  return covered < kShareCovered * all ? 0 : static_cast<std::uint64_t>(length);
}

void PackingTrials::try_to_begin(std::uint64_t now) {
  while (next_moment_ * second_ <= static_cast<double>(now)) next_moment_ *= kFromMomentToMoment;
  if (has_tried_all(now)) {
    if (tried_at_ == 0) tried_at_ = now;
    if (!want_periods()) return;
    whole_periods_ = true;
    ended_ = false;
    depth_ = 0;
  }
  const double most = kMostTime * static_cast<double>(now) - static_cast<double>(effort_.ticks);
  set_needed(true);
  std::uint64_t length = length_of_window(now, most);
  const bool is_long = length > 0 && differ();
  if (length == 0 && !whole_periods_) {
    set_needed(false);
    length = length_of_window(now, most);
  }
  if (length == 0) return;
  if (is_long) ++long_windows_;
  in_window_ = true;
  window_began_ = now;
  window_ends_ = now + length;
  awaited_ = 0;
  for (auto& [function, region] : regions_) {
    region.in_window = 0;
    region.is_awaited =
        matters(region, now) && length_for(region) <= static_cast<double>(length) + 1;
    if (region.is_awaited) ++awaited_;
  }
}

void PackingTrials::end_window(std::uint64_t now) {
  in_window_ = false;
  ++effort_.windows;
  effort_.ticks += now - window_began_;
  if (++windows_at_depth_ < kWindowsAtDepth) return;
  windows_at_depth_ = 0;
  if (++depth_ == kMostDepth || takes_worst_stretch()) ended_ = true;
}

// By the depth that has just been tried.
bool PackingTrials::takes_worst_stretch() const {
  double usual = 0;
  double packed = 0;
  double worst = 0;
  for (const auto& [function, region] : regions_)
    for (const Region::Tried& tried : region.tried) {
      if (tried.cores != cores_at(region, depth_ - 1) || tried.packed.count == 0) continue;
      const double time = passes_of(region.usual) * region.usual.mean;
      usual += time;
      packed += passes_of(region.usual) * tried.packed.mean;
      worst += time * std::min(region.team, pus_) / tried.cores;
    }
  return packed - usual >= kShareOfWorstStretch * (worst - usual);
}

void PackingTrials::group_ends(std::uint64_t group) {
  const std::lock_guard lock(mutex_);
  positions_.delimiter(group);
}

PackingTrials::Positions PackingTrials::positions() const {
  const std::lock_guard lock(mutex_);
  Positions positions{positions_.all(), {}};
  for (const auto& [function, region] : regions_)
    if (!region.team_varies) positions.teams[function] = region.team;
  std::erase_if(positions.all.rows,
                [&](const auto& row) { return !positions.teams.contains(row.region); });
  return positions;
}

std::vector<PackingTrials::Row> PackingTrials::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> rows;
  for (const auto& [function, region] : regions_)
    for (const Region::Tried& tried : region.tried)
      if (!region.team_varies)
        rows.push_back(
            {function, region.team, tried.cores, 0, tried.first, tried.packed, region.usual});
  return rows;
}

PackingTrials::Effort PackingTrials::effort() const {
  const std::lock_guard lock(mutex_);
  return effort_;
}

// What has no fewer cores at this depth has been through all of them.
bool PackingTrials::has_tried_all(std::uint64_t now) const {
  if (ended_ || effort_.windows == 0 || windows_at_depth_ != 0) return ended_;
  if (whole_periods_ && depth_ == 0) return false;
  return !in_window_ &&
         std::ranges::none_of(regions_, [&](const auto& one) { return matters(one.second, now); });
}

bool PackingTrials::is_through(std::uint64_t now) const {
  const std::lock_guard lock(mutex_);
  const bool has_waited =
      tried_at_ != 0 && static_cast<double>(now) > kPatience * static_cast<double>(tried_at_);
  if (whole_periods_) return has_tried_all(now) || (has_waited && !in_window_);
  return has_tried_all(now) && (has_waited || !want_periods());
}

}  // namespace huddle::recorder
