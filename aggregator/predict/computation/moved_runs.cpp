#include "aggregator/predict/computation/moved_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/predict/pattern/reference.hpp"

namespace huddle {
namespace {

constexpr double kLeastCovered = 0.5;

// One rank's passes of one group, on all placements.
struct Passes {
  const PhaseRecord* usual = nullptr;
  std::uint64_t count = 0;
  double other_time = 0;  // of the passes that are not usual
};

double time_of(const PhaseRecord& phase) {
  return static_cast<double>(phase.count) * phase.mean.value;
}

std::map<std::uint64_t, Passes> passes_of(const RankRecord& record) {
  std::map<std::uint64_t, Passes> passes;
  for (const PhaseRecord& phase : record.phases) {
    passes[phase.group].usual = &phase;
    passes[phase.group].count += phase.count;
  }
  const auto add = [&](const std::vector<PhaseRecord>& phases) {
    for (const PhaseRecord& phase : phases) {
      passes[phase.group].count += phase.count;
      passes[phase.group].other_time += time_of(phase);
    }
  };
  for (const MovedPhases& moved : record.moved) add(moved.phases);
  add(record.between_moves);
  return passes;
}

// The phase as if all of its `count` passes had been like the ones seen. The variance of a mean of
// n passes is the n-th part of a pass's, which one pass alone does not give.
PhaseRecord as_for_all(const PhaseRecord& seen, const Passes& passes) {
  PhaseRecord all = seen;
  const auto n = static_cast<double>(seen.count);
  double variance = seen.count > 1 ? seen.variance_s2 * n / (n - 1) : 0;
  if (seen.count < 2 && passes.usual != nullptr) variance = passes.usual->variance_s2;
  all.count = passes.count;
  all.variance_s2 = static_cast<double>(passes.count) * variance / n;
  return all;
}

RankRecord without_passes(const RankRecord& record) {
  RankRecord copy;
  copy.rank = record.rank;
  copy.node = record.node;
  copy.pus = record.pus;
  copy.events = record.events;
  return copy;
}

RankRecord unmoved(const RankRecord& record) {
  RankRecord run = without_passes(record);
  run.event_totals = record.event_totals;
  double time = record.computation_time().value;
  for (const auto& [group, passes] : passes_of(record)) {
    if (passes.usual == nullptr) continue;
    run.phases.push_back(as_for_all(*passes.usual, passes));
    time += time_of(run.phases.back()) - time_of(*passes.usual) - passes.other_time;
  }
  run.run_time = {std::max(time, 0.0)};
  return run;
}

// Nothing if too little was seen there. `usual` is unmoved(record).
std::optional<RankRecord> moved_to(const MovedPhases& placement, const RankRecord& record,
                                   const RankRecord& usual) {
  const std::map<std::uint64_t, Passes> passes = passes_of(record);
  RankRecord run = without_passes(record);
  run.pus = placement.pus;
  double seen_there = 0;
  double seen_usually = 0;
  for (const PhaseRecord& phase : placement.phases) {
    const auto before =
        std::find_if(usual.phases.begin(), usual.phases.end(),
                     [&](const PhaseRecord& other) { return other.group == phase.group; });
    if (phase.count == 0 || before == usual.phases.end()) continue;
    run.phases.push_back(as_for_all(phase, passes.at(phase.group)));
    seen_there += time_of(run.phases.back());
    seen_usually += time_of(*before);
  }
  if (seen_usually <= 0 || seen_usually < kLeastCovered * usual.run_time.value) return std::nullopt;
  run.run_time = {seen_there +
                  std::max(usual.run_time.value - seen_usually, 0.0) * seen_there / seen_usually};
  return run;
}

Profile without_records(const Profile& profile) {
  Profile copy;
  copy.label = profile.label;
  copy.user = profile.user;
  copy.ranks = profile.ranks;
  copy.executable = profile.executable;
  copy.arguments = profile.arguments;
  copy.counters_absent_reason = profile.counters_absent_reason;
  copy.shared.phase_groups = profile.shared.phase_groups;
  return copy;
}

Pattern pattern_of(const Profile& run, const NodeTopology& node) {
  return Pattern::parse(measured_reference(run, node).pattern);
}

bool is_uniform(const Profile& run, const NodeTopology& node) {
  std::map<std::string, Profile> nodes;
  for (const RankRecord& record : run.rank_records)
    nodes[record.node].rank_records.push_back(record);
  const Pattern whole = pattern_of(run, node);
  const std::uint32_t most = run.ranks_per_node();
  return std::all_of(nodes.begin(), nodes.end(), [&](const auto& named) {
    return named.second.rank_records.size() < most || pattern_of(named.second, node) == whole;
  });
}

}  // namespace

bool was_moved(const Profile& profile) {
  return std::any_of(profile.rank_records.begin(), profile.rank_records.end(),
                     [](const RankRecord& record) {
                       return !record.moved.empty() || !record.between_moves.empty();
                     });
}

RunsByPlacement runs_by_placement(const Profile& profile, const NodeTopology& node) {
  RunsByPlacement found;
  Profile usual = without_records(profile);
  std::size_t placements = 0;
  for (const RankRecord& record : profile.rank_records) {
    usual.rank_records.push_back(unmoved(record));
    placements = std::max(placements, record.moved.size());
  }
  const Pattern pattern = pattern_of(usual, node);
  found.runs.push_back(std::move(usual));
  for (std::size_t which = 0; which < placements; ++which) {
    Profile there = without_records(profile);
    const Profile& before = found.runs.front();
    for (std::size_t i = 0; i < profile.rank_records.size(); ++i) {
      const RankRecord& record = profile.rank_records[i];
      if (which >= record.moved.size()) break;
      auto run = moved_to(record.moved[which], record, before.rank_records[i]);
      if (!run) break;
      there.rank_records.push_back(std::move(*run));
    }
    if (there.rank_records.size() < profile.rank_records.size())
      found.notes.emplace_back(
          "ranks were moved during the run, but too little was seen of some of them to be a "
          "sample");
    else if (!is_uniform(there, node) || pattern_of(there, node) == pattern)
      found.notes.emplace_back(
          "ranks were moved during the run, but to no other pattern that is the same on all nodes");
    else
      found.runs.push_back(std::move(there));
  }
  return found;
}

}  // namespace huddle
