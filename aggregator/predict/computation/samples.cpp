#include "aggregator/predict/computation/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "aggregator/predict/computation/detail/run_parts.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr double kLeastRelativeError = 0.002;  // clocks, daemons: no run is better known than that
constexpr double kContradiction = 0.1;

std::string name_of_group(std::uint64_t group, const Profile& profile, bool alone) {
  if (group == kRest) return alone ? "everything" : "the rest";
  for (const PhaseGroup& phase : profile.shared.phase_groups)
    if (phase.id == group) return fmt::format("{} to {}", phase.begin, phase.end);
  return fmt::format("phase group {}", group);
}

PhaseSample sample_from(const PhaseSum& sum, const Pattern& pattern, double ranks) {
  PhaseSample sample{pattern, {sum.time / ranks}, kLeastRelativeError, {}};
  if (sum.time > 0)
    sample.relative_error = std::max(kLeastRelativeError, std::sqrt(sum.variance) / sum.time);
  for (const auto& [event, count] : sum.counts)
    if (!sum.unknown.contains(event)) sample.counts[event] = count / ranks;
  if (sum.cycles > 0 && sum.cycles_time > 0) sample.clock = sum.cycles / sum.cycles_time;
  return sample;
}

// Ranks that do more or less than the others do it everywhere: what a part of the ranks would have
// taken if it were all of them, by what they took of all on the baseline.
void scale_to_all(PhaseSample& sample, const PhaseSum& part, const PhaseSum& all,
                  double share_of_ranks) {
  const auto scale = [&](double of_part, double of_all) {
    return of_part > 0 && of_all > 0 ? of_all * share_of_ranks / of_part : 1.0;
  };
  sample.time = sample.time * scale(part.time, all.time);
  for (auto& [event, count] : sample.counts) {
    const auto of_part = part.counts.find(event);
    const auto of_all = all.counts.find(event);
    if (of_part != part.counts.end() && of_all != all.counts.end())
      count *= scale(of_part->second, of_all->second);
  }
}

std::map<std::uint64_t, PhaseSample> samples_of_part(const RunPart& part,
                                                     const std::set<std::uint64_t>& separate) {
  std::map<std::uint64_t, PhaseSample> samples;
  const auto ranks = static_cast<double>(part.ranks.size());
  for (const auto& [group, sum] : sums_of(*part.run, part.ranks, separate))
    samples[group] = sample_from(sum, part.pattern, ranks);
  if (part.baseline == nullptr) return samples;
  std::vector<std::uint32_t> everyone(part.baseline->rank_records.size());
  std::iota(everyone.begin(), everyone.end(), 0U);
  const SumsByGroup of_part = sums_of(*part.baseline, part.ranks, separate);
  const SumsByGroup of_all = sums_of(*part.baseline, everyone, separate);
  const double spread = spread_of(part);
  for (auto& [group, sample] : samples) {
    sample.relative_error = std::hypot(sample.relative_error, spread);
    scale_to_all(sample, of_part.at(group), of_all.at(group),
                 ranks / static_cast<double>(everyone.size()));
  }
  return samples;
}

// The mean of runs on one pattern; its error is at least what they differ by.
PhaseSample mean_of(const std::vector<PhaseSample>& runs) {
  PhaseSample mean = runs.front();
  const auto n = static_cast<double>(runs.size());
  double sum = 0;
  for (const PhaseSample& run : runs) sum += run.time.value;
  mean.time = {sum / n};
  double squares = 0;
  for (const PhaseSample& run : runs) squares += std::pow(run.time.value - mean.time.value, 2);
  if (runs.size() > 1 && sum > 0)
    mean.relative_error =
        std::max(kLeastRelativeError, std::sqrt(squares / (n - 1) / n) / mean.time.value);
  for (auto it = mean.counts.begin(); it != mean.counts.end();) {
    double total = 0;
    const bool everywhere = std::all_of(runs.begin(), runs.end(), [&](const PhaseSample& run) {
      const auto found = run.counts.find(it->first);
      if (found != run.counts.end()) total += found->second;
      return found != run.counts.end();
    });
    it->second = total / n;
    it = everywhere ? std::next(it) : mean.counts.erase(it);
  }
  double clocks = 0;
  for (const PhaseSample& run : runs) clocks += run.clock.value_or(std::nan(""));
  mean.clock = std::isfinite(clocks) ? std::optional(clocks / n) : std::nullopt;
  return mean;
}

bool computes(const Profile* profile) {
  return profile->mean_computation_time() > Seconds{0};
}

