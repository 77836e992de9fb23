#include "aggregator/predict/model/model.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

// Every field has a value of its own.
Model sample_model() {
  Model model;
  model.machine = "cluster";
  model.made_from = {"a.json", "b.cbor"};
  const PhaseSample sparse{{1, 1, 1}, {10}, 0.002, {{"cycles", 3e10}, {"instructions", 6e10}}, 3e9};
  const PhaseSample dense{{2, 2, 2}, {14}, 0.004, {{"cycles", 4.2e10}, {"instructions", 6e10}}, {}};
  ProgramSamples& program = model.computation.programs.emplace_back();
  program.program = "app /opt/app";
  program.run = "app on 8 ranks";
  program.has_events = true;
  program.groups = {{"everything", {sparse, dense}}};
  FittedModels times;
  times.sample_patterns = {{1, 1, 1}, {2, 2, 2}};
  const ContentionModel serial{ContentionShape::kSerial,
                               {-1, -1.5, 0.1, 0.5, -1, -18, -2, -3, -0.4},
                               {{-0.5, -1.5, 1}, {4, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 1}},
                               {0.01, 0.05, 0.3},
                               {}};
  ContentionModel power = serial;
  power.shape = ContentionShape::kPower;
  times.shared = {{serial, power}, {0.75, 0.25}, 1.5};
  times.shared_errors.predictions = {{"app /opt/app", "app on 8 ranks", {1, 2, 2}, {12}, {12.5}}};
  times.paper.fits = {{{1, 2, 2}, {}, {{1, 2, 3}, 0.5, 0.01, std::nan("")}, 9}};
  times.paper_relative_error = 0.02;
  times.paper_errors.predictions = {{"app /opt/app", "app on 8 ranks", {1, 2, 2}, {12}, {11.5}}};
  FittedModels events = times;
  events.with_events = true;
  events.paper.events = {"cache-misses"};
  events.paper.fits = {{{1, 2, 2}, 2, {{1, 2, 3, 4, 5, 6}, 0.25, 0, 0.03}, 12}};
  model.computation.fits = {times, events};
  return model;
}

TEST_CASE("every field of a model survives a file, JSON or CBOR") {
  const store::TemporaryDirectory directory;
  const Model model = sample_model();
  save_model(model, directory.path() / "m.json");
  CHECK(store::get_file(directory.path() / "m.json") == to_json(model));
  CHECK(to_json(load_model(directory.path() / "m.json")) == to_json(model));
  CHECK(to_json(parse_model(as_cbor(to_json(model)), "m")) == to_json(model));
}

TEST_CASE("parameters that older files lack are as usual") {
  const std::string machine = "/fits/0/shared/shapes/0/machine/";
  std::string document = to_json(sample_model());
  for (const char* name : {"log_die_share", "log_numa_share", "log_thread_cost"})
    document = with_field(document, machine + name, "");
  const MachineParameters read =
      parse_model(document, "m").computation.fits[0].shared.shapes[0].machine;
  CHECK(read[0] == -1);
  for (std::size_t i = 6; i < 9; ++i) CHECK(read[i] == usual_machine()[i]);
}

TEST_CASE("a field of a model that is missing or wrong is named") {
  const std::string pattern = "a pattern such as \"2:1:2\"";
  const std::string group = "/programs/0/groups/0";
  const std::string shape = "/fits/0/shared/shapes/0";
  const std::string at_shape = "field fits[0].shared.shapes[0]";
  const std::vector<BrokenField> table = {
      {"/format", "\"huddle/plan\"", "field format", "\"huddle/plan\"", "\"huddle/model\""},
      {"/version", "2", "field version", "2", "1, the version that this huddle reads"},
      {"/machine", "", "field machine", "nothing", "this field"},
      {"/programs", "[]", "field programs", "an array of 0", "an array of at least 1"},
      {group + "/samples", "[]", "field programs[0].groups[0].samples", "an array of 0",
       "an array of at least 1"},
      {group + "/samples/0/pattern", "\"2:1\"", "field programs[0].groups[0].samples[0].pattern",
       "\"2:1\"", pattern},
      {group + "/samples/0/pattern", "\"2:0:1\"", "field programs[0].groups[0].samples[0].pattern",
       "\"2:0:1\"", pattern},
      {group + "/samples/0/pattern", "\"2:1:1:1:1:1\"",
       "field programs[0].groups[0].samples[0].pattern", "\"2:1:1:1:1:1\"", pattern},
      {group + "/samples/0/pattern", "\"2:2:2\"", "field programs[0].groups[0].samples",
       "an array of 2", "each pattern once"},
      {group + "/samples/0/time_s", "0", "field programs[0].groups[0].samples[0].time_s", "0",
       "a number above 0"},
      {group + "/samples/0/counts", "[]", "field programs[0].groups[0].samples[0].counts",
       "an array of 0", "an object"},
      {group + "/samples/0/counts/cycles", "-1",
       "field programs[0].groups[0].samples[0].counts.cycles", "-1", "a number, 0 or more"},
      {"/fits", "[]", "field fits", "an array of 0", "an array of at least 1"},
      {"/fits/0/events", "true", "field fits", "an array of 2",
       "a fit for times alone, and at most one for hardware events behind it"},
      {"/fits/0/sample_patterns/1", "\"1:1:1\"", "field fits[0].sample_patterns", "an array of 2",
       "each pattern once"},
      {shape + "/shape", "\"cubic\"", at_shape + ".shape", "\"cubic\"",
       "\"roofline\", \"serial\", \"overlap\", \"queueing\" or \"power\""},
      {shape + "/shape", "\"power\"", "field fits[0].shared.shapes", "an array of 2",
       "each shape once"},
      {shape + "/weight", "1.5", at_shape + ".weight", "1.5", "a number from 0 to 1"},
      {shape + "/weight", "0.5", "field fits[0].shared.shapes", "an array of 2",
       "shapes whose weights sum to 1"},
      {shape + "/machine/cache_curve", "1e3", at_shape + ".machine.cache_curve", "1000.0",
       "a number from -100 to 100"},
      {shape + "/demand/mean", "[1]", at_shape + ".demand.mean", "an array of 1",
       "an array of 3 numbers"},
      {shape + "/demand/covariance/0", "-1", at_shape + ".demand.covariance", "an array of 9",
       "a symmetric positive definite matrix"},
      {shape + "/demand/covariance/1", "0.2", at_shape + ".demand.covariance", "an array of 9",
       "a symmetric positive definite matrix"},
      {shape + "/tolerance/time", "0", at_shape + ".tolerance.time", "0", "a number above 0"},
      {"/fits/0/shared/widening", "-1", "field fits[0].shared.widening", "-1", "a number above 0"},
      {"/fits/0/shared/left_out/0/measured_s", "0", "field fits[0].shared.left_out[0].measured_s",
       "0", "a number above 0"},
      {"/fits/1/paper/fits/0/ipc_class", "4", "field fits[1].paper.fits[0].ipc_class", "4",
       "a whole number from 0 to 3"},
      {"/fits/1/paper/fits/0/coefficients", "[1]", "field fits[1].paper.fits[0].coefficients",
       "an array of 1", "an array of 6, one for each term"},
      {"/fits/0/paper/relative_error", "-1", "field fits[0].paper.relative_error", "-1",
       "a number, 0 or more"},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.pointer);
    CAPTURE(broken.value);
    const std::string document = with_field(to_json(sample_model()), broken.pointer, broken.value);
    CHECK(error_of<FormatError>([&] { parse_model(document, "m"); }) == message_of(broken, "m"));
  }
}

}  // namespace
}  // namespace huddle::predict
