#include <doctest/doctest.h>

#include <string>

#include "tests/profiles/formats/policy/policy_refusal.hpp"

namespace huddle {
namespace {

TEST_CASE("broken TOML is refused with line and column") {
  CHECK(policy_refusal("mode = \n").starts_with("huddle.toml: line 1, column 8: found "));
  CHECK(policy_refusal("mode = \"off\"\n[profiles\n").starts_with("huddle.toml: line 2, column "));
  CHECK(policy_refusal("mode = \"off\"\nmode = \"auto\"\n").starts_with("huddle.toml: line 2, column "));
  CHECK(policy_refusal("mode = ]\n").ends_with(", expected TOML"));
  CHECK(policy_refusal("\xff\xfe").ends_with(", expected TOML"));
  for (const std::size_t brackets : {1U, 2U, 3U, 4U, 100'000U})
    CHECK(policy_refusal(std::string(brackets, '[')).ends_with(", expected TOML"));
  CHECK(policy_refusal("x = " + std::string(100'000, '[')).ends_with(", expected TOML"));
}

TEST_CASE("a text without its last quote is refused as that, where it begins") {
  CHECK(policy_refusal("mode = \"off\nslowdown = 0.05\n") ==
        "huddle.toml: line 1, column 8: found a text with a missing quote: \"off, expected a \" at "
        "its "
        "end");
  CHECK(policy_refusal("mode = \"off") ==
        "huddle.toml: line 1, column 8: found a text with a missing quote: \"off, expected a \" at "
        "its "
        "end");
  CHECK(policy_refusal("slowdown = 0.05\n[machine]\nfile = '/m.json # of the nodes\nmodel = '/l'\n")
            .starts_with(
                "huddle.toml: line 3, column 8: found a text with a missing quote: '/m.json"));
  CHECK(policy_refusal("limits.modes = [\"off\", \"auto]\n")
            .find("column 24: found a text with a missing "
                  "quote") != std::string::npos);
  CHECK(policy_refusal("mode = \"a\\\"\n").find("missing quote") != std::string::npos);
  // Other mistakes on lines with texts are what they were.
  for (const char* text :
       {"mode = \"off\" \"", "mode = \"\"\"off", "mode \"off\"", "mode = off # it's"}) {
    CAPTURE(text);
    CHECK_FALSE(policy_refusal(text).empty());
  }
  CHECK(policy_refusal("mode = off # it's").find("missing quote") == std::string::npos);
  CHECK(policy_refusal("mode \"off\"").find("missing quote") == std::string::npos);
}

TEST_CASE("letters beyond ASCII are fine in texts and comments, and an error anywhere else") {
  CHECK(parse_policy("# größe\nmachine.file = \"/größe\"", "f").machine_file == "/größe");
  for (const char* text : {"größe = 1", "mode ä= \"off\"", "ß", "mode = ü", "\xef\xba\xbf", "[ö]",
                           "mode = \"off\" é"}) {
    CAPTURE(text);
    CHECK(policy_refusal(text).ends_with(", expected TOML"));
  }
}

TEST_CASE("a key with line breaks in it does not break the line of the error") {
  const std::string error = policy_refusal("\"a\\nb\\u001b\" = 1\n");
  CHECK(error != "");
  CHECK(error.find('\n') == std::string::npos);
  CHECK(error.find('\x1b') == std::string::npos);
}

TEST_CASE("a key of a great many parts is refused, and does not exhaust the stack") {
  std::string key = "a";
  for (int i = 0; i < 500'000; ++i) key += ".a";
  CHECK(policy_refusal(key + " = 1\n") != "");
  CHECK(policy_refusal("[" + key + "]\n") != "");
}

}  // namespace
}  // namespace huddle
