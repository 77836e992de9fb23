#include "aggregator/waitstates/replay/exchange.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/memory_exchange.hpp"

namespace huddle {
namespace {

TEST_CASE("a single process exchanges nothing with anybody") {
  const std::unique_ptr<Exchange> alone = one_process();
  CHECK(alone->process() == 0);
  CHECK(alone->processes() == 1);
  CHECK(alone->receive(true).empty());
  CHECK(alone->sum(UINT64_MAX) == UINT64_MAX);
  CHECK(alone->least(0) == 0);
  CHECK(alone->gather("bytes") == std::vector<std::string>{"bytes"});
  CHECK_THROWS_AS(alone->send(0, ""), Error);
  std::vector<bool> values = {true, false};
  allreduce_or(*alone, values);
  CHECK(values == std::vector<bool>{true, false});
}

TEST_CASE("the OR of no values, and of a last word that is full or not") {
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 128U})
    on_processes(2, [size](Exchange& exchange) {
      std::vector<bool> values(size);
      if (size > 0 && exchange.process() == 1) values[size - 1] = true;
      allreduce_or(exchange, values);
      CHECK(values.size() == size);
      CHECK(std::count(values.begin(), values.end(), true) == (size > 0 ? 1 : 0));
      if (size > 0) CHECK(values.back());
    });
}

TEST_CASE("the least value by sums is exact from 0 to the largest number") {
  const std::vector<std::uint64_t> values = {UINT64_MAX, UINT64_MAX - 1, 1ULL << 63U, 1, 0};
  for (std::size_t last = 1; last < values.size(); ++last)
    on_processes(2, [&](Exchange& exchange) {
      CHECK(exchange.Exchange::least(values[exchange.process() == 0 ? last - 1 : last]) ==
            values[last]);
    });
}

}  // namespace
}  // namespace huddle
