#include "spank_plugin/launch/program_list.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::launch {
namespace {

using Commands = std::vector<std::vector<std::string>>;

TEST_CASE(
    "each line of a list of programs has ranks and a command; comments and blank lines do not") {
  CHECK(commands_in_list("# ocean and air\n0-3,8 ./ocean -v\n\n  * /opt/air %t of %o\n") ==
        Commands{{"./ocean", "-v"}, {"/opt/air", "%t", "of", "%o"}});
}

TEST_CASE("quotes and backslashes of a list are as Slurm takes them") {
  CHECK(commands_in_list("0 ./a 'two words' x\\ y 'it'\\''s'") ==
        Commands{{"./a", "two words", "x y", "it's"}});
  CHECK(commands_in_list("0 ./a one \\\n  two th\\\nree\n1 ./b") ==
        Commands{{"./a", "one", "two", "three"}, {"./b"}});
  CHECK(commands_in_list("# a comment \\\n0 ./not\n1 ./b") == Commands{{"./b"}});
}

TEST_CASE("a list that Slurm would start no program by names its line") {
  CHECK(error_of([] { commands_in_list(""); }) == "its list of programs is empty");
  CHECK(error_of([] { commands_in_list("# nothing\n"); }) == "its list of programs is empty");
  CHECK(error_of([] { commands_in_list("0 ./a \\\n b\n1-3\n"); }) ==
        "line 3 of its list of programs has ranks and no program");
  CHECK(error_of([] { commands_in_list("0 ./a 'b\n"); }) ==
        "line 1 of its list of programs has a quote without an end");
}

}  // namespace
}  // namespace huddle::launch
