#include "aggregator/operations/doctor/finding.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace huddle::doctor;

TEST_CASE("findings that differ in their nodes only become one") {
  const std::vector<Finding> findings =
      merged({{"policy", Verdict::kOk, "valid", "", {"n0"}},
              {"policy", Verdict::kWrong, "wrong", "repair", {"n1"}},
              {"policy", Verdict::kOk, "valid", "", {"n2"}}});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].nodes == std::vector<std::string>{"n0", "n2"});
  CHECK(findings[1].nodes == std::vector<std::string>{"n1"});
}

TEST_CASE("what was found here is not mixed with what was found on nodes") {
  const std::vector<Finding> findings = merged(
      {{"policy", Verdict::kOk, "valid", "", {}}, {"policy", Verdict::kOk, "valid", "", {"n2"}}});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].nodes.empty());
}

TEST_CASE("findings of one check stand together, in the order in which checks appear") {
  const std::vector<Finding> findings = merged({{"a", Verdict::kOk, "x", "", {"n0"}},
                                                {"b", Verdict::kOk, "x", "", {"n0"}},
                                                {"a", Verdict::kWrong, "y", "z", {"n1"}}});
  REQUIRE(findings.size() == 3);
  CHECK(findings[1].check == "a");
  CHECK(findings[2].check == "b");
}

TEST_CASE("many nodes are named by some of them") {
  CHECK(text_of_nodes({}).empty());
  CHECK(text_of_nodes({"n0"}) == "n0");
  CHECK(text_of_nodes({"n0", "n1"}) == "n0 and n1");
  CHECK(text_of_nodes({"n0", "n1", "n2", "n3"}) == "n0, n1, n2 and n3");
  CHECK(text_of_nodes({"n0", "n1", "n2", "n3", "n4"}) == "n0, n1, n2 and 2 more");
}

TEST_CASE("only what is wrong counts as wrong, and all is counted") {
  const std::vector<Finding> findings = {{"a", Verdict::kWarning, "x", "do it", {}},
                                         {"b", Verdict::kOk, "y", "", {}}};
  CHECK_FALSE(anything_wrong(findings));
  CHECK(to_text(findings) ==
        "warning  a  x\n"
        "            -> do it\n"
        "ok       b  y\n"
        "1 ok, 1 warning(s), 0 wrong\n");
  CHECK(anything_wrong({{"c", Verdict::kWrong, "z", "do it", {}}}));
}

TEST_CASE("a fault that is here and on nodes is said once") {
  const std::vector<Finding> findings = {
      {"model", Verdict::kWarning, "no model", "make one", {}},
      {"model", Verdict::kWarning, "no model", "make one", {"n0"}},
      {"energy", Verdict::kWarning, "no meter", "buy one", {"n0"}}};
  CHECK(to_text(findings) ==
        "warning  model   here and on n0: no model\n"
        "                 -> make one\n"
        "warning  energy  n0: no meter\n"
        "                 -> buy one\n"
        "0 ok, 2 warning(s), 0 wrong\n");
}

TEST_CASE("as JSON, nodes and advice are there only if there are any") {
  const auto document = nlohmann::json::parse(
      to_json({{"a", Verdict::kWrong, "x", "do it", {"n1"}}, {"b", Verdict::kOk, "y", "", {}}}));
  CHECK(document["format"] == "huddle/doctor");
  CHECK(document["findings"][0]["nodes"] == nlohmann::json{"n1"});
  CHECK(document["findings"][0]["advice"] == "do it");
  CHECK_FALSE(document["findings"][1].contains("nodes"));
  CHECK_FALSE(document["findings"][1].contains("advice"));
  CHECK(document["wrong"] == 1);
}
