#include "spank_plugin/frequency/core_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiles/files/kernel_text.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::frequency {

std::vector<PuSet> pus_of_slurms_cores(std::vector<hardware::PhysicalCore> cores,
                                       std::string_view list) {
  using Group = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<std::uint32_t, std::uint32_t> package_begins;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numa_begins;
  std::map<Group, std::uint32_t> die_begins;
  // The cores come ordered by their first PU, so the first one of a group is what it begins with.
  const auto first_pu = [](const hardware::PhysicalCore& core) { return core.pus.members()[0]; };
  for (const hardware::PhysicalCore& core : cores) {
    package_begins.emplace(core.package, first_pu(core));
    numa_begins.emplace(std::pair(core.package, core.numa_node), first_pu(core));
    die_begins.emplace(Group(core.package, core.numa_node, core.die), first_pu(core));
  }
  const auto place = [&](const hardware::PhysicalCore& core) {
    return std::tuple(package_begins.at(core.package),
                      numa_begins.at({core.package, core.numa_node}),
                      die_begins.at({core.package, core.numa_node, core.die}), first_pu(core));
  };
  std::sort(cores.begin(), cores.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });

  std::vector<PuSet> pus;
  const PuSet numbers = PuSet::parse(list);
  for (const std::uint32_t number : numbers.members()) {
    if (number >= cores.size())
      throw Error(fmt::format("Slurm gives the step core {} and Linux shows {} cores on this node",
                              number, cores.size()));
    pus.push_back(cores[number].pus);
  }
  return pus;
}

namespace {

// True if the CPUs that are offline may be hyperthreads: as many of each core.
bool may_be_threads(const std::string& smt, std::size_t present, std::size_t online) {
  return smt != "on" && smt != "notsupported" && online != 0 && present % online == 0;
}

}  // namespace

std::string why_cores_have_other_numbers(const std::filesystem::path& sysfs) {
  const std::filesystem::path root = sysfs / "devices/system/cpu";
  const PuSet online = PuSet::parse(files::first_line_of(root / "online"));
  const PuSet present = PuSet::parse(files::first_line_of(root / "present"));
  PuSet offline;
  for (const std::uint32_t pu : present.members())
    if (!online.contains(pu)) offline.add(pu);
  const std::string smt = files::first_line_of(root / "smt/control");
  if (offline.empty() || may_be_threads(smt, present.size(), online.size())) return {};
  return fmt::format("CPUs {} are switched off, so cores may have other numbers than Slurm's",
                     offline.list());
}

}  // namespace huddle::frequency
