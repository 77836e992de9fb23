#include "profiles/formats/plan/decision.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

using Action = Decision::Action;

const Decision kApply{Action::kApply, "packed onto 2 of 8 nodes", "/s/plan.json", 2, 8};

TEST_CASE("each decision survives its text") {
  for (const Action action : {Action::kApply, Action::kMeasure, Action::kLeave}) {
    Decision decision = kApply;
    decision.action = action;
    const Decision read = parse_decision(to_json(decision), "huddle plan");
    CHECK(read.action == action);
    CHECK(read.reason == decision.reason);
    const bool laid_out = action != Action::kLeave;
    CHECK(read.lays_out() == laid_out);
    CHECK(read.plan_file == (laid_out ? "/s/plan.json" : ""));
    CHECK(read.nodes == (laid_out ? 2 : 0));
    CHECK(read.ranks_per_node == (laid_out ? 8 : 0));
    CHECK(to_json(parse_decision(as_cbor(to_json(decision)), "d")) == to_json(decision));
  }
}

TEST_CASE("what is known of a plan goes with the decision, and nothing else does") {
  Decision decision = kApply;
  const Decision bare = parse_decision(to_json(decision), "d");
  CHECK(bare.pattern.empty());
  CHECK_FALSE(bare.frequency.has_value());
  CHECK_FALSE(bare.slowdown.has_value());
  CHECK_FALSE(bare.energy_saving.has_value());
  decision.pattern = "2:2:2";
  decision.frequency = KilohertzRange{1'200'000, 2'400'000};
  decision.slowdown = -0.04;
  decision.energy_saving = 0.71;
  const Decision read = parse_decision(to_json(decision), "d");
  CHECK(read.pattern == "2:2:2");
  CHECK(read.frequency == decision.frequency);
  CHECK(read.slowdown == decision.slowdown);
  CHECK(read.energy_saving == decision.energy_saving);
  // A measured run is laid out, but nothing of it is predicted.
  decision.action = Action::kMeasure;
  const Decision measured = parse_decision(to_json(decision), "d");
  CHECK(measured.pattern == "2:2:2");
  CHECK_FALSE(measured.frequency.has_value());
  CHECK_FALSE(measured.slowdown.has_value());
}

TEST_CASE("a decision may say what its plan takes a node to have") {
  Decision decision = kApply;
  CHECK_FALSE(parse_decision(to_json(decision), "d").node_shape.has_value());
  decision.node_shape = NodeShape{2, 8};
  CHECK(parse_decision(to_json(decision), "d").node_shape == decision.node_shape);
  decision.action = Action::kMeasure;
  CHECK(parse_decision(to_json(decision), "d").node_shape == decision.node_shape);
  decision.action = Action::kLeave;
  CHECK_FALSE(parse_decision(to_json(decision), "d").node_shape.has_value());
}

TEST_CASE("a decision may say that no job has followed its plan yet") {
  Decision decision = kApply;
  CHECK_FALSE(parse_decision(to_json(decision), "d").untried);
  decision.untried = true;
  CHECK(parse_decision(to_json(decision), "d").untried);
  decision.action = Action::kMeasure;
  CHECK_FALSE(parse_decision(to_json(decision), "d").untried);
}

TEST_CASE("a decision hands on the cores of teams, but not for a measured run") {
  Decision decision = kApply;
  CHECK(parse_decision(to_json(decision), "d").teams.empty());
  decision.teams = "bound 0.05;0-3 1f=2";
  decision.teams_reason = "4 % less energy";
  decision.teams_untried = true;
  decision.teams_programs = {{"0a1b", "ffee"}, {"ffee"}};
  CHECK(parse_decision(to_json(decision), "d").teams_programs == decision.teams_programs);
  CHECK(parse_decision(to_json(decision), "d").teams_reason == "4 % less energy");
  CHECK(parse_decision(to_json(decision), "d").teams_untried);
  CHECK(parse_decision(to_json(decision), "d").teams == decision.teams);
  decision.action = Action::kLeave;
  CHECK(parse_decision(to_json(decision), "d").teams == decision.teams);
  decision.action = Action::kMeasure;
  CHECK(parse_decision(to_json(decision), "d").teams.empty());
}

