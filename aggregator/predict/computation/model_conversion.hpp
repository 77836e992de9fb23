#pragma once

// Converts what training learnt to and from the model document.

#include "aggregator/predict/computation/training.hpp"
#include "profiles/formats/model/model.hpp"

namespace huddle {

/// Returns the model as a document; `machine` and `made_from` are left empty.
Model document_of(const ComputationModel& model);

/// The other way round. `document` is one that its reader accepts, or was made by document_of().
ComputationModel model_from(const Model& document);

}  // namespace huddle
