#include "aggregator/efficiency/detail/phase_efficiencies.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "aggregator/efficiency/detail/load_sums.hpp"
#include "aggregator/efficiency/detail/openmp_time.hpp"

namespace huddle::efficiency {
namespace {

// One group of phases, over ranks.
class PhaseSums {
 public:
  // `regions`: those of the rank in this group.
  void add(Rank rank, const PhaseRecord& phase, std::span<const OpenMpRegionRecord> regions,
           std::uint32_t threads) {
    const Seconds computation = phase.mean * static_cast<double>(phase.count);
    const Seconds in_mpi = phase.mpi_time + phase.delimiter_time;
    if (result_.ranks++ == 0 || computation > loads_.longest()) result_.slowest = rank;
    loads_.add(threads, computation);
    openmp_.add(regions, threads, computation);
    result_.elapsed = std::max(result_.elapsed, computation + in_mpi);
    result_.lost += in_mpi * threads;
  }

  PhaseEfficiency finish(Seconds thread_time) && {
    result_.efficiency = {loads_.efficiency(result_.elapsed), openmp_.efficiency()};
    if (loads_.mean() > Seconds{}) result_.slowest_ratio = loads_.longest() / loads_.mean();
    if (result_.efficiency.openmp)
      result_.lost +=
          loads_.mean() * loads_.threads() * (1 - result_.efficiency.openmp->parallel());
    if (thread_time > Seconds{}) result_.lost_share = result_.lost / thread_time;
    return std::move(result_);
  }

 private:
  PhaseEfficiency result_;
  LoadSums loads_;
  OpenMpTime openmp_;
};

// The records of a rank are ordered by group.
std::span<const OpenMpRegionRecord> regions_in(const RankRecord& record, std::uint64_t group) {
  const auto own =
      std::ranges::equal_range(record.openmp_regions, group, {}, &OpenMpRegionRecord::group);
  return {own.begin(), own.end()};
}

}  // namespace

std::vector<PhaseEfficiency> phase_efficiencies_of(const Profile& profile, Seconds thread_time) {
  std::unordered_map<std::uint64_t, PhaseSums> sums;
  for (const RankRecord& record : profile.rank_records) {
    const std::uint32_t threads = threads_of(record.openmp_regions);
    for (const PhaseRecord& phase : record.phases)
      sums[phase.group].add(record.rank, phase, regions_in(record, phase.group), threads);
  }
  std::unordered_map<std::uint64_t, const PhaseGroup*> known;
  for (const PhaseGroup& group : profile.shared.phase_groups) known[group.id] = &group;
  std::vector<PhaseEfficiency> phases;
  for (auto& [id, sum] : sums) {
    PhaseEfficiency& phase = phases.emplace_back(std::move(sum).finish(thread_time));
    phase.group.id = id;
    if (const auto found = known.find(id); found != known.end()) phase.group = *found->second;
  }
  std::ranges::sort(phases, [](const PhaseEfficiency& a, const PhaseEfficiency& b) {
    return std::pair(b.lost, a.group.id) < std::pair(a.lost, b.group.id);
  });
  return phases;
}

}  // namespace huddle::efficiency
