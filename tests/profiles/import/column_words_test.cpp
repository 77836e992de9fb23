#include "profiles/import/column_words.hpp"

#include <doctest/doctest.h>

using namespace huddle;

TEST_CASE("names of columns are compared by their letters and digits, as whole words") {
  CHECK(letters_of("Problem-Size [2]") == "problemsize2");
  CHECK(has_word("size problemsize n", "n"));
  CHECK(has_word("size problemsize n", "problemsize"));
  CHECK_FALSE(has_word("size problemsize n", "problem"));
  CHECK_FALSE(has_word("size problemsize n", ""));
}
