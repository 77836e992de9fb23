// The comparison of two runs, for programs.

#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/waitstates/comparison/run_comparison.hpp"

namespace huddle::waitstates {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const RunComparison::Run& run) {
  return {{"trace", run.trace}, {"ranks", run.ranks}};
}

Json change_json(const RunChange& change) {
  return {{"before", change.before}, {"after", change.after}, {"change", change.difference()}};
}

}  // namespace

std::string comparison_json(const RunComparison& comparison) {
  Json json = {{"before", run_json(comparison.before)},
               {"after", run_json(comparison.after)},
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

}  // namespace huddle::waitstates
