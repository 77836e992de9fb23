#include "aggregator/recommend/detail/program_predictor.hpp"

#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/pattern/pattern.hpp"

namespace huddle::recommend {

predict::ComputationPredictor predictor_of_program(const std::vector<const Profile*>& runs,
                                                   const Machine& machine,
                                                   const commgraph::NodeTopology& node,
                                                   const predict::ComputationModel* model,
                                                   std::optional<ComputationMethod> method,
                                                   std::optional<Seconds> core_time) {
  predict::PredictorOptions settings;
  settings.method = method;
  settings.node = predict::full_pattern(node);
  settings.memory_streams = machine.memory_streams;
  settings.core_time = core_time;
  predict::SampleOptions sampling;
  sampling.may_only_communicate = true;
  return {predict::samples_of_program(runs, node, sampling), model, settings};
}

}  // namespace huddle::recommend
