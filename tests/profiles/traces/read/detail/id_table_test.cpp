#include "profiles/traces/read/detail/id_table.hpp"

#include <doctest/doctest.h>

namespace huddle::otf2 {
namespace {

TEST_CASE("ids are found whether they are dense or not, and the first of equal ones counts") {
  const IdTable table({{3, 0}, {1ULL << 40U, 1}, {3, 2}, {0, 3}, {1ULL << 40U, 4}});
  CHECK(table.at(3) == 0);
  CHECK(table.at(0) == 3);
  CHECK(table.at(1ULL << 40U) == 1);
  CHECK(table.at(1) == traces::kNobody);
  CHECK(table.at((1ULL << 40U) + 1) == traces::kNobody);
  CHECK_FALSE(table.empty());
}

TEST_CASE("an empty table knows no id") {
  const IdTable table;
  CHECK(table.empty());
  CHECK(table.at(0) == traces::kNobody);
  CHECK(table.at(UINT64_MAX) == traces::kNobody);
}

TEST_CASE("long names are shortened") {
  CHECK(cut_name("solve") == "solve");
  CHECK(cut_name(std::string(1000, 'x')).size() == 200);
}

}  // namespace
}  // namespace huddle::otf2
