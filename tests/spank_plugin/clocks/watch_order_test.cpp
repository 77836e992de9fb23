#include "spank_plugin/clocks/watch_order.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::clocks {
namespace {

WatchOrder some_order() {
  WatchOrder order;
  order.claim = {
      17, 0, false, {4711, 890123}, frequency::parse_limits_by_pu("0-3@1200000-1800000")};
  order.allocated = PuSet::parse("0-7");
  order.site = frequency::ClockLimits{1200000, 2400000};
  order.journal_directory = "/var/lib/hu ddle";
  order.policy_file = "/etc/slurm/huddle.toml";
  return order;
}

TEST_CASE("an order is read as it was written") {
  WatchOrder order = some_order();
  CHECK(parse_watch_order(text_of(order)) == order);
  order.site.reset();
  order.policy_file.clear();
  order.claim.keeper = processes::ProcessIdentity{4720, 890200};
  CHECK(parse_watch_order(text_of(order)) == order);
}

TEST_CASE("an order that is cut anywhere is refused") {
  const std::string text = text_of(some_order());
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(parse_watch_order(text.substr(0, size)), Error);
  }
}

}  // namespace
}  // namespace huddle::clocks
