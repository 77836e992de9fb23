// Efficiencies of a run, and of runs side by side.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/efficiency/report/efficiency_json.hpp"
#include "aggregator/efficiency/report/efficiency_text.hpp"

namespace huddle::cli {

std::string run_efficiency_text(const std::optional<efficiency::RunEfficiency>& run,
                                const render::RunSummary& summary) {
  if (!run) return {};
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  for (const render::PhaseGroupSummary& phase : summary.phase_groups)
    numbers.emplace(phase.group.id, numbers.size() + 1);
  return efficiency::efficiency_text(*run, [&](std::uint64_t id) { return numbers.at(id); });
}

std::string show_scaling(std::vector<efficiency::ScalingSample> samples, bool weak, bool json) {
  const efficiency::Scaling scaling = scaling_of(
      std::move(samples), weak ? std::optional(efficiency::ScalingKind::kWeak) : std::nullopt);
  if (!json) return scaling_text(scaling);
  return scaling_json(scaling).dump(1, ' ', false,
                                    nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace huddle::cli
