#include "profiles/formats/plan/plan.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

const std::string kNothing = "nothing";
const std::string kThis = "this field";
const std::string kAny32 = "a whole number from 0 to 4294967295";

std::string refusal(std::string_view bytes) {
  return error_of<FormatError>([&] { parse_plan(bytes, "p"); });
}

void check_same(const PatternForecast& a, const PatternForecast& b) {
  CHECK(a.pattern == b.pattern);
  CHECK(a.ranks_per_node == b.ranks_per_node);
  CHECK(a.nodes == b.nodes);
  CHECK(a.time == b.time);
  CHECK(a.computation == b.computation);
  CHECK(a.communication == b.communication);
  CHECK(a.slowdown == b.slowdown);
  CHECK(a.energy == b.energy);
  CHECK(a.feasible == b.feasible);
  CHECK(a.reason == b.reason);
  CHECK(a.frequency == b.frequency);
}

TEST_CASE("a forecast says what it rests on, if anybody looked") {
  Plan plan = sample_plan();
  CHECK(to_json(plan).find("coverage") == std::string::npos);
  CHECK_FALSE(parse_plan(to_json(plan), "p").chosen.coverage);
  for (const Coverage coverage :
       {Coverage::kMeasured, Coverage::kInterpolated, Coverage::kModel, Coverage::kNone}) {
    plan.chosen.coverage = coverage;
    plan.chosen.rests_on = "mixed nodes";
    const Plan read = parse_plan(to_json(plan), "p");
    CHECK(read.chosen.coverage == coverage);
    CHECK(read.chosen.rests_on == "mixed nodes");
    CHECK_FALSE(read.reference.coverage);
  }
  const BrokenField broken = {"/chosen/coverage", "\"hope\"", "field chosen.coverage", "\"hope\"",
                              "measured, interpolated, model or none"};
  CHECK(refusal(with_field(to_json(plan), broken.pointer, broken.value)) ==
        message_of(broken, "p"));
}

TEST_CASE("a plan says that it is a trial, or nothing of it") {
  Plan plan = sample_plan();
  CHECK(to_json(plan).find("trial") == std::string::npos);
  plan.trial = true;
  CHECK(parse_plan(to_json(plan), "p").trial);
}

TEST_CASE("a plan says which slowdown was accepted, or nothing of it") {
  Plan plan = sample_plan();
  CHECK(to_json(plan).find("slowdown_bound") == std::string::npos);
  plan.slowdown_bound = 0.03;
  CHECK(parse_plan(to_json(plan), "p").slowdown_bound == 0.03);
}

TEST_CASE("a plan says how many cores a rank has unless that is one") {
  Plan plan = sample_plan();
  CHECK(to_json(plan).find("cores_per_rank") == std::string::npos);
  CHECK(parse_plan(to_json(plan), "p").cores_per_rank == 1);
  plan.cores_per_rank = 4;
  CHECK(parse_plan(to_json(plan), "p").cores_per_rank == 4);
}

TEST_CASE("a plan may say how its ranks shared nodes as submitted, and why they stay in order") {
  Plan plan = sample_plan();
  CHECK(to_json(plan).find("submitted_ranks") == std::string::npos);
  CHECK(parse_plan(to_json(plan), "p").submitted_ranks.empty());
  CHECK(parse_plan(to_json(plan), "p").order_reason.empty());
  plan.submitted_ranks = {2, 1};
  plan.order_reason = "it also runs stage (3 tasks)";
  CHECK(parse_plan(to_json(plan), "p").submitted_ranks == plan.submitted_ranks);
  CHECK(parse_plan(to_json(plan), "p").order_reason == plan.order_reason);
  for (const BrokenField& broken :
       {BrokenField{"/submitted_ranks/1", "2", "field submitted_ranks", "an array of 2",
                    "numbers whose sum is ranks, 3"},
        BrokenField{"/submitted_ranks/1", "0", "field submitted_ranks[1]", "0", "1 or more"}})
    CHECK(refusal(with_field(to_json(plan), broken.pointer, broken.value)) ==
          message_of(broken, "p"));
}

TEST_CASE("a plan may say what it takes a node to have") {
  Plan plan = sample_plan();
  CHECK_FALSE(parse_plan(to_json(plan), "p").node_shape.has_value());
  plan.node_shape = NodeShape{1, 4};
  CHECK(parse_plan(to_json(plan), "p").node_shape == plan.node_shape);
  CHECK(refusal(with_field(to_json(plan), "/node_cores", "0")) ==
        message_of({"/node_cores", "0", "field node_cores", "0", "1 or more"}, "p"));
}

