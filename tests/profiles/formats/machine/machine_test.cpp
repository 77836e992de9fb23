#include "profiles/formats/machine/machine.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

const std::string kNothing = "nothing";
const std::string kThis = "this field";

TEST_CASE("every field of a machine survives a file") {
  const store::TemporaryDirectory directory;
  const Machine machine = sample_machine();
  save_machine(machine, directory.path() / "m.json");
  CHECK(store::get_file(directory.path() / "m.json") == to_json(machine));
  const Machine read = load_machine(directory.path() / "m.json");
  CHECK(read.name == machine.name);
  CHECK(read.topology == machine.topology);
  CHECK(read.node_memory == machine.node_memory);
  CHECK(read.nodes == machine.nodes);
  for (std::size_t i = 0; i < kDistances; ++i) {
    CHECK(read.links[i].latency == machine.links[i].latency);
    CHECK(read.links[i].bandwidth == machine.links[i].bandwidth);
    CHECK(read.links[i].origin == machine.links[i].origin);
  }
  CHECK(read.messages == machine.messages);
  CHECK(read.collectives == machine.collectives);
  CHECK(read.memory_streams == machine.memory_streams);
  REQUIRE(read.power);
  CHECK(read.power->idle_node == machine.power->idle_node);
  CHECK(read.power->off_node == machine.power->off_node);
  CHECK(read.power->package == machine.power->package);
  CHECK(read.power->die == machine.power->die);
  CHECK(read.power->core == machine.power->core);
  CHECK(read.power->origin == machine.power->origin);
  CHECK(read.frequencies == machine.frequencies);
  CHECK(read.power_states == machine.power_states);
  CHECK(to_json(parse_machine(as_cbor(to_json(machine)), "m")) == to_json(machine));
}

