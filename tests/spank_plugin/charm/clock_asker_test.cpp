#include "spank_plugin/charm/clock_asker.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace huddle::charm {

TEST_CASE("that there is no keeper is said once") {
  std::vector<std::string> lines;
  NoKeeper asker([&](std::string_view line) { lines.emplace_back(line); });
  CHECK(lines.empty());
  for (int i = 0; i < 3; ++i) CHECK_FALSE(asker.ask({1.2e9}, {1}));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("no keeper") != std::string::npos);
  NoKeeper quiet(nullptr);
  CHECK_FALSE(quiet.ask({1.2e9}, {1}));
}

}  // namespace huddle::charm
