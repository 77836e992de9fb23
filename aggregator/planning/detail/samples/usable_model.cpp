#include "aggregator/planning/detail/samples/usable_model.hpp"

#include <fmt/format.h>

#include "aggregator/predict/computation/model_conversion.hpp"
#include "aggregator/predict/computation/model_quality.hpp"
#include "profiles/formats/model/model.hpp"

namespace huddle {

UsableModel usable_model(const PlanRequest& request) {
  if (request.model.empty()) return {};
  UsableModel usable{model_from(load_model(request.model)), {}};
  const ModelQuality quality = quality_of(*usable.model);
  if (quality.acceptable()) return usable;
  return {std::nullopt,
          fmt::format("; the model {} is not used: its errors on programs left out are {}, "
                      "expected {}",
                      request.model.string(), text_of(quality), expected_quality())};
}

}  // namespace huddle