TEST_CASE("a field of a machine that is missing or wrong is named") {
  const std::string origins = "\"measured\", \"given\" or \"assumed\"";
  const std::vector<BrokenField> table = {
      {"/format", "\"huddle/profile\"", "field format", "\"huddle/profile\"", "\"huddle/machine\""},
      {"/version", "0", "field version", "0", "1, the version that this huddle reads"},
      {"/name", "", "field name", kNothing, kThis},
      {"/node", "", "field node", kNothing, kThis},
      {"/node", "1", "field node", "1", "an object"},
      {"/node/topology", "", "field node.topology", kNothing, kThis},
      {"/node/topology", "\"\"", "field node.topology", "\"\"",
       "hwloc's synthetic form or an hwloc XML document"},
      {"/node/memory_bytes", "-1", "field node.memory_bytes", "-1", "a whole number, 0 or more"},
      {"/nodes", "1.5", "field nodes", "1.5", "a whole number from 0 to 4294967295"},
      {"/nodes", "4294967296", "field nodes", "4294967296", "a whole number from 0 to 4294967295"},
      {"/links", "{}", "field links", "an object of 0", "an array"},
      {"/links/1", "7", "field links[1]", "7", "an object"},
      {"/links/1/distance", "\"socket\"", "field links[1].distance", "\"socket\"",
       "\"die\", \"package\", \"node\" or \"network\""},
      {"/links/1/latency_s", "0", "field links[1].latency_s", "0", "a number above 0"},
      {"/links/1/latency_s", "-1e-6", "field links[1].latency_s", "-1e-06", "a number above 0"},
      {"/links/1/latency_s", "NaN", "field links[1].latency_s", "nan", "a finite number"},
      {"/links/1/bandwidth_bytes_per_s", "0.0", "field links[1].bandwidth_bytes_per_s", "0.0",
       "a number above 0"},
      {"/links/1/bandwidth_bytes_per_s", "inf", "field links[1].bandwidth_bytes_per_s", "inf",
       "a finite number"},
      {"/links/1/bandwidth_bytes_per_s", "", "field links[1].bandwidth_bytes_per_s", kNothing,
       kThis},
      {"/links/1/origin", "", "field links[1].origin", kNothing, kThis},
      {"/links/1/origin", "\"guessed\"", "field links[1].origin", "\"guessed\"", origins},
      {"/messages", "{}", "field messages", "an object of 0", "an array"},
      {"/messages/0/distance", "\"far\"", "field messages[0].distance", "\"far\"",
       "\"die\", \"package\", \"node\" or \"network\""},
      {"/messages/0/pairs", "0", "field messages[0].pairs", "0", "a whole number from 1 to 65536"},
      {"/messages/0/pairs", "", "field messages[0].pairs", kNothing, kThis},
      {"/messages/0/bytes", "-8", "field messages[0].bytes", "-8", "a whole number, 0 or more"},
      {"/messages/0/bytes", "[]", "field messages[0].bytes", "an array of 0", "at least one size"},
      {"/messages/0/bytes/0", "1.5", "field messages[0].bytes[0]", "1.5",
       "a whole number, 0 or more"},
      {"/messages/0/time_s", "[1, 2]", "field messages[0].time_s", "an array of 2",
       "an array of 1, as long as \"bytes\""},
      {"/messages/0/time_s", "1", "field messages[0].time_s", "1", "an array"},
      {"/messages/0/time_s/0", "0", "field messages[0].time_s[0]", "0", "a number above 0"},
      {"/messages/0/origin", "\"heard\"", "field messages[0].origin", "\"heard\"", origins},
      {"/messages/1/bytes/0", "8", "field messages", "an array of 3",
       "each size once; die with 1 pair(s) has 8 bytes twice"},
      {"/collectives", "1", "field collectives", "1", "an array"},
      {"/collectives/0/operation", "\"MPI_Bcast\"", "field collectives[0].operation",
       "\"MPI_Bcast\"", "an MPI function without MPI_ and in lower case, such as \"allreduce\""},
      {"/collectives/0/pattern", "\"2:2\"", "field collectives[0].pattern", "\"2:2\"",
       "a pattern such as \"2:1:2\""},
      {"/collectives/0/ranks", "1", "field collectives[0].ranks", "1",
       "a whole number from 2 to 2147483648"},
      {"/collectives/1/time_s/1", "-1", "field collectives[1].time_s[1]", "-1", "a number above 0"},
      {"/collectives/1/bytes/1", "8", "field collectives", "an array of 2",
       "each size once; allreduce on 10:1:1 with 20 ranks has 8 bytes twice"},
      {"/memory_streams/0/within", "\"network\"", "field memory_streams[0].within", "\"network\"",
       "\"die\", \"package\" or \"node\""},
      {"/memory_streams/0/ranks", "0", "field memory_streams[0].ranks", "0",
       "a whole number from 1 to 65536"},
      {"/memory_streams/1/bandwidth_bytes_per_s", "0",
       "field memory_streams[1].bandwidth_bytes_per_s", "0", "a number above 0"},
      {"/power", "3", "field power", "3", "an object"},
      {"/power/idle_node_w", "", "field power.idle_node_w", kNothing, kThis},
      {"/power/die_w", "-1", "field power.die_w", "-1", "a number, 0 or more"},
      {"/power/origin", "\"guessed\"", "field power.origin", "\"guessed\"", origins},
      {"/frequencies", "[]", "field frequencies", "an array of 0", "an object"},
      {"/frequencies/hz", "", "field frequencies.hz", kNothing, kThis},
      {"/frequencies/hz", "[]", "field frequencies.hz", "an array of 0",
       "an array of 1 to 256 frequencies"},
      {"/frequencies/hz/0", "0", "field frequencies.hz[0]", "0", "a number above 0"},
      {"/frequencies/hz/1", "1.2e9", "field frequencies.hz[1]", "1200000000.0",
       "a frequency above the one before it"},
      {"/frequencies/nominal_hz", "2e9", "field frequencies.nominal_hz", "2000000000.0",
       "one of the frequencies in \"hz\""},
      {"/frequencies/power/1/hz", "0", "field frequencies.power[1].hz", "0",
       "a frequency above the one before it"},
      {"/frequencies/power/1/hz", "2.4e9", "field frequencies.power[1].hz", "2400000000.0",
       "another frequency than \"nominal_hz\", whose figures are those of \"power\""},
      {"/frequencies/power/0/core_w", "", "field frequencies.power[0].core_w", kNothing, kThis},
      {"/frequencies/power/1/die_w", "-1", "field frequencies.power[1].die_w", "-1",
       "a number, 0 or more"},
      {"/frequencies/domain", "\"die\"", "field frequencies.domain", "\"die\"",
       "\"core\" or \"package\""},
      {"/frequencies/origin", "\"guessed\"", "field frequencies.origin", "\"guessed\"", origins},
      {"/power_states", "[]", "field power_states", "an array of 0", "an object"},
      {"/power_states/states", "", "field power_states.states", kNothing, kThis},
      {"/power_states/states", "[]", "field power_states.states", "an array of 0",
       "an array of 1 to 64 power states, the one that programs run in first"},
      {"/power_states/states/0/name", "\"\"", "field power_states.states[0].name", "\"\"",
       "a name such as \"1900 MHz\""},
      {"/power_states/states/1/name", "\"2400 MHz\"", "field power_states.states[1].name",
       "\"2400 MHz\"", "a name that no state before it has"},
      {"/power_states/states/0/active_w", "0", "field power_states.states[0].active_w", "0",
       "a number above 0"},
      {"/power_states/states/1/active_w", "NaN", "field power_states.states[1].active_w", "nan",
       "a finite number"},
      {"/power_states/states/1/active_w", "1e6", "field power_states.states[1].active_w",
       "1000000.0", "the watts of a core, 0 to 1e5"},
      {"/power_states/states/1/idle_w", "13", "field power_states.states[1].idle_w", "13",
       "no more than \"active_w\""},
      {"/power_states/states/1/idle_w", "", "field power_states.states[1].idle_w", kNothing, kThis},
      {"/power_states/states/0/transition_j", "1", "field power_states.states[0].transition_j", "1",
       "0, since programs run in the first state"},
      {"/power_states/states/1/transition_s", "-1", "field power_states.states[1].transition_s",
       "-1", "a number, 0 or more"},
      {"/power_states/states/1/transition_s", "1e6", "field power_states.states[1].transition_s",
       "1000000.0", "seconds from 0 to 1e5"},
      {"/power_states/states/0/frequency_hz", "0", "field power_states.states[0].frequency_hz", "0",
       "a number above 0"},
      {"/power_states/origin", "\"guessed\"", "field power_states.origin", "\"guessed\"", origins},
  };
  for (const BrokenField& broken : table) {
    CAPTURE(broken.pointer);
    CAPTURE(broken.value);
    const std::string document =
        with_field(to_json(sample_machine()), broken.pointer, broken.value);
    CHECK(error_of<FormatError>([&] { parse_machine(document, "m"); }) == message_of(broken, "m"));
  }
}

