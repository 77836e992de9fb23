#include "spank_plugin/runtime/packing/packing_trials.hpp"

#include <algorithm>

#include "spank_plugin/runtime/packing/team_places.hpp"

namespace huddle::runtime {
namespace {

// A region that takes less of the run is not worth a longer window.
constexpr double kShareThatMatters = 0.01;
constexpr double kFromMomentToMoment = 1.25;
constexpr std::uint32_t kWindowsAtDepth = 2;
// Moments at which a kind of windows whose turn it is waits for one that is long enough.
constexpr std::uint32_t kMostPassedOver = 4;
// The share of the time in regions that matter that must be in those that a window waits for.
constexpr double kShareCovered = 0.5;
constexpr std::size_t kMostTried = 4096;
// Where half of the cores take nearly twice as long, fewer take longer still.
constexpr double kShareOfWorstStretch = 0.85;

double passes_of(const PassTimes& times) {
  return static_cast<double>(times.count);
}

}  // namespace

PackingTrials::PackingTrials(std::uint32_t pus, double second, const std::vector<TrialKind>& kinds)
    : pus_(pus),
      second_(second),
      by_position_(std::ranges::find(kinds, TrialKind::kPacked) != kinds.end()) {
  for (const TrialKind kind : kinds) turns_.push_back({kind});
}

std::uint32_t PackingTrials::begins(std::uintptr_t function, std::uint32_t team, std::uint64_t now,
                                    bool may_shrink) {
  const std::lock_guard lock(mutex_);
  if (by_position_) positions_.begins(function);
  if (regions_.size() >= kMostTried && regions_.count(function) == 0) return 0;
  Region& region = regions_[function];
  if (region.begun++ == 0) {
    region.team = team;
    region.first_begin = now;
  }
  region.team_varies = region.team_varies || region.team != team;
  region.may_shrink = may_shrink;
  region.last_begin = now;
  if (in_window_ && now >= window_ends_) end_window(now);
  if (!in_window_ && static_cast<double>(now) >= next_moment_ * second_) try_to_begin(now);
  return in_window_ && !region.team_varies ? cores_in(region, turns_[turn_]) : 0;
}

// Only the thread that begins regions changes it.
std::optional<TrialKind> PackingTrials::window() const {
  return in_window_ ? std::optional(turns_[turn_].kind) : std::nullopt;
}

bool PackingTrials::goes_on() const {
  return !ended_;
}

void PackingTrials::ended(std::uintptr_t function, std::uint32_t team, std::uint32_t cores,
                          std::uint64_t ticks, std::uint64_t now, bool smaller) {
  const std::lock_guard lock(mutex_);
  const auto found = regions_.find(function);
  if (found == regions_.end()) return;
  Region& region = found->second;
  // Also where its team varies: it is on the way to others. What a smaller team takes is not
  // counted by position.
  if (by_position_)
    positions_.ended(function, cores, cores != 0 && region.in_window == 0, ticks, !smaller);
  if (team != region.team) {
    region.team_varies = true;
    return;
  }
  if (cores == 0) {
    const bool is_tried = window() == TrialKind::kAsStarted;
    if (!is_tried || region.in_window > 0) region.usual.add(ticks);
    if (is_tried) end_pass_of_window(region, now);
    return;
  }
  TriedTimes& tried = tried_on(region.tried, cores, smaller);
  (region.in_window == 0 ? tried.first : tried.packed).add(ticks);
  end_pass_of_window(region, now);
}

void PackingTrials::end_pass_of_window(Region& region, std::uint64_t now) {
  ++region.in_window;
  if (region.in_window == region.needed && region.is_awaited && --awaited_ == 0 && in_window_)
    end_window(now);
}

void PackingTrials::acted(std::uintptr_t function, std::uint64_t ticks) {
  const std::lock_guard lock(mutex_);
  const auto found = regions_.find(function);
  if (found != regions_.end()) found->second.acted.add(ticks);
}

void PackingTrials::keep_sizes() {
  const std::lock_guard lock(mutex_);
  if (in_window_ && turns_[turn_].kind != TrialKind::kPacked) in_window_ = false;
  for (Turn& turn : turns_) turn.ended = turn.ended || turn.kind != TrialKind::kPacked;
  ended_ = std::ranges::all_of(turns_, [](const Turn& turn) { return turn.ended; });
}

// One at whose cores something can be seen.
bool PackingTrials::matters(const Region& region, const Turn& turn, std::uint64_t now) const {
  const double time =
      passes_of(region.usual) * region.usual.mean + passes_of(region.acted) * region.acted.mean;
  const bool as_started = turn.kind == TrialKind::kAsStarted;
  const std::uint64_t known = region.usual.count + (as_started ? region.acted.count : 0);
  return known >= kFewestUsual && !region.team_varies &&
         time >= kShareThatMatters * static_cast<double>(now) &&
         (as_started ? region.may_shrink : cores_in(region, turn) > 0);
}

// The numbers of cores that are fewer than it has, from the most on; 0: there is none.
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

// A region that comes for the first time has its usual team: who reads the profile is to see that
// its team varies.
std::uint32_t PackingTrials::cores_in(const Region& region, const Turn& turn) const {
  const bool keeps = turn.kind == TrialKind::kAsStarted ||
                     (turn.kind == TrialKind::kSmaller && (!region.may_shrink || region.begun < 2));
  return keeps ? 0 : cores_at(region, turn.depth);
}

// The time that it may take until such a region had its passes.
double PackingTrials::length_for(const Region& region, const Turn& turn) const {
  const double gap = static_cast<double>(region.last_begin - region.first_begin) /
                     static_cast<double>(region.begun - 1);
  const std::uint32_t has = std::min(region.team, pus_);
  const std::uint32_t cores = cores_in(region, turn);
  const double worst = cores == 0 ? 1 : static_cast<double>(has) / static_cast<double>(cores);
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
  const Turn* const packed = packed_turn();
  return packed != nullptr && !whole_periods_ && long_windows_ != packed->effort.windows &&
         differ();
}

const PackingTrials::Turn* PackingTrials::packed_turn() const {
  const auto found = std::ranges::find(turns_, TrialKind::kPacked, &Turn::kind);
  return found == turns_.end() ? nullptr : &*found;
}

bool PackingTrials::matters_to_any(const Turn& turn, std::uint64_t now) const {
  return std::ranges::any_of(regions_,
                             [&](const auto& one) { return matters(one.second, turn, now); });
}

void PackingTrials::set_needed(bool whole_periods) {
  for (auto& [function, region] : regions_)
    region.needed = whole_periods ? needed_for(function) : kPassesOfWindow;
}

// A region that comes too seldom for `most` ticks is not waited for, if the others are most of what
// matters.
std::uint64_t PackingTrials::length_of_window(const Turn& turn, std::uint64_t now,
                                              double most) const {
  double length = 0;
  double covered = 0;
  double all = 0;
  for (const auto& [function, region] : regions_) {
    if (!matters(region, turn, now)) continue;
    const double time =
        passes_of(region.usual) * region.usual.mean + passes_of(region.acted) * region.acted.mean;
    all += time;
    if (length_for(region, turn) > most) continue;
    covered += time;
    length = std::max(length, length_for(region, turn));
  }
  return covered < kShareCovered * all ? 0 : static_cast<std::uint64_t>(length);
}

// A window of the kind whose turn it is, or of the next one for which there are regions.
void PackingTrials::try_to_begin(std::uint64_t now) {
  while (next_moment_ * second_ <= static_cast<double>(now)) next_moment_ *= kFromMomentToMoment;
  if (has_tried_all(now)) {
    if (tried_at_ == 0) tried_at_ = now;
    if (!want_periods()) return;
    begin_whole_periods();
  }
  double most = kMostTime * static_cast<double>(now);
  for (const Turn& turn : turns_) most -= static_cast<double>(turn.effort.ticks);
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const std::size_t next = (turn_ + i) % turns_.size();
    Turn& turn = turns_[next];
    if (turn.ended || !matters_to_any(turn, now)) continue;
    const bool is_packed = turn.kind == TrialKind::kPacked;
    set_needed(is_packed);
    std::uint64_t length = length_of_window(turn, now, most);
    const bool is_long = is_packed && length > 0 && differ();
    if (length == 0 && is_packed && !whole_periods_) {
      set_needed(false);
      length = length_of_window(turn, now, most);
    }
    // Others would take its time; but what never fits does not keep them from theirs.
    if (length == 0 && turn.passed_over++ < kMostPassedOver) return;
    if (length == 0) continue;
    if (is_long) ++long_windows_;
    turn.passed_over = 0;
    turn_ = next;
    return begin_window(now, length);
  }
}

