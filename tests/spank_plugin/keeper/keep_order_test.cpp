#include "spank_plugin/keeper/keep_order.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

KeepOrder keep_order() {
  return {17, 0xfffffffb, {4711, 890123}, 1000, "nobody", "/run/huddle/keeper-4711"};
}

EnvelopeOrder envelope_order() {
  return {
      {4720, 890200},
      {{0, PuSet::parse("0,64"), {1200000, 2400000}}, {3, PuSet::parse("3"), {1200000, 1800000}}}};
}

TEST_CASE("orders to a keeper are read as they were written") {
  CHECK(parse_keep_order(text_of(keep_order())) == keep_order());
  CHECK(text_of(envelope_order()) ==
        "watcher 4720 890200\nclock 0 0,64 1200000-2400000\nclock 3 3 1200000-1800000\nend\n");
  CHECK(parse_envelope_order(text_of(envelope_order())) == envelope_order());
}

TEST_CASE("orders to a keeper that are cut anywhere are refused") {
  const std::string keep = text_of(keep_order());
  for (std::size_t size = 0; size < keep.size(); ++size)
    CHECK_THROWS_AS(parse_keep_order(keep.substr(0, size)), Error);
  const std::string envelope = text_of(envelope_order());
  for (std::size_t size = 0; size < envelope.size(); ++size)
    CHECK_THROWS_AS(parse_envelope_order(envelope.substr(0, size)), Error);
}

TEST_CASE("an envelope that is none is refused") {
  for (const char* text :
       {"watcher 1 2\nend\n", "watcher 1\nclock 0 0 1-2\nend\n", "clock 0 0 1-2\nend\n",
        "watcher 1 2\nclock 0 0 2-1\nend\n", "watcher 1 2\nclock 0 0 0-1\nend\n",
        "watcher 1 2\nclock -1 0 1-2\nend\n", "watcher 1 2\nclock 0 x 1-2\nend\n",
        "watcher 1 2\nclock 0 0 1-2\nend\nend\n", "watcher 1 2 3\nclock 0 0 1-2\nend\n",
        "watcher 1 2\nclock 0 0 1-2 3\nend\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_envelope_order(text), Error);
  }
}

}  // namespace
}  // namespace huddle::keeper
