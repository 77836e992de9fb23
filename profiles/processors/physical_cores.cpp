#include "profiles/processors/physical_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "profiles/counters/kernel_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/folder_names.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostCaches = 16;  // index0, index1, ... of one PU

// What Linux tells of one PU.
struct Pu {
  std::uint32_t number = 0;
  std::uint32_t package = 0;
  std::uint32_t numa_node = 0;
  std::uint32_t core = 0;               // the first PU of its core
  std::optional<std::uint32_t> die;     // the kernel's number
  std::optional<std::uint32_t> l3, l2;  // the first PU that shares it
};

// The first line; empty if it can't be read.
std::string line_of(const fs::path& path) {
  std::array<char, 4096> text{};
  const long size = read_kernel_file(path.c_str(), text.data(), text.size());
  if (size <= 0) return {};
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  return std::string(line.substr(0, line.find('\n')));
}

PuSet list_in(const fs::path& path) {
  try {
    return PuSet::parse(line_of(path));
  } catch (const Error&) {
    return {};
  }
}

std::optional<std::uint32_t> first_of(const fs::path& path) {
  const PuSet list = list_in(path);
  if (list.empty()) return std::nullopt;
  return list.members().front();
}

// Linux writes -1 for what the firmware does not tell: all have the same then.
std::optional<std::uint32_t> number_in(const fs::path& path) {
  const std::string line = line_of(path);
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (failure != std::errc{} || end != line.data() + line.size()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

void read_caches(const fs::path& directory, Pu& pu) {
  for (std::uint32_t index = 0; index < kMostCaches; ++index) {
    const fs::path cache = directory / fmt::format("index{}", index);
    const std::string level = line_of(cache / "level");
    if (level.empty()) return;
    if ((level != "2" && level != "3") || line_of(cache / "type") == "Instruction") continue;
    if (level == "3") pu.l3 = first_of(cache / "shared_cpu_list");
    if (level == "2") pu.l2 = first_of(cache / "shared_cpu_list");
  }
}

// The directory of a PU holds a link "node1" to that of its NUMA node.
std::uint32_t numa_node_in(const fs::path& directory) {
  for (const std::string& name : names_in(directory)) {
    std::uint32_t number = 0;
    if (!name.starts_with("node") || name.size() < 5) continue;
    const auto [last, failure] =
        std::from_chars(name.data() + 4, name.data() + name.size(), number);
    if (failure == std::errc{} && last == name.data() + name.size()) return number;
  }
  return 0;
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
  pu.numa_node = numa_node_in(directory);
  read_caches(directory / "cache", pu);
  return pu;
}

// As commgraph/topology does it by hwloc: a level is the dies' if it splits a package; caches only
// if one of theirs has several cores. PUs that don't tell theirs are no level.
template <class Group>
bool splits_a_package(const std::vector<Pu>& pus, Group group_of, bool needs_shared) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::uint32_t>>> cores;
  for (const Pu& pu : pus) {
    const std::optional<std::uint32_t> group = group_of(pu);
    if (!group) return false;
    cores[pu.package][*group].insert(pu.core);
  }
  return std::any_of(cores.begin(), cores.end(), [&](const auto& package) {
    const auto& groups = package.second;
    return groups.size() > 1 &&
           (!needs_shared || std::any_of(groups.begin(), groups.end(), [](const auto& group) {
             return group.second.size() > 1;
           }));
  });
}

using GroupOf = std::optional<std::uint32_t> (*)(const Pu&);

GroupOf die_level(const std::vector<Pu>& pus) {
  const GroupOf die = [](const Pu& pu) { return pu.die; };
  const GroupOf l3 = [](const Pu& pu) { return pu.l3; };
  const GroupOf l2 = [](const Pu& pu) { return pu.l2; };
  if (splits_a_package(pus, die, false)) return die;
  if (splits_a_package(pus, l3, true)) return l3;
  if (splits_a_package(pus, l2, true)) return l2;
  return [](const Pu&) { return std::optional<std::uint32_t>(0); };
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
  const GroupOf group_of = die_level(pus);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> dies;
  std::map<std::uint32_t, PhysicalCore> cores;  // by the first PU that Linux names for the core
  for (const Pu& pu : pus) {
    const auto number = static_cast<std::uint32_t>(dies.size());
    const std::uint32_t die =
        dies.emplace(std::pair(pu.package, *group_of(pu)), number).first->second;
    PhysicalCore& core = cores[pu.core];
    if (core.pus.empty()) core = {pu.package, die, pu.numa_node, {}};
    core.pus.add(pu.number);
  }
  std::vector<PhysicalCore> ordered;
  ordered.reserve(cores.size());
  for (auto& [first, core] : cores) ordered.push_back(std::move(core));
  return ordered;
}

}  // namespace huddle
