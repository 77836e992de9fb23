#include "profiles/formats/decision.hpp"

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

TEST_CASE("a job that is measured as submitted has no plan") {
  const Decision read =
      parse_decision(to_json({Action::kMeasure, "no profile yet", "", 0, 0}), "d");
  CHECK(read.action == Action::kMeasure);
  CHECK_FALSE(read.lays_out());
}

TEST_CASE("a field of a decision that is missing or wrong is named") {
  const std::string any = "a whole number from 0 to 4294967295";
  const std::vector<BrokenField> table = {
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
            parse_decision(with_field(to_json(kApply), broken.pointer, broken.value), "d");
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