TEST_CASE("what a machine does not say is unknown or assumed, never invented as given") {
  const Machine machine = parse_machine(
      R"({"format": "huddle/machine", "version": 1, "name": "", "node": {"topology": "core:2"},
          "links": [{"distance": "network", "latency_s": 1, "bandwidth_bytes_per_s": 2,
                     "origin": "given"}]})",
      "m");
  CHECK(machine.nodes == 0);
  CHECK(machine.node_memory == Bytes{0});
  CHECK(!machine.power);
  CHECK(machine.link(Distance::kNetwork).origin == Origin::kGiven);
  CHECK(machine.link(Distance::kNetwork).latency == Seconds{1});
  for (const Distance distance : {Distance::kDie, Distance::kPackage, Distance::kNode}) {
    CHECK(machine.link(distance).origin == Origin::kAssumed);
    CHECK(machine.link(distance).latency ==
          Machine::default_links()[static_cast<std::size_t>(distance)].latency);
  }
}

TEST_CASE("times may stand one by one, in any order, and are put together") {
  const Machine machine = parse_machine(
      R"({"format": "huddle/machine", "version": 1, "name": "", "node": {"topology": "core:2"},
          "messages": [
           {"distance": "network", "pairs": 1, "bytes": 64, "time_s": 3e-6, "origin": "given"},
           {"distance": "die", "pairs": 2, "bytes": 8, "time_s": 1e-6, "origin": "given"},
           {"distance": "network", "pairs": 1, "bytes": [8], "time_s": [2e-6], "origin": "assumed"}],
          "memory_streams": [
           {"within": "node", "ranks": 1, "bandwidth_bytes_per_s": 1e9, "origin": "given"},
           {"within": "die", "ranks": 1, "bandwidth_bytes_per_s": 2e9, "origin": "given"}]})",
      "m");
  const std::vector<MessageTimes> expected = {
      {Distance::kDie, 2, {{{8}, {1e-6}, Origin::kGiven}}},
      {Distance::kNetwork, 1, {{{8}, {2e-6}, Origin::kAssumed}, {{64}, {3e-6}, Origin::kGiven}}}};
  CHECK(machine.messages == expected);
  CHECK(machine.collectives.empty());
  REQUIRE(machine.memory_streams.size() == 2);
  CHECK(machine.memory_streams.front().within == Distance::kDie);
}

TEST_CASE("assumed links get slower with distance") {
  const auto links = Machine::default_links();
  for (std::size_t i = 1; i < links.size(); ++i) {
    CHECK(links[i].latency > links[i - 1].latency);
    CHECK(links[i].bandwidth < links[i - 1].bandwidth);
  }
}

TEST_CASE("a machine document cut at any byte is an error") {
  for (std::string whole : {to_json(sample_machine()), as_cbor(to_json(sample_machine()))}) {
    while (whole.back() == '\n') whole.pop_back();
    for (std::size_t length = 0; length < whole.size(); ++length)
      CHECK_THROWS_AS(parse_machine(std::string_view(whole).substr(0, length), "m"), FormatError);
  }
}

TEST_CASE("a topology larger than any real one is refused") {
  Machine machine = sample_machine();
  machine.topology = std::string((std::size_t{16} << 20U) + 1, 'x');
  CHECK(error_of<FormatError>([&] {
          parse_machine(to_json(machine), "m");
        }).ends_with("expected hwloc's synthetic form or an hwloc XML document"));
}

}  // namespace
}  // namespace huddle
