#include "aggregator/waitstates/criticalpath/detail/changed_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::waitstates {
namespace {

using Speed = ChangedTimes::Speed;

std::uint32_t state_of(Hertz frequency, const PowerStates& power) {
  constexpr double kTolerance = 1e-6;
  std::vector<std::string> known;
  for (std::uint32_t state = 0; state < power.states.size(); ++state) {
    const std::optional<Hertz> its = frequency_of(power.states[state]);
    if (!its) continue;
    if (std::abs(*its / frequency - 1) < kTolerance) return state;
    known.push_back(text_of(*its));
  }
  if (known.empty())
    throw UsageError(fmt::format(
        "what if at {}: the power states of {} do not say their frequencies; name a factor of the "
        "computing time instead, such as x1.5",
        text_of(frequency), power.machine.empty() ? "this machine" : power.machine));
  throw UsageError(fmt::format("what if at {}: there is no such power state; there are {}",
                               text_of(frequency), fmt::join(known, ", ")));
}

Speed speed_of(const Change& change, const PowerStates& power) {
  Speed speed{change.stretch, 0, true};
  if (!change.frequency) return speed;
  speed.state = state_of(*change.frequency, power);
  const std::optional<Hertz> first = frequency_of(power.states[0]);
  if (!first)
    throw UsageError(fmt::format("what if at {}: the first power state does not say its frequency",
                                 text_of(*change.frequency)));
  speed.stretch = change.memory_share + (1 - change.memory_share) * (*first / *change.frequency);
  return speed;
}

// By call path of the report: whether it has a region of that name in it.
std::vector<bool> paths_in(const std::string& regions, const std::vector<CallPath>& paths) {
  std::vector<bool> in(paths.size() + 1);
  for (std::size_t path = 0; path < paths.size(); ++path)
    in[path] = fits_pattern(paths[path].region, regions) ||
               (paths[path].parent != CallPath::kRoot && in[paths[path].parent]);
  in.back() = regions == "*";
  return in;
}

}  // namespace

bool fits_pattern(std::string_view name, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;  // the last one, and what it stands for so far
  std::size_t behind_star = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      behind_star = at;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

ChangedTimes::ChangedTimes(const ActivityLog& log, const PowerStates& power)
    : log_(log),
      rows_(1, std::vector<Speed>(log.call_paths().size() + 1)),
      row_of_(log.ranks()),
      transition_ticks_(power.states.size()) {}

ChangedTimes::ChangedTimes(const ActivityLog& log, const WhatIf& request, const PowerStates& power,
                           const SlackReport* slack)
    : ChangedTimes(log, power) {
  for (std::size_t state = 1; state < power.states.size(); ++state)
    transition_ticks_[state] = static_cast<std::uint64_t>(
        std::llround(power.states[state].transition_s * log.ticks_per_second()));
  if (!request.by_slack)
    set_by_changes(request, power);
  else if (slack == nullptr || slack->ranks.size() != log.ranks())
    throw UsageError("what if \"slack\": the slack of the ranks is not known");
  else
    set_by_slack(power, *slack);
}

void ChangedTimes::set_by_slack(const PowerStates& power, const SlackReport& slack) {
  const std::optional<Hertz> first = frequency_of(power.states[0]);
  if (!first)
    throw UsageError("what if \"slack\": the first power state does not say its frequency");
  rows_.clear();
  for (std::uint32_t state = 0; state < power.states.size(); ++state) {
    const std::optional<Hertz> its = frequency_of(power.states[state]);
    const Speed speed{its ? *first / *its : 1, state, state > 0};
    rows_.emplace_back(log_.call_paths().size() + 1, speed);
  }
  for (std::uint32_t rank = 0; rank < log_.ranks(); ++rank) {
    constexpr double kRounding = 1e-9;
    std::uint32_t& row = row_of_[rank];
    for (std::uint32_t state = 1; state < power.states.size(); ++state) {
      const double stretch = rows_[state][0].stretch;
      if (frequency_of(power.states[state]) && stretch >= rows_[row][0].stretch &&
          stretch <= slack.ranks[rank].stretch * (1 + kRounding))
        row = state;
    }
  }
  states_by_slack_ = row_of_;
}

void ChangedTimes::set_by_changes(const WhatIf& request, const PowerStates& power) {
  struct Prepared {
    Speed speed;
    std::vector<bool> paths;
  };
  std::vector<Prepared> changes;
  for (const Change& change : request.changes)
    changes.push_back({speed_of(change, power), paths_in(change.regions, log_.call_paths())});
  rows_.clear();
  std::map<std::vector<bool>, std::uint32_t> rows;  // by which changes are for a rank
  for (std::uint32_t rank = 0; rank < log_.ranks(); ++rank) {
    std::vector<bool> applies;
    for (const Change& change : request.changes)
      applies.push_back(!change.ranks || change.ranks->contains({rank}));
    const auto [row, fresh] = rows.emplace(applies, static_cast<std::uint32_t>(rows_.size()));
    row_of_[rank] = row->second;
    if (!fresh) continue;
    std::vector<Speed>& speeds = rows_.emplace_back(log_.call_paths().size() + 1);
    for (std::size_t i = 0; i < changes.size(); ++i)
      for (std::size_t path = 0; applies[i] && path < speeds.size(); ++path)
        if (changes[i].paths[path]) speeds[path] = changes[i].speed;
  }
}

const ChangedTimes::Speed& ChangedTimes::speed(std::uint32_t rank, std::uint64_t activity) const {
  const std::vector<Speed>& row = rows_[row_of_[rank]];
  return row[std::min<std::size_t>(log_.path_before(rank, activity), row.size() - 1)];
}

bool ChangedTimes::switches(std::uint32_t rank, std::uint64_t activity) const {
  return activity > log_.first_of(rank) &&
         speed(rank, activity).state != speed(rank, activity - 1).state;
}

std::uint64_t ChangedTimes::ticks(std::uint32_t rank, std::uint64_t activity,
                                  std::uint64_t measured) const {
  const Speed& its = speed(rank, activity);
  const std::uint64_t ticks = stretched(measured, its.stretch);
  return switches(rank, activity) ? ticks + transition_ticks_[its.state] : ticks;
}

}  // namespace huddle::waitstates
