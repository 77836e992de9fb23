#include "profiles/hardware/processors/physical_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_text.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::hardware {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostCaches = 16;  // index0, index1, ... of one PU

// A PU, as Linux reports it.
struct Pu {
  std::uint32_t number = 0;
  std::uint32_t package = 0;
  std::uint32_t core = 0;            // the first PU of its core
  std::optional<std::uint32_t> die;  // the kernel's number
};

PuSet list_in(const fs::path& path) {
  try {
    return PuSet::parse(files::first_line_of(path));
  } catch (const Error&) {
    return {};
  }
}

// Linux writes -1 for what the firmware does not report: all have the same then.
std::optional<std::uint32_t> number_in(const fs::path& path) {
  const auto number = huddle::number_in<std::int64_t>(files::first_line_of(path));
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// The group of each PU; a group is named after the first PU in it.
using Groups = std::map<std::uint32_t, std::uint32_t>;

// Returns the PUs that share the cache of that level; if there are several such caches, those of
// the last one.
PuSet sharers_of_cache(const fs::path& caches, std::string_view level) {
  PuSet sharers;
  for (std::uint32_t index = 0; index < kMostCaches; ++index) {
    const fs::path cache = caches / fmt::format("index{}", index);
    const std::string own_level = files::first_line_of(cache / "level");
    if (own_level.empty()) break;
    if (own_level == level && files::first_line_of(cache / "type") != "Instruction")
      sharers = list_in(cache / "shared_cpu_list");
  }
  return sharers;
}

// The PUs that share a cache report the same, so only one of them is read: on large nodes,
// reading files is all that this takes time for.
Groups groups_of_cache(const fs::path& cpus, const std::vector<Pu>& pus, std::string_view level) {
  Groups groups;
  for (const Pu& pu : pus) {
    if (groups.contains(pu.number)) continue;
    const PuSet sharers = sharers_of_cache(cpus / fmt::format("cpu{}/cache", pu.number), level);
    for (const std::uint32_t sharer : sharers.members())
      groups.emplace(sharer, sharers.members()[0]);
  }
  return groups;
}

// The number in a name such as node12.
std::optional<std::uint32_t> number_of_node(const std::string& name) {
  if (!name.starts_with("node")) return std::nullopt;
  return huddle::number_in<std::uint32_t>(std::string_view(name).substr(4));
}

// The NUMA node of each PU; no entry is node 0.
Groups numa_nodes(const fs::path& nodes) {
  Groups node_of_pu;
  for (const std::string& name : files::names_in(nodes))
    if (const auto number = number_of_node(name)) {
      const PuSet pus = list_in(nodes / name / "cpulist");
      for (const std::uint32_t pu : pus.members()) node_of_pu.emplace(pu, *number);
    }
  return node_of_pu;
}

// `of_core` gets all PUs of its core.
std::optional<Pu> read_pu(const fs::path& directory, std::uint32_t number, PuSet& of_core) {
  const fs::path topology = directory / "topology";
  Pu pu;
  pu.number = number;
  const auto package = number_in(topology / "physical_package_id");
  of_core = list_in(topology / "core_cpus_list");
  if (of_core.empty()) of_core = list_in(topology / "thread_siblings_list");  // before Linux 5.3
  if (!package || of_core.empty()) return std::nullopt;
  pu.package = *package;
  pu.core = of_core.members()[0];
  pu.die = number_in(topology / "die_id");
  return pu;
}

// As commgraph/topology does it by hwloc: a level is the dies' if it splits a package; caches and
// NUMA nodes only if one of theirs has several cores. PUs that don't report theirs are no level.
bool splits_a_package(const std::vector<Pu>& pus, const Groups& groups, bool needs_shared) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::uint32_t>>> cores;
  for (const Pu& pu : pus) {
    const auto group = groups.find(pu.number);
    if (group == groups.end()) return false;
    cores[pu.package][group->second].insert(pu.core);
  }
  return std::any_of(cores.begin(), cores.end(), [&](const auto& package) {
    const auto& of_package = package.second;
    return of_package.size() > 1 &&
           (!needs_shared ||
            std::any_of(of_package.begin(), of_package.end(),
                        [](const auto& group) { return group.second.size() > 1; }));
  });
}

// The dies of PUs; none if nothing splits a package.
Groups dies_of(const fs::path& cpus, const std::vector<Pu>& pus, const Groups& numa_node_of) {
  Groups dies;
  for (const Pu& pu : pus)
    if (pu.die) dies.emplace(pu.number, *pu.die);
  if (splits_a_package(pus, dies, false)) return dies;
  for (const std::string_view level : {"3", "2"}) {
    dies = groups_of_cache(cpus, pus, level);
    if (splits_a_package(pus, dies, true)) return dies;
  }
  if (splits_a_package(pus, numa_node_of, true)) return numa_node_of;
  return {};
}

}  // namespace

std::vector<PhysicalCore> physical_cores(const fs::path& sysfs) {
  const fs::path root = sysfs / "devices/system/cpu";
  std::vector<Pu> pus;
  std::map<std::uint32_t, Pu> siblings;  // what is known of PUs by the first one of their core
  const PuSet online = list_in(root / "online");
  for (const std::uint32_t number : online.members()) {
    if (const auto known = siblings.find(number); known != siblings.end()) {
      pus.push_back(known->second);
      continue;
    }
    PuSet of_core;
    const std::optional<Pu> pu = read_pu(root / fmt::format("cpu{}", number), number, of_core);
    if (!pu) return {};
    pus.push_back(*pu);
    for (const std::uint32_t sibling : of_core.members()) {
      Pu& copy = siblings.emplace(sibling, *pu).first->second;
      copy.number = sibling;
    }
  }
  const Groups node_of = numa_nodes(sysfs / "devices/system/node");
  const Groups group_of = dies_of(root, pus, node_of);
  const auto in = [](const Groups& groups, std::uint32_t pu) {
    const auto group = groups.find(pu);
    return group == groups.end() ? 0 : group->second;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> dies;
  std::map<std::uint32_t, PhysicalCore> cores;  // by the first PU that Linux names for the core
  for (const Pu& pu : pus) {
    const auto number = static_cast<std::uint32_t>(dies.size());
    const std::uint32_t die =
        dies.emplace(std::pair(pu.package, in(group_of, pu.number)), number).first->second;
    PhysicalCore& core = cores[pu.core];
    if (core.pus.empty()) core = {pu.package, die, in(node_of, pu.number), {}};
    core.pus.add(pu.number);
  }
  std::vector<PhysicalCore> ordered;
  ordered.reserve(cores.size());
  for (auto& [first, core] : cores) ordered.push_back(std::move(core));
  return ordered;
}

}  // namespace huddle::hardware
