#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <random>

#include "spank_plugin/keeper/keeper_server.hpp"
#include "tests/profiles/keeper/packet_with_files.hpp"
#include "tests/spank_plugin/keeper/hostile_rank.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

using std::chrono::milliseconds;

std::size_t descriptors_of_process() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

bool in_envelope(const NodeOfFiles& node, std::uint32_t clock) {
  const std::uint32_t khz = node.most(clock);
  return khz >= kLeastKhz && khz <= kTopKhz;
}

// True if a well-behaved rank is served.
bool serves(const KeptNode& kept, const NodeOfFiles& node, std::uint32_t pu) {
  KeeperClient rank = kept.rank(std::to_string(pu));
  rank.ask(0, 1'777'000);
  return happens([&] { return node.most(pu) == 1'777'000; });
}

TEST_CASE("whatever is in a page, the clock stays within the envelope") {
  NodeOfFiles node;
  const KeptNode kept(node);
  const HostileRank rank(kept.socket(), "0");
  ClockSlot& slot = rank.page.view().slot(0);
  constexpr auto kHighest32 = std::numeric_limits<std::uint32_t>::max();
  constexpr auto kHighest64 = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint32_t khz : {0U, 1U, kLeastKhz - 1, kTopKhz + 1, 99'999'999U, kHighest32})
    for (const std::uint64_t lease :
         {std::uint64_t{0}, std::uint64_t{1}, kHighest64, kHighest64 - 1}) {
      slot.asked_khz = khz;
      slot.lease_end_ns = lease;
      rank.wake_keeper();
      std::this_thread::sleep_for(milliseconds(2));
      CHECK(in_envelope(node, 0));
    }
  slot.lease_end_ns = 0;
  slot.asked_khz = 1;
  rank.wake_keeper();
  CHECK(happens([&] { return node.most(0) == kLeastKhz; }));
  slot.asked_khz = kHighest32;
  rank.wake_keeper();
  CHECK(happens([&] { return node.most(0) == kTopKhz; }));
  CHECK(serves(kept, node, 1));
}

TEST_CASE("a page that changes all the time, all of it, harms nobody") {
  NodeOfFiles node;
  const KeptNode kept(node);
  const HostileRank rank(kept.socket(), "0");
  std::mt19937_64 random(7);
  const auto bytes = ClockPageView::size_for(1);
  auto* const words = reinterpret_cast<std::uint64_t*>(&rank.page.view().head());
  const auto until = std::chrono::steady_clock::now() + milliseconds(300);
  bool outside = false;
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 200; ++i)
      std::atomic_ref(words[random() % (bytes / 8)]).store(random() >> (random() % 64));
    rank.wake_keeper();
    outside = outside || !in_envelope(node, 0);
  }
  CHECK_FALSE(outside);
  CHECK(node.most(2) == 3'000'000);
  CHECK(serves(kept, node, 1));
}

TEST_CASE("a keeper believes nothing of its own that a rank could have changed") {
  NodeOfFiles node;
  const KeptNode kept(node);
  const HostileRank rank(kept.socket(), "0");
  rank.page.view().head().clocks = 1'000'000;
  rank.page.view().head().magic = 0;
  ClockSlot& slot = rank.page.view().slot(0);
  slot.written_khz = 5;
  slot.asked_khz = 1'500'000;
  rank.wake_keeper();
  CHECK(happens([&] { return node.most(0) == 1'500'000; }));
  CHECK(happens([&] { return slot.written_khz == 1'500'000; }));
}

TEST_CASE("a keeper does not wait for what wakes it, whatever a rank makes of it") {
  NodeOfFiles node;
  const KeptNode kept(node);
  const HostileRank rank(kept.socket(), "0");
  // It is the same open file: the rank can make it one that waits, empty it, and fill it.
  REQUIRE(::fcntl(rank.wake.number(), F_SETFL, 0) == 0);
  for (int i = 0; i < 100; ++i) {
    rank.wake_keeper();
    std::uint64_t count = 0;
    CHECK(::read(rank.wake.number(), &count, sizeof count) == sizeof count);
  }
  rank.wake_keeper(std::numeric_limits<std::uint64_t>::max() - 1);
  CHECK(serves(kept, node, 1));
  CHECK(serves(kept, node, 1));
}

