#include "aggregator/predict/model/model.hpp"

#include <cmath>

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are a model whose weights are shares and which survives its text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto model = parsed([&] { return predict::parse_model(as_text(data, size), "fuzz"); });
  if (!model) return 0;
  demand(!model->computation.programs.empty() && !model->computation.fits.empty());
  for (const predict::FittedModels& fit : model->computation.fits) {
    double sum = 0;
    for (const double weight : fit.shared.weights) sum += weight;
    demand(std::abs(sum - 1) < 1e-3 && fit.shared.widening > 0);
  }
  const std::string text = to_json(*model);
  demand(to_json(predict::parse_model(text, "again")) == text);
  return 0;
}
