#include "profiles/store/recorded_runs.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

TEST_CASE("the second program of one recording has a profile of its own") {
  CHECK(file_of_run("runs/p.json", 1) == "runs/p.json");
  CHECK(file_of_run("runs/p.json", 2) == "runs/p-2.json");
  CHECK(file_of_run("p.v1.cbor", 13) == "p.v1-13.cbor");
  CHECK(file_of_run("p", 2) == "p-2");
}

TEST_CASE("programs are listed in the order in which they began") {
  const TemporaryDirectory directory;
  const RunList list(directory.path() / "p.json");
  CHECK(list.add({3, "/bin/a"}) == 1);  // nobody keeps a list
  CHECK(list.runs().empty());
  list.make();
  CHECK(list.add({3, "/bin/a"}) == 1);
  CHECK(list.add({2, "/bin/b of mine"}) == 2);
  CHECK(list.runs() == std::vector<RecordedRun>{{3, "/bin/a"}, {2, "/bin/b of mine"}});
  list.make();
  CHECK(list.runs().empty());
  list.remove();
  CHECK(list.add({1, "/bin/a"}) == 1);
}

TEST_CASE("a list that can't be made is an error") {
  CHECK_THROWS_AS(RunList("/no/such/folder/p.json").make(), SystemError);
}

}  // namespace
}  // namespace huddle::store
