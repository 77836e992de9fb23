#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "aggregator/predict/model/model.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/machine_fields.hpp"

namespace huddle::predict {
namespace {

// Exponentials of what is read are taken: beyond these nothing is meant, and much overflows.
constexpr double kFarthestParameter = 100;
constexpr double kLargestVariance = 1e6;

double read_positive(const Field& field) {
  const double value = field.number();
  kAboveZero(field, value);
  return value;
}

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

Pattern pattern_in(const Field& field) {
  kIsPattern(field, field.text());
  return Pattern::parse(field.text());
}

PhaseSample read_sample(const Field& field) {
  PhaseSample sample;
  sample.pattern = pattern_in(field.at("pattern"));
  sample.time.value = read_positive(field.at("time_s"));
  sample.relative_error = field.at("relative_error").non_negative();
  field.at("counts").for_each_member([&](const std::string& event, const Field& count) {
    sample.counts[event] = count.non_negative();
  });
  if (field.has("clock_hz")) sample.clock = read_positive(field.at("clock_hz"));
  return sample;
}

PhaseGroupSamples read_group(const Field& field) {
  PhaseGroupSamples group;
  group.name = field.at("name").text();
  const Field samples = field.at("samples");
  group.samples = read_all(samples, 1, read_sample);
  std::ranges::sort(group.samples, {}, &PhaseSample::pattern);
  if (std::ranges::adjacent_find(group.samples, {}, &PhaseSample::pattern) != group.samples.end())
    samples.fail("each pattern once");
  return group;
}

ProgramSamples read_program(const Field& field) {
  ProgramSamples program;
  program.program = field.at("program").text();
  program.run = field.at("run").text();
  program.has_events = field.at("events").boolean();
  const Field groups = field.at("groups");
  program.groups = read_all(groups, 1, read_group);
  for (const PhaseGroupSamples& group : program.groups)
    if (!std::ranges::equal(group.samples, program.groups.front().samples, {},
                            &PhaseSample::pattern, &PhaseSample::pattern))
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

ContentionShape read_shape_name(const Field& field) {
  const std::string name = field.text();
  for (std::size_t i = 0; i < kContentionShapes; ++i)
    if (name_of(static_cast<ContentionShape>(i)) == name) return static_cast<ContentionShape>(i);
  field.fail("\"roofline\", \"serial\", \"overlap\", \"queueing\" or \"power\"");
}

// The paths of dies and NUMA nodes, and several ranks on a core, are in newer files only: else they
// are as usual.
MachineParameters read_machine_parameters(const Field& field) {
  MachineParameters machine = usual_machine();
  for (std::size_t i = 0; i < machine.size(); ++i) {
    const std::string_view name = kMachineParameterNames[i];
    const bool is_optional = i >= static_cast<std::size_t>(MachineParameter::kDieShare);
    if (!is_optional || field.has(name)) machine[i] = read_parameter(field.at(name));
  }
  return machine;
}

ContentionModel read_shape(const Field& field) {
  ContentionModel shape;
  shape.shape = read_shape_name(field.at("shape"));
  shape.machine = read_machine_parameters(field.at("machine"));
  const Field demand = field.at("demand");
  shape.prior.mean = read_numbers<kDemandParameters>(demand.at("mean"), kFarthestParameter);
  const Field covariance = demand.at("covariance");
  shape.prior.covariance = read_numbers<9>(covariance, kLargestVariance);
  if (!positive_definite(shape.prior.covariance))
    covariance.fail("a symmetric positive definite matrix");
  const Field tolerance = field.at("tolerance");
  shape.tolerances = {read_positive(tolerance.at("time")), read_positive(tolerance.at("growth")),
                      read_positive(tolerance.at("traffic"))};
  return shape;
}

PaperFit read_paper_fit(const Field& field) {
  PaperFit fit;
  fit.target = pattern_in(field.at("target"));
  if (field.has("ipc_class")) fit.ipc_class = field.at("ipc_class").unsigned_32(3);
  fit.fit.constant = field.at("constant").number();
  fit.fit.coefficients =
      read_all(field.at("coefficients"), 0, [](const Field& entry) { return entry.number(); });
  fit.fit.strength = field.at("ridge").non_negative();
  fit.rows = field.at("samples").unsigned_32();
  fit.fit.left_out_error = field.has("left_out_error") ? field.at("left_out_error").non_negative()
                                                       : std::numeric_limits<double>::quiet_NaN();
  return fit;
}

LeftOutPrediction read_left_out(const Field& field) {
  return {field.at("program").text(),
          field.at("run").text(),
          pattern_in(field.at("pattern")),
          {read_positive(field.at("measured_s"))},
          {read_positive(field.at("predicted_s"))}};
}

// Equations (1) to (3) have so many terms.
std::size_t paper_term_count(std::size_t samples, std::size_t events) {
  const std::size_t pairs = samples * (samples - 1) / 2;
  return samples + events * samples + events * pairs + pairs;
}

void read_shared(const Field& field, FittedModels& fit) {
  const Field shapes = field.at("shapes");
  fit.shared.shapes = read_all(shapes, 1, read_shape);
  fit.shared.weights =
      read_all(shapes, 1, [](const Field& entry) { return read_share(entry.at("weight")); });
  std::set<ContentionShape> names;
  for (const ContentionModel& shape : fit.shared.shapes) names.insert(shape.shape);
  if (names.size() != fit.shared.shapes.size()) shapes.fail("each shape once");
  double sum = 0;
  for (const double weight : fit.shared.weights) sum += weight;
  if (std::abs(sum - 1) > 1e-6) shapes.fail("shapes whose weights sum to 1");
  fit.shared.widening = read_positive(field.at("widening"));
  fit.shared_errors.predictions = read_all(field.at("left_out"), 0, read_left_out);
}

void read_paper(const Field& field, FittedModels& fit) {
  fit.paper.sample_patterns = fit.sample_patterns;
  fit.paper.with_events = fit.with_events;
  fit.paper.events =
      read_all(field.at("events"), 0, [](const Field& entry) { return entry.text(); });
  const std::size_t terms = paper_term_count(fit.sample_patterns.size(), fit.paper.events.size());
  fit.paper.fits = read_all(field.at("fits"), 0, [&](const Field& entry) {
    PaperFit read = read_paper_fit(entry);
    if (read.fit.coefficients.size() != terms)
      entry.at("coefficients").fail(fmt::format("an array of {}, one for each term", terms));
    return read;
  });
  fit.paper_relative_error = field.at("relative_error").non_negative();
  fit.paper_errors.predictions = read_all(field.at("left_out"), 0, read_left_out);
}

FittedModels read_fit(const Field& field) {
  FittedModels fit;
  fit.with_events = field.at("events").boolean();
  const Field patterns = field.at("sample_patterns");
  fit.sample_patterns = read_all(patterns, 1, pattern_in);
  if (std::set(fit.sample_patterns.begin(), fit.sample_patterns.end()).size() !=
      fit.sample_patterns.size())
    patterns.fail("each pattern once");
  read_shared(field.at("shared"), fit);
  read_paper(field.at("paper"), fit);
  return fit;
}

Model read_model(const Field& root) {
  Model model;
  ComputationModel& learnt = model.computation;
  model.machine = root.at("machine").text();
  model.made_from =
      read_all(root.at("made_from"), 0, [](const Field& entry) { return entry.text(); });
  learnt.programs = read_all(root.at("programs"), 1, read_program);
  const Field fits = root.at("fits");
  learnt.fits = read_all(fits, 1, read_fit);
  if (learnt.fits.size() > 2 || learnt.fits.front().with_events ||
      (learnt.fits.size() == 2 && !learnt.fits.back().with_events))
    fits.fail("a fit for times alone, and at most one for hardware events behind it");
  const ClockCurve clock(learnt.programs);
  for (FittedModels& fit : learnt.fits)
    for (ContentionModel& shape : fit.shared.shapes) shape.clock = clock;
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

}  // namespace huddle::predict
