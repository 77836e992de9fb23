#include "aggregator/predict/computation/model_quality.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

ModelErrors errors(const std::vector<double>& of) {
  ModelErrors made;
  for (const double error : of)
    made.predictions.push_back({"p", "p", {1, 1, 1}, {1.0}, {1.0 + error}});
  return made;
}

ComputationModel model_with(const std::vector<std::vector<double>>& shared_errors_of_fits) {
  ComputationModel model;
  for (const std::vector<double>& of_fit : shared_errors_of_fits) {
    FittedModels fitted;
    fitted.shared_errors = errors(of_fit);
    model.fits.push_back(fitted);
  }
  return model;
}

TEST_CASE("a model is acceptable up to the limits that are stated") {
  CHECK(quality_of(model_with({{0.01, -0.02}})).acceptable());
  CHECK(quality_of(model_with({{0.105, -0.39, 0.0, 0.0}})).acceptable());
  CHECK_FALSE(quality_of(model_with({{0.2, -0.2}})).acceptable());
  // Right on average, and nobody knows for which program.
  CHECK_FALSE(quality_of(model_with({{0.7, 0, 0, 0, 0, 0, 0}})).acceptable());
  CHECK(expected_quality() == "at most 15 % on average and 60 % at worst");
}

TEST_CASE("a model is as good as its default method, and as its fit that errs most") {
  ComputationModel model = model_with({{0.5, 0.5}});
  model.fits[0].paper_errors = errors({0.01, -0.03});
  CHECK(quality_of(model).mean == doctest::Approx(0.02));
  CHECK(quality_of(model).worst == doctest::Approx(0.03));
  model = model_with({{0.4, 0.4}, {0.01, 0.01}});
  CHECK(quality_of(model).mean == doctest::Approx(0.4));
  CHECK_FALSE(quality_of(model).acceptable());
}

TEST_CASE("a model that was never tried on a program left out is not acceptable") {
  const ModelQuality quality = quality_of(model_with({{}}));
  CHECK_FALSE(quality.acceptable());
  CHECK(text_of(quality) == "unknown");
}

TEST_CASE("errors are stated in percent, and absurd ones as such") {
  CHECK(text_of({0.012, 0.09}) == "1.2 % on average and 9.0 % at worst");
  CHECK(text_of({0.39, 2.5e12}) == "39.0 % on average and more than 10000 % at worst");
}

}  // namespace
}  // namespace huddle::predict
