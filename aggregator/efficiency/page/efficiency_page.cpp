#include "aggregator/efficiency/page/efficiency_page.hpp"

#include "aggregator/efficiency/report/efficiency_json.hpp"
#include "aggregator/render/webpage/web_page.hpp"

namespace huddle::efficiency {

std::string efficiency_page(const RunTitle& title, const RunEfficiency& run,
                            const CounterRates& rates, const std::optional<BusiestPair>& pair,
                            const std::vector<PhasePlaces>& places) {
  nlohmann::ordered_json data = {
      {"program", title.program}, {"started", title.started}, {"nodes", title.nodes}};
  data["efficiency"] = efficiency_json(run, rates, pair);
  data["places"] = nlohmann::ordered_json::array();
  for (const PhasePlaces& place : places)
    data["places"].push_back({{"id", place.id}, {"begin", place.begin}, {"end", place.end}});
  return render::web_page(render::kEfficiencyPage, data);
}

std::string scaling_page(const std::string& program, const Scaling& scaling) {
  return render::web_page(render::kEfficiencyPage,
                          {{"program", program}, {"scaling", scaling_json(scaling)}});
}

}  // namespace huddle::efficiency