TEST_CASE("a plan may give each rank a frequency of its own, none above the highest") {
  Plan plan = sample_plan();
  plan.frequency = Hertz{2e9};
  CHECK(plan.frequencies_by_rank() == std::vector<Hertz>(3, Hertz{2e9}));
  plan.rank_frequencies = {{2e9}, {1.5e9}, {1e9}};
  CHECK(plan.frequencies_by_rank() == plan.rank_frequencies);
  const std::string text = to_json(plan);
  CHECK(parse_plan(text, "p").rank_frequencies == plan.rank_frequencies);
  CHECK(parse_plan(text, "p").frequency == plan.frequency);
  const std::vector<BrokenField> table = {
      {"/frequency/hz_by_rank", "", "field frequency.hz_by_rank", kNothing, kThis},
      {"/frequency/hz_by_rank", "[1e9]", "field frequency.hz_by_rank", "an array of 1",
       "an array of 3, one for each rank"},
      {"/frequency/hz_by_rank/1", "2.1e9", "field frequency.hz_by_rank[1]", "2100000000.0",
       "at most frequency.hz"},
      {"/frequency/hz_by_rank/1", "0", "field frequency.hz_by_rank[1]", "0", "a number above 0"},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.value);
    CHECK(refusal(with_field(text, broken.pointer, broken.value)) == message_of(broken, "p"));
  }
  plan.frequency.reset();
  CHECK(parse_plan(to_json(plan), "p").frequencies_by_rank().empty());
}

TEST_CASE("every field of a plan survives a file") {
  const store::TemporaryDirectory directory;
  const Plan plan = sample_plan();
  save_plan(plan, directory.path() / "p.json");
  CHECK(store::get_file(directory.path() / "p.json") == to_json(plan));
  const Plan read = load_plan(directory.path() / "p.json");
  CHECK(read.label == plan.label);
  CHECK(read.user == plan.user);
  CHECK(read.ranks == plan.ranks);
  CHECK(read.grouping == plan.grouping);
  check_same(read.reference, plan.reference);
  check_same(read.chosen, plan.chosen);
  REQUIRE(read.runners_up.size() == 1);
  check_same(read.runners_up[0], plan.runners_up[0]);
  REQUIRE(read.placement.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(read.placement[i].node == plan.placement[i].node);
    CHECK(read.placement[i].pus == plan.placement[i].pus);
  }
  CHECK(read.node_pus == plan.node_pus);
  CHECK(read.frequency == plan.frequency);
  CHECK(read.between_nodes == plan.between_nodes);
  CHECK(read.reason == plan.reason);
  CHECK(read.made_from == plan.made_from);
  CHECK(to_json(parse_plan(as_cbor(to_json(plan)), "p")) == to_json(plan));
}

TEST_CASE("the interval of a forecast survives a file, and need not be there") {
  Plan plan = sample_plan();
  CHECK_FALSE(parse_plan(to_json(plan), "p").chosen.time_low);
  plan.chosen.time_low = Seconds{9};
  plan.chosen.time_high = Seconds{10.5};
  const Plan read = parse_plan(to_json(plan), "p");
  CHECK(read.chosen.time_low == plan.chosen.time_low);
  CHECK(read.chosen.time_high == plan.chosen.time_high);
  CHECK_FALSE(read.reference.time_low);
}

TEST_CASE("both groupings have a name in files") {
  Plan plan = sample_plan();
  plan.grouping = Grouping::kRankOrder;
  CHECK(parse_plan(to_json(plan), "p").grouping == Grouping::kRankOrder);
}