void check(const std::vector<const Profile*>& profiles, const SampleOptions& options) {
  if (profiles.empty()) throw UsageError("samples of a program need at least one profile");
  const bool only_communicates =
      options.may_only_communicate && std::none_of(profiles.begin(), profiles.end(), computes);
  for (const Profile* profile : profiles) {
    const std::string label = shortened(profile->label);
    if (!profile->complete)
      throw UsageError(fmt::format("the profile of {} was cut short ({}): measure a whole run",
                                   label, profile->cut_short_reason));
    const bool weakly = profile->scales_weakly && profiles.front()->scales_weakly;
    if (profile->ranks != profiles.front()->ranks && !weakly)
      throw UsageError(fmt::format(
          "profiles of {} and of {} ranks can't be samples of one program: give those of one size",
          profiles.front()->ranks, profile->ranks));
    if (!computes(profile) && !only_communicates)
      throw UsageError(
          fmt::format("the profile of {} has no time outside MPI in it, so nothing can be learnt "
                      "from it about computation: measure the program with huddle record",
                      label));
  }
}

// Notes runs of one pattern that differ too much, and says how wide an interval they ask for.
void note_contradictions(ProgramSamples& program, const Pattern& pattern,
                         const std::vector<RunPart>& runs) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const RunPart& part : runs) {
    if (part.baseline != nullptr) continue;
    least = std::min(least, part.run->mean_computation_time().value);
    most = std::max(most, part.run->mean_computation_time().value);
  }
  if (most <= least * (1 + kContradiction)) return;
  program.notes.push_back(
      fmt::format("the runs on {} contradict each other: {:.4g} s and {:.4g} s of computation; "
                  "their mean is taken, and the intervals are wider",
                  pattern.name(), least, most));
  program.doubt *= 1 + std::log(most / least) / kContradiction;
}

// PUs that the nodes lack: then the pattern is a guess.
void note_other_machine(ProgramSamples& program, const std::vector<const Profile*>& profiles,
                        const commgraph::NodeTopology& node) {
  constexpr double kOtherMachine = 2;
  PuSet known;
  for (const commgraph::NodeTopology::Core& core : node.cores)
    for (const std::uint32_t pu : core.pus.members()) known.add(pu);
  for (const commgraph::NodeTopology::Idle& idle : node.idle)
    for (const std::uint32_t pu : idle.pus.members()) known.add(pu);
  const std::vector<std::uint32_t> pus = known.members();
  const auto elsewhere = [&](const RankRecord& record) {
    const std::vector<std::uint32_t> used = record.pus.members();
    return !std::includes(pus.begin(), pus.end(), used.begin(), used.end());
  };
  for (const Profile* profile : profiles) {
    const auto& records = profile->rank_records;
    if (std::none_of(records.begin(), records.end(), elsewhere)) continue;
    program.notes.emplace_back(
        "a profile names PUs that the machine's nodes do not have: it is of another machine, and "
        "the intervals are wider");
    program.doubt *= kOtherMachine;
    return;
  }
}

// Adds the time that phases leave over to the longest of the other groups where it is next to
// nothing: the rounding of large numbers that cancel. Its change from pattern to pattern says
// nothing about contention, but it spans decades, and models of log times would be bent to it.
void fold_sliver(std::map<std::uint64_t, PhaseGroupSamples>& groups) {
  const auto rest = groups.find(kRest);
  if (rest == groups.end() || groups.size() == 1) return;
  const std::vector<PhaseSample> left_over = rest->second.samples;
  const auto is_sliver = [&](const PhaseSample& sample) {
    Seconds all;
    for (const auto& [group, of_group] : groups)
      for (const PhaseSample& other : of_group.samples)
        if (other.pattern == sample.pattern) all += other.time;
    return sample.time <= kLeastRelativeError * all;
  };
  if (std::none_of(left_over.begin(), left_over.end(), is_sliver)) return;
  groups.erase(rest);
  const auto longest = std::max_element(groups.begin(), groups.end(), [](auto& a, auto& b) {
    return a.second.samples.front().time < b.second.samples.front().time;
  });
  for (std::size_t i = 0; i < left_over.size(); ++i)
    longest->second.samples[i].time += left_over[i].time;
}

// Events that are not on every pattern are of no use to a model.
void settle_events(ProgramSamples& program, bool asked) {
  std::set<std::string> dropped;
  program.has_events = true;
  for (PhaseGroupSamples& group : program.groups) {
    std::map<std::string, std::size_t> seen;
    for (const PhaseSample& sample : group.samples)
      for (const auto& [event, count] : sample.counts) ++seen[event];
    for (PhaseSample& sample : group.samples)
      std::erase_if(sample.counts, [&](const auto& entry) {
        const bool somewhere_missing = seen.at(entry.first) < group.samples.size();
        if (somewhere_missing) dropped.insert(entry.first);
        return somewhere_missing;
      });
    const bool usable = group.samples.front().ipc() && group.samples.front().counts.size() > 2;
    if (!usable && group.name != "the rest") program.has_events = false;
  }
  if (!dropped.empty())
    program.notes.push_back(
        fmt::format("not counted in every sample, and so not used: {}", fmt::join(dropped, ", ")));
  if (!program.has_events)
    program.notes.emplace_back(
        asked ? "the hardware counters counted no instructions, no cycles or nothing else "
                "everywhere (multiplexed to nothing?), so computation is predicted from times alone"
              : "without hardware events, computation is predicted from times alone");
}

}  // namespace

