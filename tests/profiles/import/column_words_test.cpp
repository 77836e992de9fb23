#include "profiles/import/column_words.hpp"

#include <doctest/doctest.h>

using namespace huddle;

TEST_CASE("names of columns are compared by their letters and digits, as whole words") {
  CHECK(imports::letters_of("Problem-Size [2]") == "problemsize2");
  CHECK(imports::has_word("size problemsize n", "n"));
  CHECK(imports::has_word("size problemsize n", "problemsize"));
  CHECK_FALSE(imports::has_word("size problemsize n", "problem"));
  CHECK_FALSE(imports::has_word("size problemsize n", ""));
}
