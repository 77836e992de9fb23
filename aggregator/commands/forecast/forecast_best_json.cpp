// What huddle forecast best prints for programs: docs/formats/forecast.md.

#include <nlohmann/json.hpp>

#include "aggregator/commands/forecast/forecast_best_output.hpp"
#include "aggregator/forecast/containing_json.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& into, const char* name, const char* unit, const std::optional<Estimate>& estimate) {
  const std::string key(name);
  into[key + unit] = estimate ? Json(estimate->value) : Json();
  into[key + "_low" + unit] = estimate ? Json(estimate->low) : Json();
  into[key + "_high" + unit] = estimate ? Json(estimate->high) : Json();
}

Json encoded(const BestCandidate& candidate) {
  const ForecastAt& forecast = candidate.forecast;
  Json out = {{"processes", forecast.where.processes},
              {"threads", forecast.where.threads},
              {"frequency_ghz", forecast.where.frequency_ghz}};
  put(out, "time", "_s", forecast.time_s);
  put(out, "energy", "_j", forecast.energy_j);
  put(out, "edp", "_js", candidate.edp_js);
  out["slowdown"] = candidate.slowdown ? Json(*candidate.slowdown) : Json();
  out["measured_rows"] = forecast.measured_rows;
  out["time_model"] = forecast.time_model;
  out["energy_model"] = forecast.energy_model;
  out["beyond"] = forecast.beyond;
  out["feasible"] = candidate.feasible;
  out["reason"] = candidate.why_not;
  out["alike"] = candidate.alike;
  return out;
}

}  // namespace

std::string best_json(const BestAnswer& answer) {
  const BestConfiguration& best = answer.best;
  const BestCandidate* chosen = best.chosen();
  Json out = {{"size", answer.size_told ? Json(answer.size) : Json()},
              {"objective", name_of(answer.options.objective)},
              {"slowdown_bound",
               answer.options.most_slowdown ? Json(*answer.options.most_slowdown) : Json()},
              {"certain", answer.options.certain},
              {"chosen", chosen != nullptr ? encoded(*chosen) : Json()},
              {"reference", best.reference ? encoded(*best.reference) : Json()},
              {"candidates", Json::array()},
              {"left_out", best.left_out},
              {"containing", containing_json(answer.containing)},
              {"remarks", best.remarks}};
  for (const BestCandidate& candidate : best.candidates)
    out["candidates"].push_back(encoded(candidate));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace huddle
