// Efficiencies of a run, and of runs side by side.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/efficiency/busiest_pair.hpp"
#include "aggregator/efficiency/counter_rates.hpp"
#include "aggregator/efficiency/page/efficiency_page.hpp"
#include "aggregator/efficiency/report/efficiency_json.hpp"
#include "aggregator/efficiency/report/efficiency_text.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {

std::string run_efficiency_text(const std::optional<efficiency::RunEfficiency>& run,
                                const render::RunSummary& summary) {
  if (!run) return {};
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  for (const render::PhaseGroupSummary& phase : summary.phase_groups)
    numbers.emplace(phase.group.id, numbers.size() + 1);
  return efficiency::efficiency_text(*run, [&](std::uint64_t id) { return numbers.at(id); });
}

std::string show_scaling(const efficiency::Scaling& scaling, bool json) {
  if (!json) return scaling_text(scaling);
  return scaling_json(scaling).dump(1, ' ', false,
                                    nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string program_name(const Profile& profile) {
  const std::string program = std::filesystem::path(profile.executable).filename().string();
  return program.empty() ? profile.label : program;
}

std::string run_efficiency_page(const Profile& profile, const render::RunSummary& summary,
                                const PlaceNames& places, const std::string& file) {
  const std::optional<efficiency::RunEfficiency> run = efficiency::efficiency_of(profile);
  if (!run) throw Error(file + ": it has no times of ranks, so it says nothing of efficiency");
  std::vector<efficiency::PhasePlaces> phases;
  for (const render::PhaseGroupSummary& phase : summary.phase_groups)
    phases.push_back(
        {phase.group.id, places.named(phase.group.begin), places.named(phase.group.end)});
  return efficiency_page({program_name(profile), profile.started_at, render::known_nodes(profile)},
                         *run, efficiency::counter_rates_of(profile),
                         efficiency::busiest_pair_of(profile), phases);
}

}  // namespace huddle::cli
