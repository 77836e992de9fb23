#include "spank_plugin/clocks/node_clocks.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/spank_plugin/frequency/node_of_clocks.hpp"

namespace huddle::clocks {
namespace {

using Json = nlohmann::json;

frequency::FrequencyControl::Settings settings_on(const frequency::NodeOfClocks& node) {
  frequency::FrequencyControl::Settings settings;
  settings.journal_directory = node.directory();
  settings.alive = [](const processes::ProcessIdentity&) { return true; };
  settings.boot = node.boot;
  return settings;
}

Json restored(frequency::NodeOfClocks& node, Restore which) {
  return Json::parse(
      restore_clocks(node.kernel, settings_on(node), which, [] { return std::size_t{0}; }));
}

TEST_CASE("each clock is shown with its limits, what it had before and whose step it is") {
  frequency::NodeOfClocks node;
  node.claim(17, 0, "0@1500000-2000000");
  node.claim(17, 0xfffffffb, "0-1@1500000-2000000", "0-63", true);
  const Json shown =
      Json::parse(clocks_document(node.kernel, settings_on(node), {"", true, {{4711, "17.0"}}}));
  REQUIRE(shown["clocks"].size() == 4);
  CHECK(shown["clocks"][0]["steps"] == Json({"17.0", "17.batch"}));
  CHECK(shown["clocks"][1]["steps"] == Json({"17.batch"}));
  CHECK(shown["clocks"][0]["limits_khz"] == Json({1500000, 2000000}));
  CHECK(shown["clocks"][0]["before_huddle_khz"] == Json({1000000, 3000000}));
  CHECK(shown["clocks"][2]["before_huddle_khz"].is_null());
  CHECK(shown["watchers"][0]["pid"] == 4711);
  CHECK(shown["slurmd_has_plugin"] == true);
  CHECK(shown["keepers"].empty());
}

TEST_CASE("restoring puts back what Huddle limited, under living steps, and nothing else") {
  frequency::NodeOfClocks node;
  node.kernel.at(3, "scaling_max_freq") = "2600000";
  node.before = node.kernel.files();
  node.claim(17, 0, "0-1@1500000-2000000");
  const Json done = restored(node, Restore::kJournal);
  CHECK(node.is_as_before());
  REQUIRE(done["clocks"].size() == 3);
  CHECK(done["clocks"][0]["before_khz"] == Json({1500000, 2000000}));
  CHECK(done["clocks"][0]["after_khz"] == Json({1000000, 3000000}));
  CHECK(done["clocks"][0]["by_huddle"] == true);
  CHECK(done["clocks"][2]["after_khz"] == Json({1000000, 2600000}));
  CHECK(done["clocks"][2]["by_huddle"] == false);
  CHECK(done["messages"].empty());
}

TEST_CASE("restoring all takes the hardware's own limits, whoever set others") {
  frequency::NodeOfClocks node;
  node.kernel.at(3, "scaling_max_freq") = "2600000";
  node.claim(17, 0, "3@1500000-2000000");
  CHECK(restored(node, Restore::kAll)["messages"].empty());
  for (const std::uint32_t policy : {0U, 1U, 2U, 3U})
    CHECK(node.kernel.limits(policy) == "1000000-3000000");
}

TEST_CASE("what can't be put back is reported") {
  frequency::NodeOfClocks node;
  node.claim(17, 0, "0@1500000-2000000");
  node.kernel.broken = {{0, "scaling_max_freq"}};
  const Json done = restored(node, Restore::kAll);
  CHECK_FALSE(done["messages"].empty());
  CHECK(done["clocks"][0]["after_khz"] == Json({1000000, 2000000}));
}

}  // namespace
}  // namespace huddle::clocks