// Packed teams once more, from the most cores on.
void PackingTrials::begin_whole_periods() {
  whole_periods_ = true;
  ended_ = false;
  for (Turn& turn : turns_) {
    if (turn.kind != TrialKind::kPacked) continue;
    turn.ended = false;
    turn.depth = 0;
  }
}

void PackingTrials::begin_window(std::uint64_t now, std::uint64_t length) {
  in_window_ = true;
  window_began_ = now;
  window_ends_ = now + length;
  awaited_ = 0;
  const Turn& turn = turns_[turn_];
  for (auto& [function, region] : regions_) {
    region.in_window = 0;
    region.is_awaited =
        matters(region, turn, now) && length_for(region, turn) <= static_cast<double>(length) + 1;
    if (region.is_awaited) ++awaited_;
  }
}

void PackingTrials::end_window(std::uint64_t now) {
  in_window_ = false;
  Turn& turn = turns_[turn_];
  turn_ = (turn_ + 1) % turns_.size();
  ++turn.effort.windows;
  turn.effort.ticks += now - window_began_;
  if (++turn.windows_at_depth < kWindowsAtDepth) return;
  turn.windows_at_depth = 0;
  if (++turn.depth == kMostDepth || takes_worst_stretch(turn)) turn.ended = true;
  ended_ = std::ranges::all_of(turns_, [](const Turn& one) { return one.ended; });
}

