#include "spank_plugin/charm/cpu_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

namespace huddle::charm {
namespace {

/// The numbers at the file's begin, as many as there are.
std::vector<double> numbers_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<double> numbers;
  for (double number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

std::vector<Hertz> steps_of(const std::filesystem::path& policy) {
  constexpr double kKilohertz = 1e3;
  std::vector<Hertz> steps;
  for (const double khz : numbers_in(policy / "scaling_available_frequencies"))
    if (khz > 0) steps.push_back({khz * kKilohertz});
  std::sort(steps.begin(), steps.end());
  if (!steps.empty()) return steps;
  const std::vector<double> least = numbers_in(policy / "cpuinfo_min_freq");
  const std::vector<double> most = numbers_in(policy / "cpuinfo_max_freq");
  if (least.empty() || most.empty() || !(least[0] > 0) || most[0] < least[0] || most[0] > 1e8)
    return {};
  constexpr double kStepKhz = 1e5;
  for (double khz = least[0]; khz < most[0]; khz += kStepKhz) steps.push_back({khz * kKilohertz});
  steps.push_back({most[0] * kKilohertz});
  return steps;
}

}  // namespace

std::optional<CpuClock> read_cpu_clock(std::uint32_t cpu, const std::filesystem::path& sysfs) {
  const std::filesystem::path folder = sysfs / "devices/system/cpu" / fmt::format("cpu{}", cpu);
  const std::filesystem::path policy = folder / "cpufreq";
  CpuClock clock;
  clock.steps = steps_of(policy);
  if (clock.steps.empty()) return std::nullopt;
  // All CPUs of a policy name the same ones; the first stands for it.
  const std::vector<double> related = numbers_in(policy / "related_cpus");
  clock.policy = related.empty() ? cpu : static_cast<std::uint32_t>(related.front());
  const std::vector<double> package = numbers_in(folder / "topology/physical_package_id");
  if (!package.empty() && package[0] >= 0) clock.package = static_cast<std::uint32_t>(package[0]);
  return clock;
}

std::vector<std::uint32_t> clock_domains(std::span<const PePlace> places, ClockGrain grain) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Key, std::uint32_t> numbers;
  std::vector<std::uint32_t> domains;
  for (std::uint32_t pe = 0; pe < places.size(); ++pe) {
    const PePlace& place = places[pe];
    Key key{place.node, 0, 0};
    if (grain == ClockGrain::kFine)
      key = {place.node, 1, pe};
    else if (place.bound)
      key = grain == ClockGrain::kCoarse ? Key{place.node, 2, place.package}
                                         : Key{place.node, 3, place.policy};
    domains.push_back(
        numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return domains;
}

}  // namespace huddle::charm
