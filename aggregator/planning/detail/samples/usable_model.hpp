#pragma once

#include <optional>
#include <string>

#include "aggregator/predict/computation/training.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The model that a request names, if jobs may be planned by it.
struct UsableModel {
  std::optional<ComputationModel> model;
  /// Why there is none though the request names one, as a clause for the reason of what is decided;
  /// else empty.
  std::string why_none;
};

/// Jobs are never planned by a model with unacceptable errors (model_quality.hpp): it is as if
/// there were none. Throws SystemError or FormatError if the file can't be read.
UsableModel usable_model(const PlanRequest& request);

}  // namespace huddle