std::optional<double> PhaseSample::ipc() const {
  return rate("instructions");
}

std::optional<double> PhaseSample::rate(std::string_view event) const {
  const auto cycles = counts.find("cycles");
  const auto found = counts.find(std::string(event));
  if (cycles == counts.end() || found == counts.end() || !(cycles->second > 0)) return {};
  if (event == "instructions" && !(found->second > 0)) return {};
  return found->second / cycles->second;
}

std::vector<Pattern> ProgramSamples::patterns() const {
  std::vector<Pattern> found;
  if (groups.empty()) return found;
  for (const PhaseSample& sample : groups.front().samples) found.push_back(sample.pattern);
  return found;
}

Seconds ProgramSamples::time_on(const Pattern& pattern) const {
  Seconds sum;
  for (const PhaseGroupSamples& group : groups)
    for (const PhaseSample& sample : group.samples)
      if (sample.pattern == pattern) sum += sample.time;
  return sum;
}

ProgramSamples ProgramSamples::only_on(const std::vector<Pattern>& wanted) const {
  ProgramSamples part = *this;
  for (PhaseGroupSamples& group : part.groups)
    std::erase_if(group.samples, [&](const PhaseSample& sample) {
      return std::find(wanted.begin(), wanted.end(), sample.pattern) == wanted.end();
    });
  return part;
}

ProgramSamples ProgramSamples::times_only() const {
  ProgramSamples part = *this;
  part.has_events = false;
  for (PhaseGroupSamples& group : part.groups)
    for (PhaseSample& sample : group.samples) {
      sample.counts.clear();
      sample.clock.reset();
    }
  return part;
}

ProgramSamples samples_of_program(const std::vector<const Profile*>& profiles,
                                  const commgraph::NodeTopology& node,
                                  const SampleOptions& options) {
  check(profiles, options);
  ProgramSamples program;
  const Profile& first = *profiles.front();
  program.program =
      first.executable.empty() ? first.label : fmt::format("{} {}", first.label, first.executable);
  program.run = fmt::format("{}{}{}{}", first.label, first.arguments.empty() ? "" : " ",
                            fmt::join(first.arguments, " "),
                            first.scales_weakly ? "" : fmt::format(" on {} ranks", first.ranks));
  std::map<Pattern, std::vector<RunPart>> by_pattern;
  for (RunPart& part : parts_of(profiles, node)) by_pattern[part.pattern].push_back(part);
  note_other_machine(program, profiles, node);
  const std::set<std::uint64_t> separate = separate_groups(profiles, options);
  std::map<std::uint64_t, PhaseGroupSamples> groups;
  std::map<std::uint64_t, double> totals;
  for (const auto& [pattern, parts] : by_pattern) {
    note_contradictions(program, pattern, parts);
    std::map<std::uint64_t, std::vector<PhaseSample>> samples;
    for (const RunPart& part : parts)
      for (auto& [group, sample] : samples_of_part(part, separate))
        samples[group].push_back(std::move(sample));
    for (const auto& [group, of_group] : samples) {
      groups[group].samples.push_back(mean_of(of_group));
      totals[group] += groups[group].samples.back().time.value;
    }
  }
  fold_sliver(groups);
  std::vector<std::pair<double, std::uint64_t>> order;
  for (auto& [group, of_group] : groups) {
    of_group.name = name_of_group(group, first, groups.size() == 1);
    const bool timed = std::all_of(of_group.samples.begin(), of_group.samples.end(),
                                   [](const PhaseSample& s) { return s.time > Seconds{0}; });
    if (timed) order.emplace_back(-totals[group], group);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [total, group] : order) program.groups.push_back(groups[group]);
  if (!program.groups.empty()) settle_events(program, first.counters_absent_reason.empty());
  return program;
}

std::vector<ProgramSamples> samples_of_programs(const std::vector<Profile>& profiles,
                                                const commgraph::NodeTopology& node,
                                                const SampleOptions& options) {
  std::map<std::string, std::vector<const Profile*>> runs;
  for (const Profile& profile : profiles)
    runs[fmt::format("{}\n{}\n{}\n{}", profile.label, profile.executable,
                     profile.scales_weakly ? 0 : profile.ranks, fmt::join(profile.arguments, "\n"))]
        .push_back(&profile);
  std::vector<ProgramSamples> programs;
  for (const auto& [key, of_run] : runs)
    programs.push_back(samples_of_program(of_run, node, options));
  return programs;
}

}  // namespace huddle::predict
