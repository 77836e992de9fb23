// Every field of a profile that is missing or wrong is refused by its name.

#include <doctest/doctest.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/profile/profile_refusal.hpp"
#include "tests/profiles/formats/sample_documents.hpp"

namespace huddle {
namespace {

const std::string kWhole = "a whole number, 0 or more";
const std::string kNothing = "nothing";
const std::string kThis = "this field";
const std::string kText = "a text";

TEST_CASE("a field of a profile's identity that is missing or wrong is named") {
  const std::vector<BrokenField> table = {
      {"/format", "", "field format", kNothing, kThis},
      {"/format", "null", "field format", "null", kText},
      {"/format", "\"huddle/plan\"", "field format", "\"huddle/plan\"", "\"huddle/profile\""},
      {"/version", "", "field version", kNothing, kThis},
      {"/version", "\"1\"", "field version", "\"1\"", kWhole},
      {"/version", "2", "field version", "2", "1, the version that this huddle reads"},
      {"/label", "", "field label", kNothing, kThis},
      {"/label", "5", "field label", "5", kText},
      {"/user", "null", "field user", "null", kText},
      {"/ranks", "", "field ranks", kNothing, kThis},
      {"/ranks", "0", "field ranks", "0", "1 or more"},
      {"/ranks", "-1", "field ranks", "-1", "a whole number from 0 to 2147483648"},
      {"/ranks", "2.5", "field ranks", "2.5", "a whole number from 0 to 2147483648"},
      {"/ranks", "2147483649", "field ranks", "2147483649", "a whole number from 0 to 2147483648"},
      {"/ranks", "\"2\"", "field ranks", "\"2\"", "a whole number from 0 to 2147483648"},
      {"/ranks", "3", "field rank_records", "an array of 2",
       "an array of 3, one for each rank of a complete profile"},
      {"/complete", "\"yes\"", "field complete", "\"yes\"", "true or false"},
      {"/complete", "false", "field cut_short_reason", kNothing, kThis},
      {"/program", "[]", "field program", "an array of 0", "an object"},
      {"/program/executable", "", "field program.executable", kNothing, kThis},
      {"/program/build_id", "7", "field program.build_id", "7", kText},
      {"/program/arguments", "{}", "field program.arguments", "an object of 0", "an array"},
      {"/program/scaling", "\"strong\"", "field program.scaling", "\"strong\"", "\"weak\""},
      {"/program/scaling", "true", "field program.scaling", "true", kText},
      {"/program/arguments/1", "5", "field program.arguments[1]", "5", kText},
      {"/problem_size", "0", "field problem_size", "0", "a number above 0"},
      {"/problem_size", "-2.5", "field problem_size", "-2.5", "a number above 0"},
      {"/problem_size", "\"64\"", "field problem_size", "\"64\"", "a finite number"},
      {"/mpi", "", "field mpi", kNothing, kThis},
      {"/mpi/library", "[1,2]", "field mpi.library", "an array of 2", kText},
      {"/job", "3", "field job", "3", "an object"},
      {"/job/slurm_job_id", "-1", "field job.slurm_job_id", "-1", kWhole},
      {"/job/slurm_step_id", "", "field job.slurm_step_id", kNothing, kThis},
      {"/job/slurm_step_id", "4294967296", "field job.slurm_step_id", "4294967296",
       "a whole number from 0 to 4294967295"},
      {"/job/started_at", "", "field job.started_at", kNothing, kThis},
      {"/counters/measured", "1", "field counters.measured", "1", "true or false"},
      {"/counters/reason", "", "field counters.reason", kNothing, kThis},
      {"/rank_records", "", "field rank_records", kNothing, kThis},
      {"/rank_records", "{}", "field rank_records", "an object of 0", "an array"},
      {"/rank_records/1", "", "field rank_records", "an array of 1",
       "an array of 2, one for each rank of a complete profile"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of a rank's record that is missing or wrong is named with the record") {
  const std::string at = "field rank_records[1]";
  const std::string number = "a finite number";
  const std::vector<BrokenField> table = {
      {"/rank_records/1", "5", at, "5", "an object"},
      {"/rank_records/1/rank", "2", at + ".rank", "2", "a whole number from 0 to 1"},
      {"/rank_records/1/rank", "0", "field rank_records", "rank 0 twice", "each rank only once"},
      {"/rank_records/1/node", "", at + ".node", kNothing, kThis},
      {"/rank_records/1/pus", "[0]", at + ".pus", "an array of 1", kText},
      {"/rank_records/1/pus", "\"0-\"", at + ".pus", "\"0-\"", "a list of PUs such as 0-3,8"},
      {"/rank_records/1/pus", "\"70000\"", at + ".pus", "\"70000\"", "a list of PUs such as 0-3,8"},
      {"/rank_records/1/run_time_s", "\"1\"", at + ".run_time_s", "\"1\"", number},
      {"/rank_records/1/run_time_s", "null", at + ".run_time_s", "null", number},
      {"/rank_records/1/run_time_s", "NaN", at + ".run_time_s", "nan", number},
      {"/rank_records/1/run_time_s", "inf", at + ".run_time_s", "inf", number},
      {"/rank_records/1/run_time_s", "-0.5", at + ".run_time_s", "-0.5", "a number, 0 or more"},
      {"/rank_records/1/mpi_time_s", "11.5", at + ".mpi_time_s", "11.5", "at most run_time_s, 11"},
      {"/rank_records/1/mpi_time_s", "", at + ".mpi_time_s", kNothing, kThis},
      {"/rank_records/1/cpu_time_s", "-1", at + ".cpu_time_s", "-1", "a number, 0 or more"},
      {"/rank_records/1/peak_resident_bytes", "1.5", at + ".peak_resident_bytes", "1.5", kWhole},
      {"/rank_records/1/peak_resident_bytes", "18446744073709551616", at + ".peak_resident_bytes",
       "1.8446744073709552e+19", kWhole},
      {"/rank_records/1/sent", "", at + ".sent", kNothing, kThis},
      {"/rank_records/1/sent", "[]", at + ".sent", "an array of 0", "an object"},
      {"/rank_records/1/sent/receiver/0", "2", at + ".sent.receiver[0]", "2",
       "a whole number from 0 to 1"},
      {"/rank_records/1/sent/size_class/1", "65", at + ".sent.size_class[1]", "65",
       "a whole number from 0 to 64"},
      {"/rank_records/1/sent/size_class/1", "", at + ".sent.size_class", "an array of 1",
       "an array of 2, as long as \"receiver\""},
      {"/rank_records/1/sent/messages", "[1,2,3]", at + ".sent.messages", "an array of 3",
       "an array of 2, as long as \"receiver\""},
      {"/rank_records/1/sent/messages/0", "-3", at + ".sent.messages[0]", "-3", kWhole},
      {"/rank_records/1/sent/bytes", "null", at + ".sent.bytes", "null", "an array"},
      {"/rank_records/1/sent/bytes/0", "8", at + ".sent.bytes[0]", "8",
       "0, since the size class is 0"},
      {"/rank_records/1/sent/size_class/0", "11", at + ".sent",
       "receiver 0 with size class 11 twice", "each pair only once"},
      {"/rank_records/1/collectives", "", at + ".collectives", kNothing, kThis},
      {"/rank_records/1/collectives/0/operation", "1", at + ".collectives[0].operation", "1",
       kText},
      {"/rank_records/1/collectives/0/communicator", "", at + ".collectives[0].communicator",
       kNothing, kThis},
      {"/rank_records/1/collectives/0/participants", "3", at + ".collectives[0].participants", "3",
       "a whole number from 0 to 2"},
      {"/rank_records/1/collectives/0/size_class", "65", at + ".collectives[0].size_class", "65",
       "a whole number from 0 to 64"},
      {"/rank_records/1/collectives/0/calls", "-1", at + ".collectives[0].calls", "-1", kWhole},
      {"/rank_records/1/collectives/0/bytes", "true", at + ".collectives[0].bytes", "true", kWhole},
      {"/rank_records/1/collectives/0/time_s", "-1", at + ".collectives[0].time_s", "-1",
       "a number, 0 or more"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a measurement of a rank that is wrong is named") {
  const std::string at = "field rank_records[1]";
  const std::string phases = at + ".phases";
  const std::string not_negative = "a number, 0 or more";
  const std::vector<BrokenField> table = {
      {"/rank_records/1/put/receiver/0", "2", at + ".put.receiver[0]", "2",
       "a whole number from 0 to 1"},
      {"/rank_records/1/fetched/bytes", "", at + ".fetched.bytes", kNothing, kThis},
      {"/rank_records/1/sent_to_neighbours/messages", "[]", at + ".sent_to_neighbours.messages",
       "an array of 0", "an array of 1, as long as \"receiver\""},
      {"/rank_records/1/collectives/1/communicator_id", "78",
       at + ".collectives[1].communicator_id", "78", "the id of one of the communicators"},
      {"/rank_records/1/collectives/1/communicator_id", "-1",
       at + ".collectives[1].communicator_id", "-1", kWhole},
      {"/rank_records/1/collectives/1/shortest_s", "0.5", at + ".collectives[1].shortest_s", "0.5",
       "at most time_s, 0.25"},
      {"/rank_records/1/collectives/1/shortest_s", "-1", at + ".collectives[1].shortest_s", "-1",
       not_negative},
      {"/rank_records/1/calls/timed/1", "9", at + ".calls.timed[1]", "9", "at most calls, 8"},
      {"/rank_records/1/calls/time_s/0", "-1", at + ".calls.time_s[0]", "-1", not_negative},
      {"/rank_records/1/calls/before_s/1", "-1", at + ".calls.before_s[1]", "-1", not_negative},
      {"/rank_records/1/calls/operation/0", "\"isend\"", at + ".calls", "operation \"isend\" twice",
       "each operation only once"},
      {"/rank_records/1/calls/operation", "[]", at + ".calls.calls", "an array of 2",
       "an array of 0, as long as \"operation\""},
      {"/rank_records/1/phases/group/0", "5", phases + ".group[0]", "5",
       "the id of one of the phase_groups"},
      {"/rank_records/1/phases/group/1", "0", phases, "group 0 twice", "each group only once"},
      {"/rank_records/1/phases/count", "", phases + ".count", kNothing, kThis},
      {"/rank_records/1/balancing/state", "", at + ".balancing.state", kNothing, kThis},
      {"/rank_records/1/balancing/imbalance", "0.5", at + ".balancing.imbalance", "0.5",
       "1 or more"},
      {"/rank_records/1/balancing/elapsed_s", "-1", at + ".balancing.elapsed_s", "-1",
       not_negative},
      {"/rank_records/1/balancing/mean_hz", "0", at + ".balancing.mean_hz", "0",
       "a number above 0"},
      {"/rank_records/1/balancing/lowest_hz", "2.1e9", at + ".balancing.top_hz", "2000000000.0",
       "at least lowest_hz and mean_hz"},
      {"/rank_records/1/phases/variance_s2/0", "-1e-9", phases + ".variance_s2[0]", "-1e-09",
       not_negative},
      {"/rank_records/1/phases/mpi_time_s/0", "-1", phases + ".mpi_time_s[0]", "-1", not_negative},
      {"/rank_records/1/phases/shortest_s/1", "0.5", phases + ".shortest_s[1]", "0.5",
       "at most longest_s, 0.375"},
      {"/rank_records/1/phases/mean_s/0", "0.76", phases + ".mean_s[0]", "0.76",
       "between shortest_s, 0.25, and longest_s, 0.75"},
      {"/rank_records/1/phases/mean_s/0", "0.2", phases + ".mean_s[0]", "0.2",
       "between shortest_s, 0.25, and longest_s, 0.75"},
      {"/rank_records/1/phases/counted/0", "8", phases + ".counted[0]", "8", "at most count, 7"},
      {"/rank_records/1/phases/counted", "[3]", phases + ".counted", "an array of 1",
       "an array of 2, as long as \"group\""},
      {"/rank_records/1/phases/counts", "", phases + ".counts", kNothing, kThis},
      {"/rank_records/1/phases/counts/1", "", phases + ".counts", "an array of 1",
       "an array of 2, as long as \"events\""},
      {"/rank_records/1/phases/counts/1", "[1]", phases + ".counts[1]", "an array of 1",
       "an array of 2, as long as \"group\""},
      {"/rank_records/1/phases/counts/0/1", "2.5", phases + ".counts[0][1]", "2.5",
       "null, since counted is 0"},
      {"/rank_records/1/phases/counts/0/0", "-1", phases + ".counts[0][0]", "-1", not_negative},
      {"/rank_records/1/events", "", at + ".event_totals", "an array of 2",
       "an array of 0, as long as \"events\""},
      {"/rank_records/1/events/1", "\"instructions\"", at + ".events",
       "event \"instructions\" twice", "each event only once"},
      {"/rank_records/1/event_totals/1", "", at + ".event_totals", "an array of 1",
       "an array of 2, as long as \"events\""},
      {"/rank_records/0/node_energy/1/meter", "", "field rank_records[0].node_energy[1].meter",
       kNothing, kThis},
      {"/rank_records/0/node_energy/1/energy_j", "-4",
       "field rank_records[0].node_energy[1].energy_j", "-4", not_negative},
      {"/rank_records/0/node_energy/1/origin", "\"guessed\"",
       "field rank_records[0].node_energy[1].origin", "\"guessed\"",
       "\"meter\", \"measured\" or \"attributed\""},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of periods that is missing or wrong is named") {
  const std::string periods_of_rank = "/rank_records/1/periods";
  const std::string periods = "field rank_records[1].periods";
  const std::vector<BrokenField> table = {
      {periods_of_rank + "/0/first", "", periods + "[0].first", kNothing, kThis},
      {periods_of_rank + "/0/passes", "2", periods + "[0].passes", "2",
       "3 or more, as many as \"groups\""},
      {periods_of_rank + "/0/groups/1", "9", periods + "[0].groups[1]", "9",
       "the id of one of the phase_groups"},
      {periods_of_rank + "/1/groups", "[0]", periods + "[1].groups", "an array of 1", "2 or more"},
      {periods_of_rank + "/1/first", "12", periods + "[1].first", "12",
       "more than that of the one before"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("an entry of the shared tables that is wrong is named") {
  const std::string list = "an ascending list of ranks below 2 such as 0-3,8,16-28:4";
  const std::vector<BrokenField> table = {
      {"/notes", "\"text\"", "field notes", "\"text\"", "an array"},
      {"/notes/1", "5", "field notes[1]", "5", kText},
      {"/communicators", "{}", "field communicators", "an object of 0", "an array"},
      {"/communicators/1", "[]", "field communicators[1]", "an array of 0", "an object"},
      {"/communicators/1/id", "0", "field communicators[1].id", "0", "1 or more"},
      {"/communicators/1/id", "77", "field communicators", "id 77 twice", "each id only once"},
      {"/communicators/0/members", "", "field communicators[0].members", kNothing, kThis},
      {"/communicators/0/members", "\"0-2\"", "field communicators[0].members", "\"0-2\"", list},
      {"/communicators/1/others", "\"1,0\"", "field communicators[1].others", "\"1,0\"", list},
      {"/phase_groups/0/begin", "", "field phase_groups[0].begin", kNothing, kThis},
      {"/phase_groups/1/id", "0", "field phase_groups", "id 0 twice", "each id only once"},
      {"/absent_events/0/ranks", "3", "field absent_events[0].ranks", "3",
       "a whole number from 0 to 2"},
      {"/absent_events/1", R"({"event": "cache-misses", "reason": "not supported", "ranks": 1})",
       "field absent_events", "event \"cache-misses\" with one reason twice",
       "each pair of event and reason only once"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of the wait states that is missing or wrong is named") {
  const std::string number = "a number, 0 or more";
  const std::vector<BrokenField> table = {
      {"/wait_states", "7", "field wait_states", "7", "an object"},
      {"/wait_states/origin", "", "field wait_states.origin", kNothing, kThis},
      {"/wait_states/origin", "\"guess\"", "field wait_states.origin", "\"guess\"", "\"trace\""},
      {"/wait_states/run_time_s", "-1", "field wait_states.run_time_s", "-1", number},
      {"/wait_states/stretched_run_time_s", "", "field wait_states.stretched_run_time_s", kNothing,
       kThis},
      {"/wait_states/ranks", "[]", "field wait_states.ranks", "an array of 0", "an object"},
      {"/wait_states/ranks/slack_s", "", "field wait_states.ranks.slack_s", kNothing, kThis},
      {"/wait_states/ranks/slack_s/1", "\"1\"", "field wait_states.ranks.slack_s[1]", "\"1\"",
       "a finite number"},
      {"/wait_states/ranks/slack_s", "[1]", "field wait_states.ranks.slack_s", "an array of 1",
       "an array of 2, as long as \"run_time_s\""},
      {"/wait_states/ranks", R"({"run_time_s": [1], "computation_s": [1], "slack_s": [1]})",
       "field wait_states.ranks.run_time_s", "an array of 1", "an array of 2, one for each rank"},
      {"/wait_states/patterns/0/pattern", "", "field wait_states.patterns[0].pattern", kNothing,
       kThis},
      {"/wait_states/patterns/0/pattern", "\"wait_at_nxn\"", "field wait_states.patterns",
       "pattern \"wait_at_nxn\" twice", "each pattern only once"},
      {"/wait_states/patterns/1/waited_s", "[1, 2, 3]", "field wait_states.patterns[1].waited_s",
       "an array of 3", "an array of 2, one for each rank"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

}  // namespace
}  // namespace huddle
