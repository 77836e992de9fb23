#include "aggregator/teams/position_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace huddle::teams {
namespace {

// If what was seen by position makes the region so much longer or shorter than it was, it was
// seen in another part of the run.
constexpr double kMostOff = 2;

RegionPart part_at(const OpenMpRegionRecord& row, const RegionPositionRecord& seen, double passes,
                   std::uint32_t length) {
  RegionPart part{row, passes, {seen.context, seen.position, length}};
  part.record.passes = static_cast<std::uint64_t>(std::max<long long>(1, std::llround(passes)));
  part.record.untimed_passes = 0;
  part.record.mean = seen.mean;
  part.record.variance_s2 = seen.variance_s2;
  return part;
}

std::pair<std::uint64_t, std::uint64_t> key_of(const RegionPositionRecord& record) {
  return {record.region, record.context};
}

/// Makes them as long as the region was, all together. Whether that is near what was seen.
bool fit_to(const OpenMpRegionRecord& row, std::vector<RegionPart>& parts) {
  double seen = 0;
  for (const RegionPart& part : parts) seen += part.passes * part.record.mean.value;
  const double all = row.mean.value * static_cast<double>(row.passes);
  if (!(seen > 0) || all > kMostOff * seen || all * kMostOff < seen) return false;
  for (RegionPart& part : parts) {
    part.record.mean = part.record.mean * (all / seen);
    part.record.variance_s2 *= all / seen * (all / seen);
  }
  return true;
}

/// The same trials, and as many usual passes at each position as were tried there. Nothing if
/// little of the region was.
std::optional<PackedRegionRecord> with_usual_at_same_positions(const RankRecord& rank,
                                                               const PackedRegionRecord& packed) {
  constexpr double kLeastShare = 0.9;
  PackedRegionRecord compared = packed;
  compared.passes = compared.usual_passes = 0;
  double tried = 0;  // sums of times
  double usual = 0;
  double known = 0;
  double variance = 0;  // sums over passes
  double usual_variance = 0;
  for (const auto& [key, at] : packed_at_positions(rank)) {
    if (at.region != packed.region || at.cores != packed.cores || at.packages != packed.packages)
      continue;
    const auto passes = static_cast<double>(at.passes);
    compared.passes += at.passes;
    compared.usual_passes += at.usual_passes;
    tried += passes * at.mean.value;
    usual += passes * at.usual_mean.value;
    known += static_cast<double>(at.usual_passes) * at.usual_mean.value;
    variance += passes * at.variance_s2;
    usual_variance += passes * at.usual_variance_s2;
  }
  double all = 0;
  for (const RegionPositionRecord& seen : rank.region_positions.as_started)
    if (seen.region == packed.region) all += static_cast<double>(seen.passes) * seen.mean.value;
  if (compared.passes == 0 || known < kLeastShare * all) return std::nullopt;
  const auto passes = static_cast<double>(compared.passes);
  compared.mean.value = tried / passes;
  compared.usual_mean.value = usual / passes;
  compared.variance_s2 = variance / passes;
  compared.usual_variance_s2 = usual_variance / passes;
  return compared;
}

}  // namespace

std::string text_of(const hybrid::RegionPosition& where) {
  if (where.length == 0) return {};
  if (where.context == 0) return " elsewhere";
  // A period that took another turn may be longer.
  if (where.position > where.length) return fmt::format(" position {}", where.position);
  return fmt::format(" position {} of {}", where.position, where.length);
}

