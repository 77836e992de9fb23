#include "profiles/formats/profile/profile.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "profiles/formats/profile/profile_file.hpp"

namespace huddle {

std::string_view name_of(EnergyOrigin origin) {
  switch (origin) {
    case EnergyOrigin::kMeter:
      return "meter";
    case EnergyOrigin::kMeasured:
      return "measured";
    case EnergyOrigin::kAttributed:
      return "attributed";
  }
  return "?";
}

std::optional<EnergyOrigin> energy_origin_of(std::string_view name) {
  for (const EnergyOrigin origin :
       {EnergyOrigin::kMeter, EnergyOrigin::kMeasured, EnergyOrigin::kAttributed})
    if (name_of(origin) == name) return origin;
  return std::nullopt;
}

LaunchedProgram Profile::program() const {
  return launched.path.empty() ? LaunchedProgram{executable, build_id} : launched;
}

Seconds Profile::run_time() const {
  Seconds longest;
  for (const RankRecord& record : rank_records) longest = std::max(longest, record.run_time);
  return longest;
}

Seconds Profile::mean_computation_time() const {
  Seconds sum;
  for (const RankRecord& record : rank_records) sum += record.computation_time();
  return rank_records.empty() ? sum : sum * (1.0 / static_cast<double>(rank_records.size()));
}

std::vector<std::string> Profile::nodes() const {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const RankRecord& record : rank_records)
    if (seen.insert(record.node).second) names.push_back(record.node);
  return names;
}

std::uint32_t Profile::ranks_per_node() const {
  std::map<std::string_view, std::uint32_t> count;
  std::uint32_t most = 0;
  for (const RankRecord& record : rank_records) most = std::max(most, ++count[record.node]);
  return most;
}

void save_profile(const Profile& profile, const std::filesystem::path& path) {
  ProfileFile file(path, profile);
  for (const RankRecord& record : profile.rank_records) file.add(record);
  file.commit(profile.shared);
}

}  // namespace huddle
