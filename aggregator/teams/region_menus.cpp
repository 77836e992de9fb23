#include "aggregator/teams/region_menus.hpp"

#include <algorithm>
#include <utility>

#include "aggregator/hybrid/team_menu.hpp"

namespace huddle::teams {
namespace {

/// The largest team that each of a rank's regions had, in any of its phases.
std::map<std::uint64_t, std::uint32_t> usual_teams(const RankRecord& record) {
  std::map<std::uint64_t, std::uint32_t> teams;
  for (const OpenMpRegionRecord& row : record.openmp_regions)
    teams[row.region] = std::max(teams[row.region], row.largest_team);
  return teams;
}

Seconds longest(const hybrid::TeamOption& option) {
  return option.seconds * (1 + option.error);
}

}  // namespace

RegionMenus::RegionMenus(const Profile& profile, const hybrid::TeamNode& node,
                         const TimesPredictor& predict, const std::set<std::uint64_t>& may_shrink)
    : node_(node), predict_(predict), may_shrink_(may_shrink) {
  for (const OpenMpRegion& region : profile.shared.openmp_regions)
    places_[region.id] = region.place;
  for (const RankRecord& rank : profile.rank_records) add_rank(rank, of_all_);
}

void RegionMenus::begin_rank(const RankRecord& record, const hybrid::TeamRank& rank) {
  rank_ = &rank;
  own_.clear();
  sizes_.clear();
  as_started_.clear();
  alike_.clear();
  for (const RegionPositionRecord& one : record.region_positions.as_started)
    if (!alike_.contains(one.region) && !is_apart(record, one.region)) alike_.insert(one.region);
  usual_team_ = usual_teams(record);
  add_rank(record, own_);
  for (const auto& [key, trials] : own_)
    if (std::ranges::any_of(trials, [](const auto& one) { return !one.second.is_possible(); }))
      of_other_work_.insert(key.first);
  for (const PackedRegionRecord& packed : record.packed_regions)
    if (says_how_long(packed) && packed.acted_passes > 0) as_started_[packed.region] = 1;
  for (const PackedRegionRecord& smaller : record.smaller_teams) {
    sizes_.insert({smaller.region, smaller.team, smaller.cores});
    if (says_how_long(smaller) && passes_acted_on(smaller) > 0) as_started_[smaller.region] = 1;
  }
  for (auto& [region, share] : as_started_) share = share_as_started(record, region);
}

std::optional<hybrid::TeamRegion> RegionMenus::region(const RegionPart& part) const {
  OpenMpRegionRecord record = part.record;
  if (record.mean.value <= 0) return std::nullopt;
  if (const auto share = as_started_.find(record.region); share != as_started_.end())
    record.mean = record.mean * share->second;
  hybrid::TeamRegion region;
  region.id = record.region;
  region.where = part.where;
  if (const auto place = places_.find(record.region); place != places_.end())
    region.name = place->second;
  region.passes = region.entries = part.passes;
  const std::uint32_t threads = record.largest_team;
  const auto has = static_cast<std::uint32_t>(rank_->cores.size());
  hybrid::TeamConfiguration reference{threads, std::min(threads, has), 1, node_.nominal};
  reference.packages = packages_of(reference);
  region.options = {{reference, record.mean, 0}};
  if (threads > 1 && has_usual_team(record)) add_options(region, record);
  return region;
}

bool RegionMenus::has_usual_team(const OpenMpRegionRecord& record) const {
  const std::uint32_t usual = usual_team_.at(record.region);
  return record.smallest_team == usual ||
         (record.largest_team == usual &&
          sizes_.contains({record.region, usual, record.smallest_team}));
}

void RegionMenus::add_rank(const RankRecord& rank, Trials& trials) {
  const auto add = [&](const SampleKey& key, const PackedRegionRecord& record,
                       std::uint32_t threads) {
    if (says_how_long(record))
      trials[key][{record.team, {threads, record.cores, record.packages, {}}}].add(record);
  };
  for (const PackedRegionRecord& record : packed_at_all_positions(rank))
    add({record.region, 0}, record, record.team);
  for (const auto& [key, record] : packed_at_positions(rank)) add(key, record, record.team);
  for (const PackedRegionRecord& record : rank.smaller_teams)
    add({record.region, 0}, record, record.cores);
}

// A team as the program started it is on all of its rank's packages.
std::uint32_t RegionMenus::packages_of(const hybrid::TeamConfiguration& configuration) const {
  std::set<std::uint32_t> packages;
  for (const std::uint32_t core : rank_->cores) packages.insert(node_.package_of(core));
  return std::min(configuration.cores, static_cast<std::uint32_t>(packages.size()));
}

const MeasuredStretch* RegionMenus::sample(const SampleKey& key, std::uint32_t team,
                                           hybrid::TeamConfiguration configuration) const {
  configuration.clock = {};
  for (const auto* samples : {&own_, &of_all_}) {
    const auto of_region = samples->find(key);
    if (of_region == samples->end()) continue;
    const auto found = of_region->second.find({team, configuration});
    if (found != of_region->second.end() && found->second.is_possible()) return &found->second;
  }
  const bool is_alike = key.second != 0 && alike_.contains(key.first);
  return is_alike ? sample({key.first, 0}, team, configuration) : nullptr;
}

void RegionMenus::add_options(hybrid::TeamRegion& region, const OpenMpRegionRecord& record) const {
  const hybrid::TeamConfiguration reference = region.options.front().configuration;
  const Hertz clock[] = {node_.nominal};
  std::vector<hybrid::TeamConfiguration> not_measured;
  predict::PhaseSamples samples;
  const std::uint64_t timed = std::max<std::uint64_t>(record.passes - record.untimed_passes, 1);
  samples.samples = {{reference, record.mean, record.variance_s2, timed, {}}};
  for (const hybrid::TeamConfiguration& configuration :
       hybrid::team_configurations(record.largest_team, *rank_, node_, clock)) {
    if (configuration.cores >= reference.cores) continue;
    const MeasuredStretch* const found =
        sample(sample_key(region.id, region.where), record.largest_team, configuration);
    if (found == nullptr) {
      not_measured.push_back(configuration);
      continue;
    }
    region.options.push_back(
        {configuration, record.mean * found->stretch(), found->error(), true, found->passes()});
    region.refill.value = std::max(region.refill.value, found->refill());
    samples.samples.push_back({configuration, record.mean * found->stretch(), 0, 1, {}});
  }
  if (predict_ && !not_measured.empty()) {
    const std::vector<predict::TeamTime> times = predict_(samples, not_measured);
    for (std::size_t i = 0; i < times.size(); ++i)
      region.options.push_back(
          {not_measured[i], times[i].time, times[i].high / times[i].time - 1, false});
  }
  if (may_shrink_.contains(region.id)) add_smaller(region, record);
}

// On the same cores only one of both: they draw the same, so that the quicker one is better. What
// was not measured is not believed to be quicker. Smaller teams are not tried by position: a region
// that differs by it has none.
void RegionMenus::add_smaller(hybrid::TeamRegion& region, const OpenMpRegionRecord& record) const {
  const hybrid::TeamConfiguration reference = region.options.front().configuration;
  const Hertz clock[] = {node_.nominal};
  for (const hybrid::TeamConfiguration& configuration : hybrid::team_configurations(
           record.largest_team, *rank_, node_, clock, hybrid::TeamSizes::kMayShrink)) {
    if (configuration.cores >= reference.cores || configuration.threads != configuration.cores)
      continue;
    const MeasuredStretch* const found =
        sample(sample_key(region.id, region.where), record.largest_team, configuration);
    if (found == nullptr) continue;
    const hybrid::TeamOption option{configuration, record.mean * found->stretch(), found->error(),
                                    true, found->passes()};
    region.refill.value = std::max(region.refill.value, found->refill());
    const auto whole = std::ranges::find_if(region.options, [&](const hybrid::TeamOption& one) {
      return one.configuration.cores == configuration.cores &&
             one.configuration.packages == configuration.packages;
    });
    if (whole == region.options.end())
      region.options.push_back(option);
    else if (!whole->measured || longest(*whole) > longest(option))
      *whole = option;
  }
}

}  // namespace huddle::teams
