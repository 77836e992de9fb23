#include "aggregator/predict/energy/profile_energy.hpp"

#include <cmath>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

// Returns the energy that the job took of a node, by parts of which none counts what another one
// does; nothing if a part is not measured.
std::optional<Joules> energy_of_job(const std::vector<EnergyReading>& readings) {
  Joules sum;
  for (const EnergyReading& reading : readings) {
    if (reading.origin != EnergyOrigin::kMeasured) return std::nullopt;
    sum += reading.energy;
  }
  return sum;
}

// Returns the energy of one node; nothing if its meters count neither all of it nor its packages.
std::optional<Joules> energy_of_node(const std::vector<EnergyReading>& readings) {
  if (readings.front().origin != EnergyOrigin::kMeter) return energy_of_job(readings);
  Joules parts{0};
  bool packages = false;
  for (const EnergyReading& reading : readings) {
    if (reading.meter == "node") return reading.energy;
    const bool memory = reading.meter.find("dram") != std::string::npos;
    if (!reading.meter.starts_with("package") && !memory) continue;
    packages = packages || !memory;
    parts += reading.energy;
  }
  if (!packages) return std::nullopt;
  return parts;
}

}  // namespace

std::optional<Joules> energy_by_meters(const Profile& profile) {
  Joules sum{0};
  std::size_t metered = 0;
  for (const RankRecord& record : profile.rank_records) {
    if (record.node_energy.empty()) continue;
    const auto energy = energy_of_node(record.node_energy);
    if (!energy || !std::isfinite(energy->value)) return std::nullopt;
    sum += *energy;
    ++metered;
  }
  if (metered == 0 || metered < profile.nodes().size()) return std::nullopt;
  return sum;
}

std::optional<Joules> metered_energy(const std::string& profile_file) {
  try {
    return energy_by_meters(load_profile(profile_file));
  } catch (const Error&) {  // removed, or not readable: then its energy is not known
    return std::nullopt;
  }
}

}  // namespace huddle::predict
