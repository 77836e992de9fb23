#include "aggregator/efficiency/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::efficiency {
namespace {

constexpr double kSameSize = 0.05;

std::string program_of(const ScalingSample& sample) {
  return std::filesystem::path(sample.executable).filename().string();
}

void expect_one_program(const std::vector<ScalingSample>& samples) {
  for (const ScalingSample& sample : samples)
    if (program_of(sample) != program_of(samples.front()))
      throw Error(fmt::format(
          "{} is of the program \"{}\", {} of \"{}\": expected are runs of one program in several "
          "sizes",
          samples.front().name, shortened(program_of(samples.front())), sample.name,
          shortened(program_of(sample))));
}

// True if both solve one problem; or, `weakly`, if the problem grows as the threads do.
bool is_of_kind(const ScalingSample& first, const ScalingSample& other, bool weakly) {
  const double threads = static_cast<double>(other.threads) / first.threads;
  const double expected = *first.problem_size * (weakly ? threads : 1);
  return std::abs(*other.problem_size / expected - 1) <= kSameSize;
}

// Finds the kind by what the profiles say; nothing if they say nothing.
std::optional<ScalingKind> kind_by(const std::vector<ScalingSample>& samples) {
  const ScalingSample& first = samples.front();
  const auto all = [&](auto&& holds) { return std::ranges::all_of(samples, holds); };
  if (all([](const ScalingSample& sample) { return sample.scales_weakly; }))
    return ScalingKind::kWeak;
  if (!all([](const ScalingSample& sample) { return sample.problem_size.has_value(); }))
    return std::nullopt;
  for (const ScalingKind kind : {ScalingKind::kStrong, ScalingKind::kWeak})
    if (all([&](const ScalingSample& sample) {
          return is_of_kind(first, sample, kind == ScalingKind::kWeak);
        }))
      return kind;
  const auto other = std::ranges::find_if(samples, [&](const ScalingSample& sample) {
    return !is_of_kind(first, sample, false) && !is_of_kind(first, sample, true);
  });
  const ScalingSample& odd = other == samples.end() ? samples.back() : *other;
  throw Error(fmt::format(
      "{} solves a problem of size {} with {} threads, {} one of {} with {}: expected is one size, "
      "or one that grows with the threads",
      first.name, problem_size_text(*first.problem_size), first.threads, odd.name,
      problem_size_text(*odd.problem_size), odd.threads));
}

std::optional<double> ratio(std::optional<double> of, std::optional<double> to) {
  if (!of || !to || *of <= 0 || *to <= 0) return std::nullopt;
  return *of / *to;
}

// `work`: how many times as much the run does as the smallest one.
ScalingRow row_of(const ScalingSample& first, ScalingSample sample, double work) {
  ScalingRow row;
  row.speedup = work * (first.elapsed / sample.elapsed);
  if (first.useful && sample.useful && *first.useful > Seconds{} && *sample.useful > Seconds{})
    row.computation = work * (*first.useful / *sample.useful);
  if (first.counts && sample.counts) {
    const ComputationCounts& before = *first.counts;
    const ComputationCounts& now = *sample.counts;
    const auto ipc = [](const ComputationCounts& counts) {
      return ratio(counts.instructions, counts.cycles);
    };
    const auto clock = [](const ComputationCounts& counts) {
      return ratio(counts.cycles, counts.time.value);
    };
    row.instructions = ratio(work * before.instructions, now.instructions);
    row.ipc = ratio(ipc(now), ipc(before));
    row.clock = ratio(clock(now), clock(before));
  }
  const bool efficiency_is_known = !sample.hybrid || sample.efficiency.openmp;
  if (row.computation && efficiency_is_known)
    row.global = sample.efficiency.parallel() * *row.computation;
  row.sample = std::move(sample);
  return row;
}

}  // namespace

std::string_view name_of(ScalingKind kind) {
  return kind == ScalingKind::kWeak ? "weak" : "strong";
}

ScalingSample scaling_sample_of(const Profile& profile, const std::string& name) {
  const std::optional<RunEfficiency> run = efficiency_of(profile);
  if (!run) throw Error(name + ": the profile has no times, which runs could be compared by");
  if (!profile.complete)
    throw Error(fmt::format("{}: the run was cut short ({}): expected is a whole one", name,
                            shortened(profile.cut_short_reason)));
  ScalingSample sample;
  sample.name = name;
  sample.executable = profile.executable;
  sample.problem_size = profile.problem_size;
  sample.scales_weakly = profile.scales_weakly;
  sample.ranks = run->ranks;
  sample.threads = run->threads;
  sample.nodes = static_cast<std::uint32_t>(run->by_node.size());
  sample.elapsed = run->elapsed;
  sample.hybrid = run->hybrid;
  sample.efficiency = run->whole;
  sample.useful = run->useful;
  sample.counts = computation_counts_of(profile);
  return sample;
}

Scaling scaling_of(std::vector<ScalingSample> samples, std::optional<ScalingKind> kind) {
  expect_one_program(samples);
  std::ranges::stable_sort(samples, {}, &ScalingSample::threads);
  if (!kind) kind = kind_by(samples);
  Scaling scaling;
  scaling.kind_is_known = kind.has_value();
  scaling.kind = kind.value_or(ScalingKind::kStrong);
  const ScalingSample first = samples.front();
  for (ScalingSample& sample : samples) {
    const double threads = static_cast<double>(sample.threads) / first.threads;
    scaling.rows.push_back(
        row_of(first, std::move(sample), scaling.kind == ScalingKind::kWeak ? threads : 1));
  }
  scaling.outlook = scaling_outlook_of(scaling.rows);
  return scaling;
}

}  // namespace huddle::efficiency