TEST_CASE("a field of a plan that is missing or wrong is named") {
  const std::string pus = "a list such as 0-3,8 of PUs below node_pus, 4";
  const std::vector<BrokenField> table = {
      {"/format", "\"huddle/machine\"", "field format", "\"huddle/machine\"", "\"huddle/plan\""},
      {"/version", "2", "field version", "2", "1, the version that this huddle reads"},
      {"/label", "", "field label", kNothing, kThis},
      {"/user", "1", "field user", "1", "a text"},
      {"/ranks", "-1", "field ranks", "-1", kAny32},
      {"/ranks", "0", "field ranks", "0", "1 or more"},
      {"/ranks", "4", "field placement.node", "an array of 3", "an array of 4, one for each rank"},
      {"/cores_per_rank", "0", "field cores_per_rank", "0", "1 or more"},
      {"/cores_per_rank", "65537", "field cores_per_rank", "65537",
       "a whole number from 0 to 65536"},
      {"/reason", "", "field reason", kNothing, kThis},
      {"/grouping", "\"random\"", "field grouping", "\"random\"", "\"mapped\" or \"rank-order\""},
      {"/chosen", "", "field chosen", kNothing, kThis},
      {"/chosen/pattern", "3", "field chosen.pattern", "3", "a text"},
      {"/chosen/ranks_per_node", "\"2\"", "field chosen.ranks_per_node", "\"2\"", kAny32},
      {"/chosen/nodes", "0", "field chosen.nodes", "0", "1 or more"},
      {"/chosen/nodes", "1", "field placement.node[1]", "1", "a whole number from 0 to 0"},
      {"/chosen/time_s", "-1", "field chosen.time_s", "-1", "a number, 0 or more"},
      {"/chosen/computation_s", "NaN", "field chosen.computation_s", "nan", "a finite number"},
      {"/chosen/communication_s", "", "field chosen.communication_s", kNothing, kThis},
      {"/chosen/slowdown", "null", "field chosen.slowdown", "null", "a finite number"},
      {"/chosen/energy_j", "-5", "field chosen.energy_j", "-5", "a number, 0 or more"},
      {"/chosen/feasible", "1", "field chosen.feasible", "1", "true or false"},
      {"/chosen/reason", "", "field chosen.reason", kNothing, kThis},
      {"/reference/nodes", "", "field reference.nodes", kNothing, kThis},
      {"/runners_up", "", "field runners_up", kNothing, kThis},
      {"/runners_up/0", "1", "field runners_up[0]", "1", "an object"},
      {"/between_nodes_bytes", "-1", "field between_nodes_bytes", "-1",
       "a whole number, 0 or more"},
      {"/node_pus", "65537", "field node_pus", "65537", "a whole number from 0 to 65536"},
      {"/node_pus", "0", "field placement.pus[0]", "\"0\"",
       "a list such as 0-3,8 of PUs below node_pus, 0"},
      {"/made_from", "", "field made_from", kNothing, kThis},
      {"/made_from/0", "1", "field made_from[0]", "1", "a text"},
      {"/frequency", "", "field frequency", kNothing, kThis},
      {"/frequency/policy", "\"fast\"", "field frequency.policy", "\"fast\"",
       "\"keep\", \"set\" or \"ranks\""},
      {"/frequency/hz", "", "field frequency.hz", kNothing, kThis},
      {"/frequency/hz", "0", "field frequency.hz", "0", "a number above 0"},
      {"/chosen/frequency_hz", "-1", "field chosen.frequency_hz", "-1", "a number above 0"},
      {"/placement", "[]", "field placement", "an array of 0", "an object"},
      {"/placement/node", "", "field placement.node", kNothing, kThis},
      {"/placement/node/2", "", "field placement.node", "an array of 2",
       "an array of 3, one for each rank"},
      {"/placement/node/2", "2", "field placement.node[2]", "2", "a whole number from 0 to 1"},
      {"/placement/node/2", "-1", "field placement.node[2]", "-1", "a whole number from 0 to 1"},
      {"/placement/pus", "[\"0\"]", "field placement.pus", "an array of 1",
       "an array of 3, one for each rank"},
      {"/placement/pus/2", "\"\"", "field placement.pus[2]", "\"\"", pus},
      {"/placement/pus/2", "\"4\"", "field placement.pus[2]", "\"4\"", pus},
      {"/placement/pus/2", "\"0-3,\"", "field placement.pus[2]", "\"0-3,\"", pus},
      {"/placement/pus/2", "0", "field placement.pus[2]", "0", "a text"},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.pointer);
    CAPTURE(broken.value);
    CHECK(refusal(with_field(to_json(sample_plan()), broken.pointer, broken.value)) ==
          message_of(broken, "p"));
  }
}

TEST_CASE("a plan cut at any byte is an error") {
  for (std::string whole : {to_json(sample_plan()), as_cbor(to_json(sample_plan()))}) {
    while (whole.back() == '\n') whole.pop_back();
    for (std::size_t length = 0; length < whole.size(); ++length)
      CHECK(refusal(std::string_view(whole).substr(0, length)) != "");
  }
}

