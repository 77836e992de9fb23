#include "spank_plugin/courier/courier_order.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::courier {
namespace {

CourierOrder some_order() {
  return {65534,
          100,
          {100, 4711},
          "/dev/shm/huddle-65534-n0-17.0-1.2",
          "/home/no body/profiles",
          "/home/no body/outcomes",
          R"({"format":"huddle/outcome"})",
          17,
          0,
          30};
}

TEST_CASE("a courier's order is read as it was written") {
  CourierOrder order = some_order();
  CHECK(parse_courier_order(text_of(order)) == order);
  order.groups.clear();
  CHECK(parse_courier_order(text_of(order)) == order);
  order.spool.clear();
  order.store.clear();
  CHECK(parse_courier_order(text_of(order)) == order);
  order.outcome_store.clear();
  order.outcome.clear();
  CHECK(parse_courier_order(text_of(order)) == order);
}

TEST_CASE("a courier's order that is cut anywhere is refused") {
  const std::string text = text_of(some_order());
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(parse_courier_order(text.substr(0, size)), Error);
  }
}

TEST_CASE("a courier's order with more than a number where one belongs is refused") {
  std::string text = text_of(some_order());
  text.insert(text.find('\n'), " 0");
  CHECK_THROWS_AS(parse_courier_order(text), Error);
}

TEST_CASE("what a user wrote does not become another line of a courier's order") {
  CourierOrder order = some_order();
  for (const char* store : {"/a\nuser 0", "/a\x7f", "relative", "/a\rb"}) {
    CAPTURE(store);
    order = some_order();
    order.store = store;
    CHECK_THROWS_AS(text_of(order), Error);
    order = some_order();
    order.outcome_store = store;
    CHECK_THROWS_AS(text_of(order), Error);
  }
  order = some_order();
  order.outcome = "{}\njob 0";
  CHECK_THROWS_AS(text_of(order), Error);
  CHECK_THROWS_AS(
      parse_courier_order("user 1\nuser 0\ngroup 0\ngroups \nspool /a\nstore /b\nend\n"), Error);
  CHECK_THROWS_AS(parse_courier_order("user -1\ngroup 0\ngroups \nspool /a\nstore /b\nend\n"),
                  Error);
}

}  // namespace
}  // namespace huddle::courier