TEST_CASE("a decision may say that its program was built anew") {
  Decision decision = kApply;
  CHECK_FALSE(parse_decision(to_json(decision), "d").unconfirmed);
  decision.unconfirmed = true;
  CHECK(parse_decision(to_json(decision), "d").unconfirmed);
}

TEST_CASE("a job that keeps its nodes can only be one that follows a plan") {
  Decision decision = kApply;
  CHECK_FALSE(parse_decision(to_json(decision), "d").keeps_nodes);
  decision.keeps_nodes = true;
  CHECK(parse_decision(to_json(decision), "d").keeps_nodes);
  decision.action = Action::kMeasure;
  CHECK_FALSE(parse_decision(to_json(decision), "d").keeps_nodes);
}

TEST_CASE("a job that is measured as submitted has no plan") {
  const Decision read =
      parse_decision(to_json({Action::kMeasure, "no profile yet", "", 0, 0}), "d");
  CHECK(read.action == Action::kMeasure);
  CHECK_FALSE(read.lays_out());
}

TEST_CASE("a field of a decision that is missing or wrong is named") {
  const std::string any = "a whole number from 0 to 4294967295";
  const std::string khz = "a whole number from 0 to 1000000000";
  Decision full = kApply;
  full.pattern = "2:2:2";
  full.node_shape = NodeShape{2, 8};
  full.frequency = KilohertzRange{1'200'000, 2'400'000};
  full.slowdown = 0.02;
  full.energy_saving = 0.5;
  const std::vector<BrokenField> table = {
      {"/node_packages", "", "field node_packages", "nothing", "this field"},
      {"/node_packages", "0", "field node_packages", "0", "1 or more"},
      {"/node_cores", "", "field node_cores", "nothing", "this field"},
      {"/node_cores", "65537", "field node_cores", "65537", "a whole number from 0 to 65536"},
      {"/pattern", "2", "field pattern", "2", "a text"},
      {"/frequency_khz", "2400000", "field frequency_khz", "2400000", "an object"},
      {"/frequency_khz/min", "", "field frequency_khz.min", "nothing", "this field"},
      {"/frequency_khz/min", "0", "field frequency_khz.min", "0", "1 or more"},
      {"/frequency_khz/min", "1.5", "field frequency_khz.min", "1.5", khz},
      {"/frequency_khz/max", "1199999", "field frequency_khz.max", "1199999", "min or more"},
      {"/frequency_khz/max", "1000000001", "field frequency_khz.max", "1000000001", khz},
      {"/predicted_slowdown", "\"2 %\"", "field predicted_slowdown", "\"2 %\"", "a finite number"},
      {"/predicted_energy_saving", "1.01", "field predicted_energy_saving", "1.01",
       "a number up to 1"},
      {"/format", "\"huddle/plan\"", "field format", "\"huddle/plan\"", "\"huddle/decision\""},
      {"/version", "9", "field version", "9", "1, the version that this huddle reads"},
      {"/action", "", "field action", "nothing", "this field"},
      {"/action", "\"pack\"", "field action", "\"pack\"", "\"apply\", \"measure\" or \"leave\""},
      {"/action", "0", "field action", "0", "a text"},
      {"/reason", "", "field reason", "nothing", "this field"},
      {"/plan", "", "field plan", "nothing", "this field"},
      {"/plan", "null", "field plan", "null", "a text"},
      {"/nodes", "", "field nodes", "nothing", "this field"},
      {"/nodes", "0", "field nodes", "0", "1 or more"},
      {"/nodes", "-2", "field nodes", "-2", any},
      {"/nodes", "4294967296", "field nodes", "4294967296", any},
      {"/ranks_per_node", "0", "field ranks_per_node", "0", "1 or more"},
      {"/ranks_per_node", "8.0", "field ranks_per_node", "8.0", any},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.pointer);
    CAPTURE(broken.value);
    CHECK(error_of<FormatError>([&] {
            parse_decision(with_field(to_json(full), broken.pointer, broken.value), "d");
          }) == message_of(broken, "d"));
  }
}

TEST_CASE("an answer that is cut, empty or no decision at all is an error") {
  std::string whole = to_json(kApply);
  while (whole.back() == '\n') whole.pop_back();
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(parse_decision(whole.substr(0, length), "d"), FormatError);
  CHECK_THROWS_AS(parse_decision("bash: huddle: not found\n", "d"), FormatError);
}

}  // namespace
}  // namespace huddle
