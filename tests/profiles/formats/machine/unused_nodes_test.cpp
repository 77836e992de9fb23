#include <doctest/doctest.h>

#include "profiles/formats/machine/machine.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

Machine machine_with(const std::string& unused) {
  return parse_machine(
      R"({"format": "huddle/machine", "version": 1, "name": "", "node": {"topology": "core:2"},
          "nodes": 10)" +
          unused + "}",
      "m");
}

std::string shares_of(const Machine& machine, std::string_view partition = {}) {
  return text_of(fates_of(machine.unused_nodes, machine.nodes, partition));
}

const char* const kGroups = R"(, "unused_nodes": {"become": "idles", "origin": "given", "groups": [
    {"nodes": 6, "become": "sleeps", "sleep_after_s": 300, "partitions": ["batch", "all"]},
    {"nodes": 2, "become": "used", "partitions": ["debug", "all"]}]})";

TEST_CASE("of a document that says nothing, unused nodes are used by other jobs") {
  const Machine machine = machine_with("");
  CHECK(!machine.unused_nodes);
  CHECK(shares_of(machine) == "other jobs use them");
  CHECK(are_used_by_others(fates_of(machine.unused_nodes, machine.nodes)));
}

TEST_CASE("one fate may be that of all nodes") {
  CHECK(shares_of(machine_with(
            R"(, "unused_nodes": {"become": "sleeps", "sleep_after_s": 60, "origin": "given"})")) ==
        "they sleep after 60 s");
  CHECK(shares_of(machine_with(R"(, "unused_nodes": {"become": "sleeps", "origin": "given"})"),
                  "batch") == "they sleep at once");
  CHECK(shares_of(machine_with(R"(, "unused_nodes": {"become": "idles", "origin": "given"})")) ==
        "they stay on with nothing to do");
}

TEST_CASE("nodes may differ by groups and partitions") {
  const Machine machine = machine_with(kGroups);
  CHECK(shares_of(machine) ==
        "of 60 % they sleep after 300 s, of 20 % other jobs use them, of 20 % they stay on with "
        "nothing to do");
  CHECK(shares_of(machine, "batch") == "they sleep after 300 s");
  CHECK(shares_of(machine, "debug") == "other jobs use them");
  CHECK(shares_of(machine, "all") == "of 75 % they sleep after 300 s, of 25 % other jobs use them");
  CHECK(shares_of(machine, "unheard of") == shares_of(machine));
  CHECK(!are_used_by_others(fates_of(machine.unused_nodes, machine.nodes)));
}

TEST_CASE("groups have all of the nodes where their number is not known") {
  const Machine machine = machine_with(kGroups);
  CHECK(text_of(fates_of(machine.unused_nodes, 0)) ==
        "of 75 % they sleep after 300 s, of 25 % other jobs use them");
}

TEST_CASE("what becomes of unused nodes is written as it was read") {
  const Machine machine = machine_with(kGroups);
  CHECK(parse_machine(to_json(machine), "m").unused_nodes == machine.unused_nodes);
  CHECK(to_json(machine_with("")).find("unused_nodes") == std::string::npos);
}

TEST_CASE("nonsense about unused nodes is refused") {
  const auto said = [](const std::string& members) {
    return error_of<FormatError>(
        [&] { machine_with(R"(, "unused_nodes": {"origin": "given", )" + members + "}"); });
  };
  CHECK(
      said(R"("become": "vanish")") ==
      "m: field unused_nodes.become: found \"vanish\", expected \"used\", \"sleeps\" or \"idles\"");
  CHECK(said(R"("become": "idles", "sleep_after_s": 60)")
            .ends_with("expected nothing, since such nodes do not sleep"));
  CHECK(said(R"("become": "sleeps", "sleep_after_s": -1)").find("sleep_after_s") !=
        std::string::npos);
  CHECK(said(R"("become": "used", "groups": [{"nodes": 0, "become": "used"}])").find("nodes") !=
        std::string::npos);
}

}  // namespace
}  // namespace huddle