// True of the depth that has just been tried.
bool PackingTrials::takes_worst_stretch(const Turn& turn) const {
  if (turn.kind == TrialKind::kAsStarted) return false;
  double usual = 0;
  double packed = 0;
  double worst = 0;
  for (const auto& [function, region] : regions_)
    for (const TriedTimes& tried : region.tried) {
      if (tried.cores != cores_at(region, turn.depth - 1) || tried.packed.count == 0 ||
          tried.smaller != (turn.kind == TrialKind::kSmaller))
        continue;
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
    for (const TriedTimes& tried : region.tried)
      if (!region.team_varies)
        rows.push_back({function,
                        region.team,
                        tried.cores,
                        0,
                        tried.first,
                        tried.packed,
                        region.usual,
                        {},
                        tried.smaller ? tried.cores : 0});
  return rows;
}

PackingTrials::Effort PackingTrials::effort(TrialKind kind) const {
  const std::lock_guard lock(mutex_);
  for (const Turn& turn : turns_)
    if (turn.kind == kind) return turn.effort;
  return {};
}

// A region that has no fewer cores at this depth has been through all of them.
bool PackingTrials::has_tried_all(std::uint64_t now) const {
  if (ended_ || in_window_) return ended_;
  if (whole_periods_ && packed_turn()->depth == 0) return false;
  const auto has_tried = [&](const Turn& turn) {
    return turn.ended || (turn.windows_at_depth == 0 && !matters_to_any(turn, now));
  };
  const bool any = std::ranges::any_of(turns_, [](const Turn& t) { return t.effort.windows > 0; });
  return any && std::ranges::all_of(turns_, has_tried);
}

bool PackingTrials::is_through(std::uint64_t now) const {
  const std::lock_guard lock(mutex_);
  const bool has_waited =
      tried_at_ != 0 && static_cast<double>(now) > kPatience * static_cast<double>(tried_at_);
  if (whole_periods_) return has_tried_all(now) || (has_waited && !in_window_);
  return has_tried_all(now) && (has_waited || !want_periods());
}

}  // namespace huddle::runtime