TEST_CASE("texts of a plan that are no UTF-8 are written as the replacement character") {
  Plan plan = sample_plan();
  plan.label = plan.user = plan.reason = plan.chosen.pattern = plan.chosen.reason = "\xff";
  plan.made_from = {"/\xff"};
  const Plan read = parse_plan(to_json(plan), "p");
  CHECK(read.label == "\xef\xbf\xbd");
  CHECK(read.chosen.pattern == "\xef\xbf\xbd");
  CHECK(read.made_from[0] == "/\xef\xbf\xbd");
}

TEST_CASE("a plan packs only if it uses fewer nodes than its reference") {
  Plan plan = sample_plan();
  CHECK(plan.packs());
  plan.reference.nodes = plan.chosen.nodes;
  CHECK_FALSE(plan.packs());
}

TEST_CASE("a plan says whether its job keeps its nodes, and what each of them holds") {
  Plan plan = sample_plan();
  CHECK_FALSE(parse_plan(to_json(plan), "p").keeps_nodes);
  plan.keeps_nodes = true;
  CHECK(parse_plan(to_json(plan), "p").keeps_nodes);
  plan.chosen.nodes = 3;
  const PuSet pu = PuSet::parse("0");
  plan.placement = {{{2}, pu}, {{0}, pu}, {{2}, pu}};
  CHECK(plan.ranks_by_node() == std::vector<std::uint32_t>{1, 0, 2});
}

TEST_CASE("a plan in a pipe or larger than any plan is refused at once") {
  const store::TemporaryDirectory directory;
  const auto pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_AS(load_plan(pipe), FormatError);
  const auto large = directory.path() / "large";
  store::put_file(large, "{");
  std::filesystem::resize_file(large, kMostPlanBytes + 1);
  CHECK(error_of<FormatError>([&] {
          load_plan(large);
        }).ends_with("found 268435457 bytes, expected at most 268435456 bytes"));
}

Plan plan_of_three_programs() {
  Plan plan = sample_plan();
  plan.program = {"/home/ann/solve", "aa"};
  plan.companions = {{{"/home/ann/prepare", "bb"}, "plan-1-1.json"},
                     {{"/home/ann/old/solve", "cc"}, "plan-1-2.json"}};
  return plan;
}

TEST_CASE("a plan may have companions for the other programs of its job") {
  const Plan plan = plan_of_three_programs();
  const std::string text = to_json(plan);
  const Plan read = parse_plan(text, "p");
  CHECK(read.program == plan.program);
  REQUIRE(read.companions.size() == 2);
  CHECK(read.companions[0].program == plan.companions[0].program);
  CHECK(read.companions[0].file == "plan-1-1.json");
  CHECK(to_json(sample_plan()).find("program") == std::string::npos);
  const std::string file_name = "the name of a file in the plan's folder";
  const std::vector<BrokenField> table = {
      {"/companions/0/plan", R"("/etc/plan.json")", "field companions[0].plan",
       "\"/etc/plan.json\"", file_name},
      {"/companions/0/plan", R"("..")", "field companions[0].plan", "\"..\"", file_name},
      {"/companions/0/plan", R"("")", "field companions[0].plan", "\"\"", file_name},
      {"/companions/1/path", "", "field companions[1].path", kNothing, kThis},
      {"/program/build_id", "3", "field program.build_id", "3", "a text"},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.pointer);
    CAPTURE(broken.value);
    CHECK(refusal(with_field(text, broken.pointer, broken.value)) == message_of(broken, "p"));
  }
}

TEST_CASE("a step follows the plan that was made for its program") {
  const Plan plan = plan_of_three_programs();
  const std::filesystem::path own = "/store/plan-1.json";
  const auto file = [&](const LaunchedProgram& program) {
    return plan.file_for(program, own).value_or("none").string();
  };
  CHECK(file({"/home/ann/solve", "dd"}) == "/store/plan-1.json");
  CHECK(file({"/home/ann/prepare", ""}) == "/store/plan-1-1.json");
  CHECK(file({"/home/ann/old/solve", "ee"}) == "/store/plan-1-2.json");
  CHECK(file({"/scratch/prepare", "bb"}) == "/store/plan-1-1.json");
  CHECK(file({"/scratch/solve", "cc"}) == "/store/plan-1-2.json");
  CHECK(file({"/home/ann/check", "aa"}) == "none");
  CHECK(file({"/scratch/prepare", "xx"}) == "none");
  CHECK(file({}) == "/store/plan-1.json");
  CHECK(sample_plan().file_for({"/any", ""}, own) == own);
}

}  // namespace
}  // namespace huddle
