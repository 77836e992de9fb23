#include "profiles/recorder/profile/measures.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "profiles/hardware/counters/event_names.hpp"

namespace huddle::recorder {
namespace {

Measures::Options options_of(const std::map<std::string, std::string>& variables) {
  return Measures::options_from([&](const char* name) -> const char* {
    const auto place = variables.find(name);
    return place == variables.end() ? nullptr : place->second.c_str();
  });
}

}  // namespace

TEST_CASE("HUDDLE_EVENTS names what is counted; without it the default is") {
  CHECK(options_of({}).events == counters::default_events());
  CHECK(options_of({{"HUDDLE_EVENTS", "none"}}).events.empty());
  CHECK(options_of({{"HUDDLE_EVENTS", "cycles,instructions"}}).events ==
        std::vector<std::string>{"cycles", "instructions"});
  CHECK(options_of({{"HUDDLE_EVENTS", "cycles"}}).trouble.empty());
}

TEST_CASE("a wrong list of events is reported, and the default is counted") {
  const Measures::Options options = options_of({{"HUDDLE_EVENTS", "cycles,,x"}});
  CHECK(options.events == counters::default_events());
  CHECK(options.trouble.find("HUDDLE_EVENTS") != std::string::npos);
  Measures measures({.events = {}, .reads_node_energy = false, .trouble = options.trouble});
  CHECK(measures.phase_counters() == nullptr);
  REQUIRE(measures.absent().size() == 1);
  CHECK(measures.absent()[0].reason == options.trouble);
}

TEST_CASE("the first rank of a node reads its energy, and a process without a launcher does") {
  CHECK(options_of({}).reads_node_energy);
  CHECK(options_of({{"PMI_RANK", "4"}, {"MPI_LOCALRANKID", "0"}}).reads_node_energy);
  CHECK_FALSE(options_of({{"PMI_RANK", "5"}, {"MPI_LOCALRANKID", "1"}}).reads_node_energy);
}

}  // namespace huddle::recorder
