#include "aggregator/teams/tried_passes.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::teams {
namespace {

// Nobody has measured better than this.
constexpr double kLeastError = 0.01;
// The fewest passes that show by themselves how much passes differ: two that happen to be alike
// show nothing. From then on the usual variance does not count: it has the pauses that a run has
// now and then, which few trials meet, and that would hide each gain.
constexpr double kEnough = 4;
// A team on fewer cores may lose less to caches and memory that its threads share, but hardly half
// of its time; and less to ends of regions, which take no longer than this.
constexpr double kQuickest = 0.5;
constexpr double kLongestEnd = 1e-4;

// Quantile of the distribution of a mean's error, one-sided 95 %.
constexpr double kQuantile = 1.645;

}  // namespace

bool says_how_long(const PackedRegionRecord& record) {
  return record.usual_passes > 0 && record.usual_mean.value > 0 && record.mean.value > 0;
}

std::uint64_t passes_acted_on(const PackedRegionRecord& record) {
  return record.passes > record.usual_passes ? record.passes : 0;
}

Profile with_acted_passes(Profile profile) {
  for (RankRecord& rank : profile.rank_records)
    for (PackedRegionRecord& packed : rank.packed_regions) {
      if (packed.acted_passes > 0 || passes_acted_on(packed) == 0) continue;
      packed.acted_passes = packed.passes;
      packed.acted_mean = packed.mean;
    }
  return profile;
}

double share_as_started(const RankRecord& record, std::uint64_t region) {
  Seconds all;
  for (const OpenMpRegionRecord& row : record.openmp_regions)
    if (row.region == region) all += row.mean * static_cast<double>(row.passes);
  if (all.value <= 0) return 1;
  Seconds saved;
  double least = 1;
  double most = 1;
  const auto add = [&](const PackedRegionRecord& tried, std::uint64_t passes, Seconds mean) {
    if (tried.region != region || passes == 0 || !says_how_long(tried)) return;
    const double longer = tried.usual_mean / tried.mean;
    saved += mean * (static_cast<double>(passes) * (longer - 1));
    least = std::min(least, longer);
    most = std::max(most, longer);
  };
  for (const PackedRegionRecord& packed : record.packed_regions)
    add(packed, packed.acted_passes, packed.acted_mean);
  for (const PackedRegionRecord& smaller : record.smaller_teams)
    add(smaller, passes_acted_on(smaller), smaller.mean);
  return std::clamp((all + saved) / all, least, most);
}

void MeasuredStretch::add(const PackedRegionRecord& record) {
  const double usual = record.usual_mean.value;
  const auto passes = static_cast<double>(record.passes);
  const auto of_usual = static_cast<double>(record.usual_passes);
  const double ratio = record.mean.value / usual;
  const double own = record.variance_s2 / (record.mean.value * record.mean.value);
  const double as_usual = record.usual_variance_s2 / (usual * usual);
  const double of_pass = passes < kEnough ? std::max(own, as_usual) : own;
  // The variance of a ratio of two means, to first order.
  const double relative = of_pass / passes + as_usual / of_usual;
  const double share = passes / (weight_ + passes);
  mean_ += share * (ratio - mean_);
  usual_ += share * (usual - usual_);
  variance_ = (1 - share) * (1 - share) * variance_ + share * share * ratio * ratio * relative;
  if (record.first_passes > 0)
    refill_ = std::max(refill_, record.first_mean.value - record.mean.value);
  weight_ += passes;
}

bool MeasuredStretch::is_possible() const {
  return mean_ * usual_ >= kQuickest * (usual_ - kLongestEnd);
}

double MeasuredStretch::at_most() const {
  return mean_ + std::max(kLeastError * mean_, kQuantile * std::sqrt(variance_));
}

double MeasuredStretch::stretch() const {
  return at_most() < 1 ? mean_ : std::max(mean_, 1.0);
}

double MeasuredStretch::error() const {
  return std::max(kLeastError, at_most() / stretch() - 1);
}

}  // namespace huddle::teams
