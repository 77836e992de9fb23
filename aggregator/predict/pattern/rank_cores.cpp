#include "aggregator/predict/pattern/rank_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace huddle {
namespace {

using CoreOfPu = std::map<std::uint32_t, std::uint32_t>;

CoreOfPu cores_by_pu(const NodeTopology& node) {
  CoreOfPu cores;
  for (std::uint32_t core = 0; core < node.cores.size(); ++core)
    for (const std::uint32_t pu : node.cores[core].pus.members()) cores[pu] = core;
  return cores;
}

// Empty if the node lacks one of them.
std::set<std::uint32_t> cores_of(const RankRecord& record, const CoreOfPu& by_pu) {
  std::set<std::uint32_t> cores;
  for (const std::uint32_t pu : record.pus.members()) {
    const auto found = by_pu.find(pu);
    if (found == by_pu.end()) return {};
    cores.insert(found->second);
  }
  return cores;
}

// More than this beyond a whole number of cores is not noise, nor a helper thread of MPI.
constexpr double kMoreBusy = 0.5;

}  // namespace

std::optional<double> busy_cores(const Profile& profile) {
  double cpu = 0;
  double wall = 0;
  for (const RankRecord& record : profile.rank_records) {
    if (!record.cpu_time) continue;
    cpu += record.cpu_time->value;
    wall += record.run_time.value;
  }
  if (!(wall > 0)) return std::nullopt;
  return cpu / wall;
}

std::uint32_t cores_of_each_rank(const Profile& profile, const NodeTopology& node) {
  if (busy_cores(profile).value_or(1) <= 1 + kMoreBusy || profile.ranks_per_node() < 2) return 1;
  const CoreOfPu by_pu = cores_by_pu(node);
  std::map<std::string, std::set<std::uint32_t>> used;
  std::size_t each = 0;
  for (const RankRecord& record : profile.rank_records) {
    const std::set<std::uint32_t> cores = cores_of(record, by_pu);
    if (cores.empty() || (each != 0 && cores.size() != each)) return 1;
    each = cores.size();
    for (const std::uint32_t core : cores)
      if (!used[record.node].insert(core).second) return 1;
  }
  return static_cast<std::uint32_t>(each);
}

std::string why_other_cores(const Profile& profile, const NodeTopology& node, std::uint32_t cores) {
  const double busy = busy_cores(profile).value_or(0);
  if (busy > cores + kMoreBusy)
    return fmt::format("had ranks that kept {:.1f} cores busy each, and this job's have {}", busy,
                       cores);
  if (cores == 1) return {};
  const CoreOfPu by_pu = cores_by_pu(node);
  for (const RankRecord& record : profile.rank_records) {
    const std::size_t had = cores_of(record, by_pu).size();
    // A thread that OpenMP bound is on one core, its process on as many as were busy.
    const bool bound_itself = busy > static_cast<double>(had) + kMoreBusy;
    if (had != 0 && had < cores && !bound_itself)
      return fmt::format("had ranks on {} {}, and this job's have {}", had,
                         had == 1 ? "core" : "cores", cores);
  }
  return {};
}

}  // namespace huddle
