#include "profiles/formats/outcome/outcome.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

Outcome packed_run() {
  Outcome outcome;
  outcome.user = "anna";
  outcome.label = "halo \"8\"";
  outcome.ranks = 16;
  outcome.treatment = Treatment::kPacked;
  outcome.reason = "packed onto 2 of 8 nodes";
  outcome.frequencies_set = true;
  outcome.plan_file = "/s/plan.json";
  outcome.run =
      OutcomeRun{"site", 17, 2, OutcomeRun::ArrayTask{16, 3}, 2, *parse_utc("2026-11-22")};
  outcome.run->tasks = 4;
  outcome.run->placed_by = "--nodes";
  outcome.run->program = "app";
  outcome.end = OutcomeEnd{Seconds{12.5}, 137, Seconds{14}};
  outcome.prediction = OutcomePrediction{"2:2:2",    Seconds{10}, 0.02,         Joules{2000},
                                         Hertz{2e9}, 8,           Seconds{9.8}, Joules{6000}};
  outcome.prediction->time_low = Seconds{9.9};
  outcome.prediction->time_high = Seconds{10.3};
  outcome.prediction->coverage = Coverage::kInterpolated;
  outcome.prediction->rests_on = "measured runs with denser ranks";
  outcome.prediction->slowdown_bound = 0.03;
  return outcome;
}

TEST_CASE("a record survives its text, whatever is known so far") {
  Outcome outcome = packed_run();
  const Outcome read = parse_outcome(to_json(outcome), "o");
  CHECK(read.label == outcome.label);
  CHECK(read.treatment == Treatment::kPacked);
  CHECK(read.frequencies_set);
  CHECK(read.run->array == outcome.run->array);
  CHECK(read.run->start == outcome.run->start);
  CHECK(read.run->tasks == 4U);
  CHECK(read.run->placed_by == "--nodes");
  CHECK(read.run->program == "app");
  CHECK(read.end->status == 137);
  CHECK(read.end->job_elapsed == Seconds{14});
  CHECK(read.prediction->reference_energy == Joules{6000});
  CHECK(read.prediction->time_low == Seconds{9.9});
  CHECK(read.prediction->time_high == Seconds{10.3});
  CHECK(read.prediction->slowdown_bound == 0.03);
  CHECK(read.prediction->coverage == Coverage::kInterpolated);
  CHECK(read.prediction->rests_on == "measured runs with denser ranks");
  for (int step = 0; step < 5; ++step) {
    if (step == 1) outcome.prediction->energy = std::nullopt;
    if (step == 2) outcome.prediction = std::nullopt;
    if (step == 3) outcome.run->step = std::nullopt;
    if (step == 4) outcome.run = std::nullopt;  // as a submission hands it on
    if (step == 4) outcome.end = std::nullopt;
    CHECK(to_json(parse_outcome(to_json(outcome), "o")) == to_json(outcome));
    CHECK(to_json(parse_outcome(as_cbor(to_json(outcome)), "o")) == to_json(outcome));
  }
}

TEST_CASE("each treatment survives its text") {
  for (const Treatment treatment :
       {Treatment::kMeasured, Treatment::kPacked, Treatment::kLeft, Treatment::kGrouped}) {
    Outcome outcome = packed_run();
    outcome.treatment = treatment;
    CHECK(parse_outcome(to_json(outcome), "o").treatment == treatment);
  }
  CHECK(name_of(Treatment::kGrouped) == "grouped");
}

TEST_CASE("a record is one line, since it travels in an environment variable") {
  Outcome outcome = packed_run();
  outcome.reason = "two\nlines";
  CHECK(to_json(outcome).find('\n') == to_json(outcome).size() - 1);
}

TEST_CASE("each treatment has its word") {
  for (const Treatment treatment : {Treatment::kMeasured, Treatment::kPacked, Treatment::kLeft}) {
    Outcome outcome = packed_run();
    outcome.treatment = treatment;
    CHECK(parse_outcome(to_json(outcome), "o").treatment == treatment);
  }
}

TEST_CASE("a field of a record that is missing or wrong is named") {
  const std::string any = "a whole number from 0 to 4294967295";
  const std::vector<BrokenField> table = {
      {"/format", "\"huddle/plan\"", "field format", "\"huddle/plan\"", "\"huddle/outcome\""},
      {"/version", "2", "field version", "2", "1, the version that this huddle reads"},
      {"/ranks", "0", "field ranks", "0", "1 or more"},
      {"/treatment", "\"pushed\"", "field treatment", "\"pushed\"",
       "\"measured\", \"packed\", \"left\" or \"grouped\""},
      {"/reason", "", "field reason", "nothing", "this field"},
      {"/run/job", "0", "field run.job", "0", "1 or more"},
      {"/run/nodes", "0", "field run.nodes", "0", "1 or more"},
      {"/run/step", "-1", "field run.step", "-1", any},
      {"/run/array_task", "", "field run.array_task", "nothing", "this field"},
      {"/run/start", "\"yesterday\"", "field run.start", "\"yesterday\"",
       "a time of UTC such as 2026-11-22T00:39:49.123Z"},
      {"/end/status", "256", "field end.status", "256", "a whole number from 0 to 255"},
      {"/end/elapsed_s", "-1", "field end.elapsed_s", "-1", "a number, 0 or more"},
      {"/prediction/reference/nodes", "0", "field prediction.reference.nodes", "0", "1 or more"},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.pointer);
    CHECK(error_of<FormatError>([&] {
            parse_outcome(with_field(to_json(packed_run()), broken.pointer, broken.value), "o");
          }) == message_of(broken, "o"));
  }
}

TEST_CASE("what a plan promised is taken over") {
  Plan plan;
  plan.chosen.pattern = "1:2:2";
  plan.chosen.time = Seconds{3};
  plan.chosen.slowdown = 0.01;
  plan.slowdown_bound = 0.05;
  plan.chosen.energy = Joules{5};
  plan.reference.nodes = 4;
  plan.reference.time = Seconds{2.9};
  plan.frequency = Hertz{1.8e9};
  const OutcomePrediction prediction = prediction_of(plan);
  CHECK(prediction.pattern == "1:2:2");
  CHECK(prediction.energy == Joules{5});
  CHECK(prediction.slowdown_bound == 0.05);
  CHECK(prediction.frequency == Hertz{1.8e9});
  CHECK(prediction.reference_nodes == 4);
  CHECK_FALSE(prediction.reference_energy);
}

}  // namespace
}  // namespace huddle
