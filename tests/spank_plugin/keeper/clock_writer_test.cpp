#include "spank_plugin/keeper/clock_writer.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

constexpr MonotonicNs kMillisecond = 1'000'000;

// Writes of this process fail with EFBIG.
class NoWrites {
 public:
  NoWrites() : before_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoWrites() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_signal_);
  }
  NoWrites(const NoWrites&) = delete;
  NoWrites& operator=(const NoWrites&) = delete;

 private:
  void (*before_signal_)(int);
  struct rlimit before_ {};
};

struct Written {
  explicit Written(std::uint32_t clocks)
      : node(clocks),
        envelope(node.envelope, node.scratch.path()),
        arbiter(std::vector<ClockRequestArbiter::Clock>(clocks, {{kLeastKhz, kTopKhz}, {}}),
                std::chrono::milliseconds(1)),
        writer(envelope, arbiter, {}) {
    for (std::uint32_t clock = 0; clock < clocks; ++clock) arbiter.join(clock, 1);
  }
  void ask_all(std::uint32_t khz) {
    for (std::size_t clock = 0; clock < arbiter.clocks(); ++clock) {
      arbiter.ask(clock, 1, {khz, 0});
      writer.look_at(clock);
    }
  }
  [[nodiscard]] std::size_t count(std::uint32_t khz) const {
    std::size_t found = 0;
    for (std::uint32_t clock = 0; clock < arbiter.clocks(); ++clock)
      found += node.most(clock) == khz ? 1U : 0U;
    return found;
  }

  NodeOfFiles node;
  ClockEnvelope envelope;
  ClockRequestArbiter arbiter;
  ClockWriter writer;
};

TEST_CASE("every clock is written once at the beginning, and then if its limit changes only") {
  Written all(3);
  CHECK(all.writer.next() == 0);
  CHECK(all.writer.write_due(1).size() == 3);
  CHECK(all.count(kTopKhz) == 3);
  CHECK(all.writer.counts().writes == 3);
  all.ask_all(kTopKhz);
  CHECK(all.writer.write_due(2).size() == 3);
  CHECK(all.writer.counts().writes == 3);
  CHECK(all.writer.write_due(3).empty());
}

TEST_CASE("many clocks are raised at once, and lowered a few at a time") {
  Written all(40);
  all.writer.write_due(1);
  all.ask_all(kLeastKhz);
  all.writer.write_due(10 * kMillisecond);
  CHECK(all.count(kLeastKhz) == 16);
  CHECK(all.writer.next() == 0);  // the rest is due at once
  all.writer.write_due(10 * kMillisecond);
  all.writer.write_due(10 * kMillisecond);
  CHECK(all.count(kLeastKhz) == 40);
  all.ask_all(kTopKhz);
  all.writer.write_due(10 * kMillisecond);
  CHECK(all.count(kTopKhz) == 40);
}

TEST_CASE("no clock waits forever to be lowered, however often others are") {
  Written all(40);
  all.writer.write_due(1);
  MonotonicNs now = 0;
  bool last_was_lowered = false;
  for (int i = 0; i < 10 && !last_was_lowered; ++i) {
    // All but the last one go up and down again.
    now += 10 * kMillisecond;
    all.ask_all(kTopKhz);
    all.arbiter.ask(39, 1, {kLeastKhz, 0});
    for (std::size_t clock = 0; clock < 39; ++clock) all.arbiter.ask(clock, 1, {kLeastKhz, 0});
    all.writer.write_due(now);
    last_was_lowered = all.node.most(39) == kLeastKhz;
    for (std::size_t clock = 0; clock < 39; ++clock) {
      all.arbiter.ask(clock, 1, {kTopKhz, 0});
      all.writer.look_at(clock);
    }
    all.writer.write_due(now);
    last_was_lowered = last_was_lowered || all.node.most(39) == kLeastKhz;
  }
  CHECK(last_was_lowered);
}

TEST_CASE("a write that fails is counted, told, and tried again ever more rarely") {
  Written one(1);
  one.writer.write_due(1);
  one.ask_all(kLeastKhz);
  MonotonicNs now = 10 * kMillisecond;
  {
    const NoWrites disk_is_full;
    one.writer.write_due(now);
  }
  CHECK(one.writer.counts().failed_writes == 1);
  CHECK(one.writer.answer(0, {kLeastKhz, 0}, now).verdict == ClockVerdict::kRefused);
  CHECK(one.writer.answer(0, {kLeastKhz, 0}, now).written_khz == kTopKhz);
  CHECK(one.writer.next() == now + kMillisecond);
  {
    const NoWrites disk_is_full;
    one.ask_all(kLeastKhz + 1);  // asking does not hasten it
    one.writer.write_due(now + kMillisecond / 2);
    CHECK(one.writer.counts().failed_writes == 1);
    for (int i = 0; i < 20; ++i) {
      now = one.writer.next();
      one.writer.write_due(now);
    }
  }
  CHECK(one.writer.counts().failed_writes == 21);
  CHECK(one.writer.next() == now + 1000 * kMillisecond);
  one.writer.write_due(one.writer.next());
  CHECK(one.node.most(0) == kLeastKhz + 1);
  CHECK(one.writer.answer(0, {kLeastKhz + 1, 0}, now).verdict == ClockVerdict::kAsAsked);
}

TEST_CASE("a clock is read a moment after it was written, and now and then as long as it is used") {
  Written one(1);
  const MonotonicNs begin = monotonic_now();
  one.writer.write_due(begin);
  CHECK_FALSE(one.writer.read_due(begin).has_value());
  const MonotonicNs first = one.writer.next();
  CHECK(first >= begin + kMillisecond);
  store::put_file(one.node.file(0, "scaling_cur_freq"), "1234567\n");
  CHECK(one.writer.read_due(first) == std::optional<std::size_t>(0));
  CHECK(one.writer.answer(0, {}, first).achieved_khz == 1'234'567);
  CHECK(one.writer.next() >= monotonic_now() + 500 * kMillisecond);
  CHECK(one.writer.next() < kNever);
  one.arbiter.leave(0, 1);
  CHECK(one.writer.read_due(one.writer.next()).has_value());
  CHECK(one.writer.next() == kNever);
}

TEST_CASE("in the end all clocks are at the top, also those that somebody else has changed") {
  Written all(3);
  all.writer.write_due(1);
  all.arbiter.ask(0, 1, {kLeastKhz, 0});
  all.writer.look_at(0);
  all.writer.write_due(10 * kMillisecond);
  store::put_file(all.node.file(2, "scaling_max_freq"), "1300000\n");
  CHECK(all.writer.write_tops());
  CHECK(all.count(kTopKhz) == 3);
  const NoWrites disk_is_full;
  CHECK_FALSE(all.writer.write_tops());
}

}  // namespace
}  // namespace huddle::keeper
