#include "aggregator/predict/pattern/other_machine.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {

TEST_CASE("a profile can't be of a machine with fewer nodes, or other PUs, than it ran on") {
  Machine machine;
  machine.name = "m";
  machine.topology = "package:2 core:2 pu:1";
  Profile profile = run_of(2, 1);
  profile.rank_records[0].node = "a";
  profile.rank_records[1].node = "b";
  for (RankRecord& record : profile.rank_records) record.pus = PuSet::parse("0-3");
  CHECK(sign_of_another_machine(profile, machine).empty());
  machine.nodes = 1;
  CHECK(sign_of_another_machine(profile, machine) ==
        "the profile is of another machine than m: its ranks ran on 2 nodes, of 1");
  machine.nodes = 2;
  profile.rank_records[1].pus = PuSet::parse("2-5");
  CHECK(sign_of_another_machine(profile, machine) ==
        "the profile is of another machine than m: rank 1 ran on PUs 2-5, which its nodes don't "
        "have");
}

}  // namespace huddle::predict
