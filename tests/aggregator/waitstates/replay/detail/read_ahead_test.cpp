#include "aggregator/waitstates/replay/detail/read_ahead.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::waitstates {
namespace {

/// Events without end, one time after the other, until a read fails.
class FailingStream final : public traces::EventStream {
 public:
  explicit FailingStream(std::size_t reads, bool damaged) : reads_(reads), damaged_(damaged) {}

  std::size_t read(std::span<traces::Event> into) override {
    if (reads_ == 0 && damaged_) throw FormatError("trace", "event 7", "damaged", "an event");
    if (reads_ == 0) throw std::runtime_error("no memory");
    --reads_;
    for (traces::Event& event : into) event.time = time_++;
    return into.size();
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return {"a remark"}; }

 private:
  std::size_t reads_;
  bool damaged_;
  std::uint64_t time_ = 0;
};

}  // namespace

TEST_CASE("batches follow each other, whoever reads them") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    CAPTURE(threads);
    MemoryTrace trace(20);
    for (std::uint32_t location = 0; location < 20; ++location)
      for (std::uint64_t time = 0; time < 1000; ++time) trace.add(location, time, sent(0));
    ReadAhead reading(threads);
    for (std::uint32_t location = 0; location < 20; ++location)
      REQUIRE(reading.add(trace.events_of(location)) == location);
    std::vector<EventBatch> batches(20);
    std::vector<std::uint64_t> next(20);
    bool in_order = true;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t location = 0; location < 20; ++location) {
        reading.next(location, batches[location]);
        for (const traces::Event& event : batches[location].events)
          in_order = in_order && event.time == next[location]++;
        more = more || !batches[location].events.empty();
      }
    }
    CHECK(in_order);
    CHECK(std::ranges::all_of(next, [](std::uint64_t count) { return count == 1000; }));
  }
}

TEST_CASE("what goes wrong in a thread that reads ahead is thrown where the batch is needed") {
  for (const std::size_t threads : {0U, 1U}) {
    CAPTURE(threads);
    ReadAhead reading(threads);
    const std::size_t location = reading.add(std::make_unique<FailingStream>(3, false));
    EventBatch batch;
    for (int i = 0; i < 3; ++i) reading.next(location, batch);
    CHECK_THROWS_AS(reading.next(location, batch), std::runtime_error);
  }
}

TEST_CASE("a damage ends a location, and is kept with its last batch") {
  for (const std::size_t threads : {0U, 1U}) {
    CAPTURE(threads);
    ReadAhead reading(threads);
    const std::size_t location = reading.add(std::make_unique<FailingStream>(3, true));
    EventBatch batch;
    for (int i = 0; i < 3; ++i) reading.next(location, batch);
    CHECK(batch.damage.empty());
    reading.next(location, batch);
    CHECK(batch.events.empty());
    CHECK(batch.damage.find("damaged") != std::string::npos);
    CHECK(reading.remarks(location) == std::vector<std::string>{"a remark"});
  }
}

TEST_CASE("reading may be given up at any time") {
  for (int i = 0; i < 100; ++i) {
    ReadAhead reading(2);
    EventBatch batch;
    for (int location = 0; location < 20; ++location)
      reading.next(reading.add(std::make_unique<FailingStream>(1000, false)), batch);
  }
}

}  // namespace huddle::waitstates
