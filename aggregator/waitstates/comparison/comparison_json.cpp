// What huddle waitstates says of two sides of runs, for programs.

#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/waitstates/comparison/run_comparison.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

Json side_json(const RunComparison::Side& side) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < side.traces.size(); ++i)
    runs.push_back({{"trace", side.traces[i]}, {"ranks", side.ranks[i]}});
  return runs;
}

Json change_json(const RunChange& change) {
  const std::optional<bool> beyond = change.beyond_noise();
  return {{"before", change.before},
          {"after", change.after},
          {"change", change.difference()},
          {"noise", change.noise ? Json(*change.noise) : Json()},
          {"beyond_noise", beyond ? Json(*beyond) : Json()}};
}

}  // namespace

std::string comparison_json(const RunComparison& comparison) {
  Json json = {{"before", side_json(comparison.before)},
               {"after", side_json(comparison.after)},
               {"noise_known", comparison.knows_noise()},
               {"confidence", 1 - kFalseChanges},
               {"run_time_s", change_json(comparison.run_time)},
               {"time_s", change_json(comparison.time)},
               {"mpi_s", change_json(comparison.mpi)},
               {"waiting_s", change_json(comparison.waiting)},
               {"energy_j", change_json(comparison.energy)}};
  json["patterns"] = Json::array();
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    json["patterns"].push_back({{"pattern", name_of(static_cast<WaitPattern>(i))},
                                {"waiting_s", change_json(comparison.by_pattern[i])}});
  json["call_paths"] = Json::array();
  for (const RunComparison::PathChange& path : comparison.paths)
    json["call_paths"].push_back({{"path", path.path.regions},
                                  {"mpi", path.path.mpi},
                                  {"time_s", change_json(path.time)},
                                  {"waiting_s", change_json(path.waiting)},
                                  {"energy_j", change_json(path.energy)},
                                  {"visits", change_json(path.visits)}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace huddle