TEST_CASE("other users are refused") {
  NodeOfFiles node;
  const KeptNode kept(node, [](KeeperSettings& settings) { settings.user = ::geteuid() + 1; });
  CHECK_THROWS_WITH_AS(kept.rank("0"), doctest::Contains("does not own the step"), Error);
}

TEST_CASE("another user's process is refused, as the kernel says whose it is") {
  if (::geteuid() != 0) return;
  NodeOfFiles node;
  KeptNode kept(node);
  REQUIRE(::chmod(node.scratch.path().c_str(), 0755) == 0);
  REQUIRE(::chmod(kept.socket().c_str(), 0666) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    int result = 1;
    try {
      if (::setresuid(65534, 65534, 65534) == 0) static_cast<void>(kept.rank("0"));
    } catch (const Error& error) {
      result =
          std::string(error.what()).find("user 65534 does not own") != std::string::npos ? 0 : 2;
    }
    ::_exit(result);
  }
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a process outside of the step is refused") {
  NodeOfFiles node;
  std::atomic<pid_t> seen = 0;
  const KeptNode kept(node, [&](KeeperSettings& settings) {
    settings.is_member = [&](pid_t pid) {
      seen = pid;
      return false;
    };
  });
  CHECK_THROWS_WITH_AS(kept.rank("0"), doctest::Contains("is not of the step"), Error);
  CHECK(seen == ::getpid());
}

TEST_CASE("a process that can't be looked at is refused, and the keeper goes on") {
  NodeOfFiles node;
  std::atomic<int> asked = 0;
  const KeptNode kept(node, [&](KeeperSettings& settings) {
    settings.is_member = [&](pid_t) -> bool {
      if (asked++ == 0) throw Error("it is gone");
      return true;
    };
  });
  CHECK_THROWS_WITH_AS(static_cast<void>(kept.rank("0")), doctest::Contains("is not of the step"),
                       Error);
  CHECK(serves(kept, node, 0));
}

TEST_CASE("with a full table of connections others are refused, and served once there is room") {
  NodeOfFiles node;
  const KeptNode kept(node, [](KeeperSettings& settings) { settings.connections = 3; });
  std::vector<KeeperClient> ranks;
  for (int i = 0; i < 3; ++i) ranks.push_back(kept.rank("0"));
  CHECK_THROWS_WITH_AS(kept.rank("0"), doctest::Contains("all 3 connections"), Error);
  ranks[0].ask(0, 1'500'000);
  ranks[1].ask(0, 1'500'000);
  ranks[2].ask(0, 1'500'000);
  CHECK(happens([&] { return node.most(0) == 1'500'000; }));
  ranks.pop_back();
  CHECK(happens([&] {
    try {
      ranks.push_back(kept.rank("0"));
      return true;
    } catch (const Error&) {
      return false;
    }
  }));
}

