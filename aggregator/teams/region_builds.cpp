#include "aggregator/teams/region_builds.hpp"

#include <algorithm>

namespace huddle::teams {
namespace {

// As "region at NAME+0x12a0" has it; nothing where several have that name.
const ProgramModule* module_of(const Profile& profile, const OpenMpRegion& region) {
  const ProgramModule* found = nullptr;
  for (const ProgramModule& module : profile.shared.modules) {
    if (region.place.find(" " + module.name + "+0x") == std::string::npos) continue;
    if (found != nullptr && found->build_id != module.build_id) return nullptr;
    found = &module;
  }
  return found;
}

}  // namespace

std::vector<std::string> builds_with_regions(const Profile& profile) {
  std::set<std::string> builds;
  for (const OpenMpRegion& region : profile.shared.openmp_regions)
    if (const ProgramModule* module = module_of(profile, region);
        module != nullptr && !module->build_id.empty())
      builds.insert(module->build_id);
  return {builds.begin(), builds.end()};
}

std::set<std::uint64_t> regions_of_builds(const Profile& profile,
                                          const std::vector<std::string>& builds) {
  std::set<std::uint64_t> regions;
  for (const OpenMpRegion& region : profile.shared.openmp_regions)
    if (const ProgramModule* module = module_of(profile, region);
        module != nullptr && std::ranges::find(builds, module->build_id) != builds.end())
      regions.insert(region.id);
  return regions;
}

}  // namespace huddle::teams
