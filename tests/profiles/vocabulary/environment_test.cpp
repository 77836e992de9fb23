#include "profiles/vocabulary/environment.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>

namespace huddle {
namespace {

TEST_CASE("a variable is a text, or a number if all of it is one that fits") {
  const std::map<std::string, const char*> variables = {
      {"text", "1 s"}, {"number", "65535"}, {"large", "65536"}, {"negative", "-1"}, {"empty", ""}};
  const Environment environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  };
  const auto number = [&](const char* name) { return number_of<std::uint16_t>(environment, name); };
  CHECK(text_of(environment, "text") == "1 s");
  CHECK(text_of(environment, "missing").empty());
  CHECK(number("number") == 65535);
  for (const char* name : {"text", "large", "negative", "empty", "missing"}) {
    CAPTURE(name);
    CHECK_FALSE(number(name).has_value());
  }
}

}  // namespace
}  // namespace huddle
