// Every field of OpenMP's regions that is missing or wrong is refused by its name.

#include <doctest/doctest.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/profile/profile_refusal.hpp"
#include "tests/profiles/formats/sample_documents.hpp"

namespace huddle {
namespace {

TEST_CASE("a field of OpenMP's regions that is missing or wrong is named") {
  const std::string table_of_rank = "/rank_records/1/openmp_regions";
  const std::string regions = "field rank_records[1].openmp_regions";
  const std::vector<BrokenField> table = {
      {table_of_rank, "[]", regions, "an array of 0", "an object"},
      {table_of_rank + "/region/0", "9", regions + ".region[0]", "9",
       "the id of one of the openmp_regions"},
      {table_of_rank + "/group/0", "9", regions + ".group[0]", "9",
       "0, or the id of one of the phase_groups"},
      {table_of_rank + "/passes/0", "0", regions + ".passes[0]", "0", "1 or more"},
      {table_of_rank + "/passes", "[1]", regions + ".passes", "an array of 1",
       "an array of 2, as long as \"region\""},
      {table_of_rank + "/serial_s", "", regions + ".serial_s", "nothing", "this field"},
      {table_of_rank + "/smallest_team/0", "0", regions + ".smallest_team[0]", "0", "1 or more"},
      {table_of_rank + "/largest_team/0", "1", regions + ".largest_team[0]", "1", "2 or more"},
      {table_of_rank + "/timed_passes/0", "4", regions + ".timed_passes[0]", "4",
       "at most passes, 3"},
      {table_of_rank + "/timed_passes", "[1]", regions + ".timed_passes", "an array of 1",
       "an array of 2, as long as \"region\""},
      {table_of_rank + "/observed_passes/0", "2", regions + ".observed_passes[0]", "2",
       "at most the timed passes, 1"},
      {table_of_rank + "/busiest_s/0", "0.8", regions + ".busiest_s[0]", "0.8",
       "at most longest_s, 0.75"},
      {table_of_rank + "/busy_s/0", "0.6", regions + ".busy_s[0]", "0.6", "at most busiest_s, 0.5"},
      {table_of_rank + "/busy_s", "", regions + ".busy_s", "nothing", "this field"},
      {table_of_rank + "/counted_passes/0", "2", regions + ".counted_passes[0]", "2",
       "at most the timed passes, 1"},
      {table_of_rank + "/counted_for/0", "0", regions + ".counted_for[0]", "0",
       "at least counted_passes, 1"},
      {table_of_rank + "/counted_for/1", "1", regions + ".counted_for[1]", "1",
       "0, since no pass was counted"},
      {table_of_rank + "/counted_for", "", regions + ".counted_for", "nothing", "this field"},
      {table_of_rank + "/counted_time_s/0", "-1", regions + ".counted_time_s[0]", "-1",
       "a number, 0 or more"},
      {table_of_rank + "/counted_time_s/1", "1.5", regions + ".counted_time_s[1]", "1.5",
       "0, since no pass was counted"},
      {table_of_rank + "/counts", "", regions + ".counts", "nothing", "this field"},
      {table_of_rank + "/counts/1", "", regions + ".counts", "an array of 1",
       "an array of 2, as long as \"events\""},
      {table_of_rank + "/counts/1", "[1]", regions + ".counts[1]", "an array of 1",
       "an array of 2, as long as \"region\""},
      {table_of_rank + "/counts/0/1", "2.5", regions + ".counts[0][1]", "2.5",
       "null, since counted_passes is 0"},
      {table_of_rank + "/group/1", "0", regions, "group 0 with region 5 twice",
       "each pair only once"},
      {"/openmp_regions/0/place", "", "field openmp_regions[0].place", "nothing", "this field"},
      {"/openmp_regions/1/id", "5", "field openmp_regions", "id 5 twice", "each id only once"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of periods of regions that is missing or wrong is named") {
  const std::string periods_of_rank = "/rank_records/1/region_periods";
  const std::string periods = "field rank_records[1].region_periods";
  const std::vector<BrokenField> table = {
      {periods_of_rank + "/0/first", "", periods + "[0].first", "nothing", "this field"},
      {periods_of_rank + "/0/passes", "2", periods + "[0].passes", "2",
       "3 or more, as many as \"regions\""},
      {periods_of_rank + "/0/regions/1", "9", periods + "[0].regions[1]", "9",
       "the id of one of the openmp_regions"},
      {periods_of_rank + "/1/regions", "[5]", periods + "[1].regions", "an array of 1",
       "2 or more"},
      {periods_of_rank + "/1/first", "7", periods + "[1].first", "7",
       "more than that of the one before"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of smaller teams that is missing or wrong is named") {
  const std::string table_of_rank = "/rank_records/1/smaller_teams";
  const std::string teams = "field rank_records[1].smaller_teams";
  const std::vector<BrokenField> table = {
      {table_of_rank + "/region/0", "9", teams + ".region[0]", "9",
       "the id of one of the openmp_regions"},
      {table_of_rank + "/threads/0", "4", teams + ".threads[0]", "4", "fewer than team, 4"},
      {table_of_rank + "/threads", "", teams + ".threads", "nothing", "this field"},
      {table_of_rank + "/packages/0", "3", teams + ".packages[0]", "3", "at most threads, 2"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of packed regions that is missing or wrong is named") {
  const std::string table_of_rank = "/rank_records/1/packed_regions";
  const std::string regions = "field rank_records[1].packed_regions";
  const std::vector<BrokenField> table = {
      {table_of_rank + "/region/0", "9", regions + ".region[0]", "9",
       "the id of one of the openmp_regions"},
      {table_of_rank + "/passes/1", "0", regions + ".passes[1]", "0", "1 or more"},
      {table_of_rank + "/team/0", "0", regions + ".team[0]", "0", "1 or more"},
      {table_of_rank + "/cores/0", "4", regions + ".cores[0]", "4", "fewer than team, 4"},
      {table_of_rank + "/packages/1", "3", regions + ".packages[1]", "3", "at most cores, 2"},
      {table_of_rank + "/mean_s/1", "2", regions + ".mean_s[1]", "2",
       "between shortest_s, 0.5, and longest_s, 1"},
      {table_of_rank + "/usual_mean_s", "", regions + ".usual_mean_s", "nothing", "this field"},
      {table_of_rank + "/first_mean_s/0", "-1", regions + ".first_mean_s[0]", "-1",
       "a number, 0 or more"},
      {table_of_rank + "/first_passes/1", "-1", regions + ".first_passes[1]", "-1",
       "a whole number, 0 or more"},
      {table_of_rank + "/usual_variance_s2/0", "\"x\"", regions + ".usual_variance_s2[0]", "\"x\"",
       "a finite number"},
      {table_of_rank + "/acted_passes/1", "-1", regions + ".acted_passes[1]", "-1",
       "a whole number, 0 or more"},
      {table_of_rank + "/acted_mean_s", "", regions + ".acted_mean_s", "nothing", "this field"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
  const std::string text = text_of(sample_profile(2));
  const std::string twice = with_field(with_field(text, table_of_rank + "/cores/1", "1"),
                                       table_of_rank + "/packages/1", "1");
  CHECK(profile_refusal(twice) ==
        "p: " + regions +
            ": found region 5 with a team of 4 on 1 cores of 1 packages twice, expected each of "
            "them only once");
}

TEST_CASE("a field of regions by position that is missing or wrong is named") {
  const std::string here = "/rank_records/1/region_positions";
  const std::string started = "field rank_records[1].region_positions.as_started";
  const std::string packed = "field rank_records[1].region_positions.packed";
  const std::vector<BrokenField> table = {
      {here + "/anchor", "0", "field rank_records[1].region_positions.anchor", "0", "1 or more"},
      {here + "/length", "1", "field rank_records[1].region_positions.length", "1", "2 or more"},
      {here + "/as_started", "", started, "nothing", "this field"},
      {here + "/as_started/region/0", "9", started + ".region[0]", "9",
       "the id of one of the openmp_regions"},
      {here + "/as_started/passes/1", "0", started + ".passes[1]", "0", "1 or more"},
      {here + "/as_started/position/0", "2", started + ".position[0]", "2", "0, as context is"},
      {here + "/as_started/position/1", "0", started + ".position[1]", "0", "1 or more"},
      {here + "/as_started/group/1", "5", started + ".group[1]", "5",
       "0, or the id of one of the phase_groups"},
      {here + "/as_started/team/0", "0", started + ".team[0]", "0", "1 or more"},
      {here + "/as_started/mean_s/0", "-1", started + ".mean_s[0]", "-1", "a number, 0 or more"},
      {here + "/as_started/context/1", "0", started + ".position[1]", "3", "0, as context is"},
      {here + "/packed/context/0", "8", packed, "region 5 with context 8",
       "regions and contexts that are in \"as_started\""},
      {here + "/packed/cores/0", "0", packed + ".cores[0]", "0", "1 or more"},
      {here + "/packed/packages/1", "3", packed + ".packages[1]", "3", "at most cores, 2"},
      {here + "/packed/first_mean_s", "", packed + ".first_mean_s", "nothing", "this field"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

}  // namespace
}  // namespace huddle
