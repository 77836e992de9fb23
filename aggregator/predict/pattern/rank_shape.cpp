#include "aggregator/predict/pattern/rank_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "aggregator/predict/pattern/detail/ceil_div.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

// Cores of a rank in the fullest of its dies.
std::uint32_t most_in_die(const RankShape& rank) {
  return ceil_div(rank.cores, rank.dies * rank.packages);
}

// Where slots of a node begin, and what they take of each die.
class SlotCutter {
 public:
  SlotCutter(const commgraph::NodeTopology& node, const RankShape& rank)
      : node_(node), rank_(rank) {
    slots_.die_level = node.die_level;
    slots_.memory = node.memory;
    slots_.packages = node.packages / rank.packages;
    slots_.dies_per_package = node.dies_per_package / rank.dies;
    slots_.cores_per_die = rank.shares_die() ? node.cores_per_die / rank.cores : 1;
    // A rank with dies of several NUMA nodes to itself leaves no such level.
    if (rank.packages == 1 && rank.dies <= node.dies_per_numa()) {
      slots_.numa_per_package = node.numa_per_package;
      slots_.dies_per_package =
          std::max(node.numa_per_package, 1U) * (node.dies_per_numa() / rank.dies);
    }
  }

  commgraph::NodeTopology cut() {
    taken_.assign(node_.cores.size(), false);
    for (std::uint32_t package = 0; package < slots_.packages; ++package)
      for (std::uint32_t die = 0; die < slots_.dies_per_package; ++die)
        for (std::uint32_t slot = 0; slot < slots_.cores_per_die; ++slot)
          slots_.cores.push_back(take(package, die, slot));
    leave_idle();
    return slots_;
  }

 private:
  commgraph::NodeTopology::Core take(std::uint32_t package, std::uint32_t die, std::uint32_t slot) {
    const std::uint32_t parts = rank_.packages * rank_.dies;
    commgraph::NodeTopology::Core taken;
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint32_t of_package = package * rank_.packages + part / rank_.dies;
      const std::uint32_t of_die = first_die(die) + part % rank_.dies;
      const std::uint32_t here = rank_.cores / parts + (part < rank_.cores % parts ? 1 : 0);
      for (std::uint32_t i = 0; i < here; ++i) {
        const std::uint32_t in_die = slot * rank_.cores + i;  // of slots that share a die
        taken_[(of_package * node_.dies_per_package + of_die) * node_.cores_per_die + in_die] =
            true;
        const commgraph::NodeTopology::Core& core = node_.core(of_package, of_die, in_die);
        if (taken.pus.empty()) taken.first_pu = core.first_pu;
        for (const std::uint32_t pu : core.pus.members()) taken.pus.add(pu);
      }
    }
    return taken;
  }

  // Returns the first of a package's dies that the slots of a die of slots take.
  [[nodiscard]] std::uint32_t first_die(std::uint32_t die) const {
    const std::uint32_t numa_node = die / slots_.dies_per_numa();
    return numa_node * node_.dies_per_numa() + die % slots_.dies_per_numa() * rank_.dies;
  }

  // The opposite; beyond all others for dies that no slot takes.
  [[nodiscard]] std::uint32_t die_of_slots(std::uint32_t die) const {
    const std::uint32_t each =
        slots_.numa_per_package > 0 ? node_.dies_per_numa() : node_.dies_per_package;
    const std::uint32_t of_slots = die % each / rank_.dies;
    if (of_slots >= slots_.dies_per_numa()) return slots_.dies_per_package;
    return die / each * slots_.dies_per_numa() + of_slots;
  }

  void leave_idle() {
    std::size_t index = 0;
    for (std::uint32_t package = 0; package < node_.packages; ++package)
      for (std::uint32_t die = 0; die < node_.dies_per_package; ++die) {
        commgraph::NodeTopology::Idle idle{package / rank_.packages, die_of_slots(die), {}};
        for (std::uint32_t core = 0; core < node_.cores_per_die; ++core, ++index)
          if (!taken_[index])
            for (const std::uint32_t pu : node_.cores[index].pus.members()) idle.pus.add(pu);
        if (!idle.pus.empty()) slots_.idle.push_back(std::move(idle));
      }
  }

  const commgraph::NodeTopology& node_;
  const RankShape& rank_;
  commgraph::NodeTopology slots_;
  std::vector<bool> taken_;
};

}  // namespace

RankShape shape_of_rank(std::uint32_t cores, const commgraph::NodeTopology& node) {
  const std::uint32_t in_package = node.cores_per_die * node.dies_per_package;
  if (cores == 0 || cores > in_package * node.packages)
    throw UsageError(fmt::format("a rank of {} cores does not fit on a node of {} cores", cores,
                                 in_package * node.packages));
  if (cores <= node.cores_per_die) return {cores, 1, 1};
  if (cores <= in_package) return {cores, ceil_div(cores, node.cores_per_die), 1};
  return {cores, node.dies_per_package, ceil_div(cores, in_package)};
}

commgraph::NodeTopology slots_of_node(const commgraph::NodeTopology& node, const RankShape& rank) {
  if (rank == RankShape{}) return node;
  return SlotCutter(node, rank).cut();
}

std::string name_on_cores(const Pattern& slots, const RankShape& rank) {
  Pattern on_cores = slots;
  on_cores.packages *= rank.packages;
  on_cores.dies *= rank.dies;
  on_cores.cores = rank.shares_die() ? slots.cores * rank.cores : most_in_die(rank);
  return on_cores.name();
}

Pattern slots_named(const Pattern& on_cores, const RankShape& rank) {
  const Pattern one{1, 1, 1, 1, std::min(on_cores.numa_nodes, 1U)};
  if (on_cores == one) return on_cores;
  const bool whole =
      on_cores.packages % rank.packages == 0 && on_cores.dies % rank.dies == 0 &&
      (rank.shares_die() ? on_cores.cores % rank.cores == 0 : on_cores.cores == most_in_die(rank));
  if (!whole)
    throw UsageError(
        fmt::format("the pattern {} does not hold whole ranks of {} cores; the least that does is "
                    "{}",
                    on_cores.name(), rank.cores, name_on_cores(one, rank)));
  Pattern slots = on_cores;
  slots.packages /= rank.packages;
  slots.dies /= rank.dies;
  slots.cores = rank.shares_die() ? on_cores.cores / rank.cores : 1;
  return slots;
}

namespace {

using CoreOfPu = std::map<std::uint32_t, std::uint32_t>;

CoreOfPu cores_by_pu(const commgraph::NodeTopology& node) {
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

std::uint32_t cores_of_each_rank(const Profile& profile, const commgraph::NodeTopology& node) {
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

std::string why_other_cores(const Profile& profile, const commgraph::NodeTopology& node,
                            std::uint32_t cores) {
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

}  // namespace huddle::predict