std::vector<RegionPart> parts_by_position(const RankRecord& rank, const OpenMpRegionRecord& row) {
  const std::vector<RegionPart> whole = {{row, static_cast<double>(row.passes), {}}};
  double all = 0;
  double here = 0;
  double elsewhere = 0;
  bool fits = true;
  const auto of_region = std::ranges::equal_range(rank.region_positions.as_started, row.region, {},
                                                  &RegionPositionRecord::region);
  for (const RegionPositionRecord& seen : of_region) {
    const auto passes = static_cast<double>(seen.passes);
    all += passes;
    if (seen.context == 0) elsewhere += passes;
    if (seen.context != 0 && seen.group == row.group) here += passes;
    fits = fits && seen.team == row.largest_team;
  }
  if (!fits || !(here > 0) || row.group == 0) return whole;
  // In which groups the others were is not known: an equal share of each.
  const auto passes = static_cast<double>(row.passes);
  const double at_none = passes * elsewhere / all;
  std::vector<RegionPart> parts;
  for (const RegionPositionRecord& seen : of_region) {
    if (!(seen.mean.value > 0)) continue;
    const double share = static_cast<double>(seen.passes) / here;
    const std::uint32_t length = rank.region_positions.length;
    if (seen.context == 0 && at_none >= 1) parts.push_back(part_at(row, seen, at_none, length));
    if (seen.context != 0 && seen.group == row.group)
      parts.push_back(part_at(row, seen, (passes - at_none) * share, length));
  }
  return fit_to(row, parts) ? parts : whole;
}

SampleKey sample_key(std::uint64_t region, const hybrid::RegionPosition& where) {
  if (where.length == 0) return {region, 0};
  return {region, where.context == 0 ? kElsewhere : where.context};
}

std::vector<std::pair<SampleKey, PackedRegionRecord>> packed_at_positions(const RankRecord& rank) {
  std::vector<std::pair<SampleKey, PackedRegionRecord>> samples;
  const RegionPositions& all = rank.region_positions;
  for (const PackedPositionRecord& packed : all.packed)
    for (const RegionPositionRecord& usual : std::ranges::equal_range(
             all.as_started, std::pair(packed.region, packed.context), {}, key_of)) {
      PackedRegionRecord record;
      record.region = packed.region;
      record.team = usual.team;
      record.cores = packed.cores;
      record.packages = packed.packages;
      record.passes = packed.passes;
      record.mean = packed.mean;
      record.variance_s2 = packed.variance_s2;
      record.first_passes = packed.first_passes;
      record.first_mean = packed.first_mean;
      record.usual_passes = usual.passes;
      record.usual_mean = usual.mean;
      record.usual_variance_s2 = usual.variance_s2;
      samples.emplace_back(sample_key(usual.region, {usual.context, usual.position, all.length}),
                           record);
    }
  return samples;
}

std::vector<PackedRegionRecord> packed_at_all_positions(const RankRecord& rank) {
  std::vector<PackedRegionRecord> samples;
  for (const PackedRegionRecord& packed : rank.packed_regions) {
    if (!is_apart(rank, packed.region))
      samples.push_back(packed);
    else if (const auto compared = with_usual_at_same_positions(rank, packed))
      samples.push_back(*compared);
  }
  return samples;
}

bool are_positions_tried(const RankRecord& rank) {
  constexpr double kLeastShare = 0.5;
  std::set<std::pair<std::uint64_t, std::uint64_t>> tried;
  for (const PackedPositionRecord& packed : rank.region_positions.packed)
    tried.insert({packed.region, packed.context});
  double all = 0;
  double known = 0;
  for (const RegionPositionRecord& usual : rank.region_positions.as_started) {
    const double time = static_cast<double>(usual.passes) * usual.mean.value;
    all += time;
    if (tried.contains(key_of(usual)) || !is_apart(rank, usual.region)) known += time;
  }
  return all > 0 && known >= kLeastShare * all;
}

bool is_apart(const RankRecord& rank, std::uint64_t region) {
  constexpr double kAlike = 1.25;
  double least = HUGE_VAL;
  double most = 0;
  for (const RegionPositionRecord& usual : std::ranges::equal_range(
           rank.region_positions.as_started, region, {}, &RegionPositionRecord::region)) {
    if (usual.context == 0) continue;
    least = std::min(least, usual.mean.value);
    most = std::max(most, usual.mean.value);
  }
  return most >= kAlike * least;
}

}  // namespace huddle::teams
