#include "profiles/formats/document/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profiles/formats/machine/machine_fields.hpp"
#include "profiles/formats/model/detail/model_names.hpp"
#include "profiles/formats/model/model.hpp"

namespace huddle {
namespace {

// Exponentials of what is read are taken: beyond these nothing is meant, and much overflows.
constexpr double kFarthestParameter = 100;
constexpr double kLargestVariance = 1e6;

double read_share(const Field& field) {
  const double value = field.number();
  if (value < 0 || value > 1) field.fail("a number from 0 to 1");
  return value;
}

double read_parameter(const Field& field) {
  const double value = field.number();
  if (std::abs(value) > kFarthestParameter)
    field.fail(fmt::format("a number from -{0} to {0}", kFarthestParameter));
  return value;
}

template <class Read>
auto read_all(const Field& field, std::size_t least, Read&& read) {
  std::vector<decltype(read(field))> all;
  field.for_each([&](const Field& entry) { all.push_back(read(entry)); });
  if (all.size() < least) field.fail(fmt::format("an array of at least {}", least));
  return all;
}

ModelSample read_sample(const Field& field) {
  ModelSample sample;
  sample.pattern = read_pattern(field.at("pattern"));
  sample.time.value = read_positive(field.at("time_s"));
  sample.relative_error = field.at("relative_error").non_negative();
  field.at("counts").for_each_member([&](const std::string& event, const Field& count) {
    sample.counts[event] = count.non_negative();
  });
  if (field.has("clock_hz")) sample.clock = read_positive(field.at("clock_hz"));
  return sample;
}

std::set<std::string> patterns_of(const ModelGroup& group) {
  std::set<std::string> patterns;
  for (const ModelSample& sample : group.samples) patterns.insert(sample.pattern);
  return patterns;
}

ModelGroup read_group(const Field& field) {
  ModelGroup group;
  group.name = field.at("name").text();
  const Field samples = field.at("samples");
  group.samples = read_all(samples, 1, read_sample);
  if (patterns_of(group).size() != group.samples.size()) samples.fail("each pattern once");
  return group;
}

ModelProgram read_program(const Field& field) {
  ModelProgram program;
  program.program = field.at("program").text();
  program.run = field.at("run").text();
  program.has_events = field.at("events").boolean();
  const Field groups = field.at("groups");
  program.groups = read_all(groups, 1, read_group);
  for (const ModelGroup& group : program.groups)
    if (patterns_of(group) != patterns_of(program.groups.front()))
      groups.fail("groups with samples on the same patterns");
  return program;
}

template <std::size_t kCount>
std::array<double, kCount> read_numbers(const Field& field, double farthest) {
  if (field.array_size() != kCount) field.fail(fmt::format("an array of {} numbers", kCount));
  std::array<double, kCount> numbers{};
  for (std::size_t i = 0; i < kCount; ++i) {
    numbers[i] = field.element(i).number();
    if (std::abs(numbers[i]) > farthest)
      field.element(i).fail(fmt::format("a number from -{0} to {0}", farthest));
  }
  return numbers;
}

// Sylvester's criterion, with some room: a Cholesky factor must exist in floating point, too.
bool positive_definite(const std::array<double, 9>& c) {
  constexpr double kRoom = 1e-12;
  const bool symmetric = c[1] == c[3] && c[2] == c[6] && c[5] == c[7];
  const double minor = c[0] * c[4] - c[1] * c[1];
  const double determinant = c[0] * (c[4] * c[8] - c[5] * c[5]) -
                             c[1] * (c[1] * c[8] - c[5] * c[2]) +
                             c[2] * (c[1] * c[5] - c[4] * c[2]);
  return symmetric && c[0] > kRoom && c[4] > kRoom && c[8] > kRoom && minor > kRoom * c[0] * c[4] &&
         determinant > kRoom * c[0] * c[4] * c[8];
}

ModelShape read_shape(const Field& field) {
  ModelShape shape;
  const Field name = field.at("shape");
  shape.shape = name.text();
  if (std::find(kModelShapeNames.begin(), kModelShapeNames.end(), shape.shape) ==
      kModelShapeNames.end())
    name.fail("\"roofline\", \"serial\", \"overlap\", \"queueing\" or \"power\"");
  shape.weight = read_share(field.at("weight"));
  const Field machine = field.at("machine");
  for (std::size_t i = 0; i < kModelMachineNames.size(); ++i) {
    const std::string_view parameter = kModelMachineNames[i];
    const auto optional =
        std::find_if(kOptionalModelParameters.begin(), kOptionalModelParameters.end(),
                     [&](const OptionalParameter& other) { return other.name == parameter; });
    const bool absent = optional != kOptionalModelParameters.end() && !machine.has(parameter);
    shape.machine[i] = absent ? optional->value : read_parameter(machine.at(parameter));
  }
  const Field demand = field.at("demand");
  shape.demand_mean = read_numbers<kModelDemandParameters>(demand.at("mean"), kFarthestParameter);
  const Field covariance = demand.at("covariance");
  shape.demand_covariance = read_numbers<9>(covariance, kLargestVariance);
  if (!positive_definite(shape.demand_covariance))
    covariance.fail("a symmetric positive definite matrix");
  const Field tolerance = field.at("tolerance");
  shape.time_tolerance = read_positive(tolerance.at("time"));
  shape.growth_tolerance = read_positive(tolerance.at("growth"));
  shape.traffic_tolerance = read_positive(tolerance.at("traffic"));
  return shape;
}

ModelPaperFit read_paper_fit(const Field& field) {
  ModelPaperFit fit;
  fit.target = read_pattern(field.at("target"));
  if (field.has("ipc_class")) fit.ipc_class = field.at("ipc_class").unsigned_32(3);
  fit.constant = field.at("constant").number();
  fit.coefficients =
      read_all(field.at("coefficients"), 0, [](const Field& entry) { return entry.number(); });
  fit.strength = field.at("ridge").non_negative();
  fit.rows = field.at("samples").unsigned_32();
  if (field.has("left_out_error")) fit.left_out_error = field.at("left_out_error").non_negative();
  return fit;
}

ModelLeftOut read_left_out(const Field& field) {
  return {field.at("program").text(),
          field.at("run").text(),
          read_pattern(field.at("pattern")),
          {read_positive(field.at("measured_s"))},
          {read_positive(field.at("predicted_s"))}};
}

// Equations (1) to (3) have so many terms.
std::size_t paper_terms(std::size_t samples, std::size_t events) {
  const std::size_t pairs = samples * (samples - 1) / 2;
  return samples + events * samples + events * pairs + pairs;
}

void read_shared(const Field& field, ModelFit& fit) {
  const Field shapes = field.at("shapes");
  fit.shapes = read_all(shapes, 1, read_shape);
  std::set<std::string> names;
  double sum = 0;
  for (const ModelShape& shape : fit.shapes) {
    names.insert(shape.shape);
    sum += shape.weight;
  }
  if (names.size() != fit.shapes.size()) shapes.fail("each shape once");
  if (std::abs(sum - 1) > 1e-6) shapes.fail("shapes whose weights sum to 1");
  fit.widening = read_positive(field.at("widening"));
  fit.shared_errors = read_all(field.at("left_out"), 0, read_left_out);
}

void read_paper(const Field& field, ModelFit& fit) {
  fit.paper_events =
      read_all(field.at("events"), 0, [](const Field& entry) { return entry.text(); });
  const std::size_t terms = paper_terms(fit.sample_patterns.size(), fit.paper_events.size());
  fit.paper_fits = read_all(field.at("fits"), 0, [&](const Field& entry) {
    ModelPaperFit read = read_paper_fit(entry);
    if (read.coefficients.size() != terms)
      entry.at("coefficients").fail(fmt::format("an array of {}, one for each term", terms));
    return read;
  });
  fit.paper_relative_error = field.at("relative_error").non_negative();
  fit.paper_errors = read_all(field.at("left_out"), 0, read_left_out);
}

ModelFit read_fit(const Field& field) {
  ModelFit fit;
  fit.with_events = field.at("events").boolean();
  const Field patterns = field.at("sample_patterns");
  fit.sample_patterns = read_all(patterns, 1, read_pattern);
  if (std::set(fit.sample_patterns.begin(), fit.sample_patterns.end()).size() !=
      fit.sample_patterns.size())
    patterns.fail("each pattern once");
  read_shared(field.at("shared"), fit);
  read_paper(field.at("paper"), fit);
  return fit;
}

Model read_model(const Field& root) {
  Model model;
  model.machine = root.at("machine").text();
  model.made_from =
      read_all(root.at("made_from"), 0, [](const Field& entry) { return entry.text(); });
  model.programs = read_all(root.at("programs"), 1, read_program);
  const Field fits = root.at("fits");
  model.fits = read_all(fits, 1, read_fit);
  if (model.fits.size() > 2 || model.fits.front().with_events ||
      (model.fits.size() == 2 && !model.fits.back().with_events))
    fits.fail("a fit for times alone, and at most one for hardware events behind it");
  return model;
}

}  // namespace

Model parse_model(std::string_view bytes, std::string_view file) {
  return read_model(Document::parse(bytes, file, Model::kFormat, Model::kVersion).root());
}

Model load_model(const std::filesystem::path& path) {
  const DocumentLimits limits{.file_bytes = std::uint64_t{256} << 20U};
  return read_model(Document::load(path, Model::kFormat, Model::kVersion, limits).root());
}

}  // namespace huddle