TEST_CASE("a connection that says nothing, or garbage, is closed") {
  NodeOfFiles node;
  const KeptNode kept(
      node, [](KeeperSettings& settings) { settings.greeting_patience = milliseconds(50); });
  for (const std::string& packet :
       {std::string(), std::string("x"), std::string(100'000, 'x'), std::string(4096, '\0'),
        std::string("huddle-keeper 1\npus 0-99999\n"), std::string("huddle-keeper 9\npus 0\n")}) {
    CAPTURE(packet.size());
    const files::OwnedDescriptor socket = bare_connection(kept.socket());
    if (!packet.empty()) ::send(socket.number(), packet.data(), packet.size(), MSG_NOSIGNAL);
    std::array<char, 512> answer{};
    ssize_t size = 1;
    while (size > 0) size = ::recv(socket.number(), answer.data(), answer.size(), 0);
    CHECK(size <= 0);
  }
  CHECK(serves(kept, node, 0));
}

TEST_CASE("a rank that sends more than its greeting is closed, and asks for nothing any more") {
  NodeOfFiles node;
  const KeptNode kept(node);
  const HostileRank rank(kept.socket(), "0");
  rank.page.view().slot(0).asked_khz = 1'500'000;
  rank.wake_keeper();
  REQUIRE(happens([&] { return node.most(0) == 1'500'000; }));
  ::send(rank.socket.number(), "more", 4, MSG_NOSIGNAL);
  CHECK(happens([&] { return node.most(0) == kTopKhz; }));
  // The file that wakes is still open here; the keeper no longer hears it.
  rank.page.view().slot(0).asked_khz = 1'300'000;
  for (int i = 0; i < 100; ++i) rank.wake_keeper();
  CHECK(serves(kept, node, 1));
  CHECK(node.most(0) == kTopKhz);
}

TEST_CASE("descriptors that are sent to the keeper do not stay with it, nor do those of ranks") {
  NodeOfFiles node;
  const KeptNode kept(node);
  CHECK(serves(kept, node, 0));
  CHECK(happens([&] { return node.most(0) == kTopKhz; }));
  const std::size_t before = descriptors_of_process();
  for (int i = 0; i < 50; ++i) {
    const files::OwnedDescriptor socket = bare_connection(kept.socket());
    CHECK(send_with_files(socket.number(), text_of(KeeperGreeting{PuSet::parse("0")}),
                          {socket.number()}));
    // Its answer is never taken.
  }
  CHECK(happens([&] { return descriptors_of_process() == before; }));
}

TEST_CASE("a rank that asks all the time does not keep another one from being raised") {
  constexpr std::uint32_t kClocks = 32;
  NodeOfFiles node(kClocks);
  const KeptNode kept(node);
  std::atomic<bool> over = false;
  std::thread flood([&] {
    const HostileRank rank(kept.socket(), "1-31");
    std::uint32_t round = 0;
    while (!over) {
      ++round;
      for (std::uint32_t clock = 0; clock < rank.clocks; ++clock)
        rank.page.view().slot(clock).asked_khz =
            kLeastKhz + (round * 7919 + clock * 104'729) % 1'000'000;
      rank.wake_keeper();
    }
  });
  KeeperClient rank = kept.rank("0");
  std::vector<double> raised_ms;
  for (int i = 0; i < 40; ++i) {
    rank.ask(0, kLeastKhz);
    REQUIRE(happens([&] { return node.most(0) == kLeastKhz; }));
    std::this_thread::sleep_for(milliseconds(2));
    const auto begin = std::chrono::steady_clock::now();
    rank.ask(0, kTopKhz);
    // The keeper's own answer: by then the file has it.
    while (rank.answer(0).written_khz != kTopKhz &&
           std::chrono::steady_clock::now() - begin < std::chrono::seconds(5))
      std::this_thread::yield();
    raised_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
    CHECK(node.most(0) == kTopKhz);
  }
  over = true;
  flood.join();
  std::sort(raised_ms.begin(), raised_ms.end());
  MESSAGE("raised after ms: median " << raised_ms[20] << ", most " << raised_ms.back());
  // Not the most: on a busy machine this thread may wait for a processor that long.
  CHECK(raised_ms[20] < 5);
}

TEST_CASE("a rank that connects all the time does not keep another one from being raised") {
  NodeOfFiles node;
  const KeptNode kept(node);
  KeeperClient rank = kept.rank("0");
  std::atomic<bool> over = false;
  std::thread flood([&] {
    while (!over) {
      try {
        static_cast<void>(kept.rank("1"));
      } catch (const Error&) {
        // It may be refused.
      }
    }
  });
  std::vector<double> raised_ms;
  for (int i = 0; i < 20; ++i) {
    rank.ask(0, kLeastKhz);
    REQUIRE(happens([&] { return node.most(0) == kLeastKhz; }));
    std::this_thread::sleep_for(milliseconds(2));
    const auto begin = std::chrono::steady_clock::now();
    rank.ask(0, kTopKhz);
    REQUIRE(happens([&] { return rank.answer(0).written_khz == kTopKhz; }));
    raised_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  over = true;
  flood.join();
  std::sort(raised_ms.begin(), raised_ms.end());
  CHECK(raised_ms[10] < 5);
}

}  // namespace
}  // namespace huddle::keeper
