#include "spank_plugin/keeper/keeper_server.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

using std::chrono::milliseconds;

// A rank in a process of its own, that asks for a clock and then does nothing until it is killed.
class RankProcess {
 public:
  RankProcess(const KeptNode& kept, const std::string& pus, std::uint32_t khz,
              bool leaves_a_child = false) {
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
    pid_ = ::fork();
    if (pid_ == 0) run(kept, pus, khz, leaves_a_child, ready[1]);
    ::close(ready[1]);
    if (::read(ready[0], &child_, sizeof child_) != sizeof child_) child_ = -1;
    ::close(ready[0]);
  }
  ~RankProcess() {
    kill();
    if (child_ > 0) ::kill(child_, SIGKILL);
  }
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  // An exception would go on with the tests in this process.
  static std::optional<KeeperClient> asking(const KeptNode& kept, const std::string& pus,
                                            std::uint32_t khz) {
    try {
      KeeperClient client = kept.rank(pus);
      client.ask(0, khz);
      return client;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }
  [[noreturn]] static void run(const KeptNode& kept, const std::string& pus, std::uint32_t khz,
                               bool leaves_a_child, int ready) {
    const std::optional<KeeperClient> client = asking(kept, pus, khz);
    if (!client) ::_exit(1);
    pid_t child = 0;
    if (leaves_a_child) child = ::fork();
    if (leaves_a_child && child == 0) {
      ::close(ready);
      for (;;) ::pause();
    }
    if (::write(ready, &child, sizeof child) != sizeof child) ::_exit(1);
    for (;;) ::pause();
  }

  pid_t pid_ = -1;
  pid_t child_ = -1;
};

TEST_CASE("what a rank asks reaches the file, and the answer the rank") {
  NodeOfFiles node;
  KeptNode kept(node);
  REQUIRE(happens([&] { return node.most(0) == kTopKhz && node.most(1) == kTopKhz; }));
  KeeperClient rank = kept.rank("1");
  REQUIRE(rank.clocks().size() == 1);
  CHECK(rank.clocks()[0] == OfferedClock{PuSet::parse("1"), kLeastKhz, kTopKhz, {}});
  CHECK(rank.ask(0, 1'800'000));
  CHECK(happens([&] { return node.most(1) == 1'800'000; }));
  CHECK(happens([&] { return rank.answered(); }));
  CHECK(rank.answer(0).verdict == ClockVerdict::kAsAsked);
  CHECK(rank.answer(0).written_khz == 1'800'000);
  CHECK(rank.answer(0).changed_at_ns > 0);
  CHECK(happens([&] { return rank.achieved(0) == 1'000'001; }));
  CHECK(node.most(0) == kTopKhz);
  CHECK(rank.ask(0, 1'500'000));
  CHECK(happens([&] { return node.most(1) == 1'500'000; }));
  CHECK(rank.ask(0, 0));
  CHECK(happens([&] { return node.most(1) == kTopKhz; }));
}

TEST_CASE("a rank is offered the clocks of the PUs that it names, and the steps in the envelope") {
  NodeOfFiles node(3, 2, {1'000'000, 1'200'000, 1'800'000, 2'400'000, 2'600'000});
  const KeptNode kept(node);
  const KeeperClient rank = kept.rank("1,4-5,77");
  REQUIRE(rank.clocks().size() == 2);
  CHECK(rank.clocks()[0].pus == PuSet::parse("0-1"));
  CHECK(rank.clocks()[1].pus == PuSet::parse("4-5"));
  CHECK(rank.clocks()[0].steps_khz == std::vector<std::uint32_t>{1'200'000, 1'800'000, 2'400'000});
  // The other step's, and none.
  CHECK_THROWS_AS(kept.rank("6-7"), Error);
  CHECK_THROWS_AS(kept.rank("1000"), Error);
}

TEST_CASE("of two ranks on one clock the higher ask holds, and each learns of it") {
  NodeOfFiles node(1, 2);
  const KeptNode kept(node);
  KeeperClient low = kept.rank("0");
  KeeperClient high = kept.rank("1");
  low.ask(0, 1'300'000);
  CHECK(happens([&] { return low.answer(0).verdict == ClockVerdict::kHigherAsk; }));
  CHECK(node.most(0) == kTopKhz);
  high.ask(0, 1'900'000);
  CHECK(happens([&] { return node.most(0) == 1'900'000; }));
  CHECK(happens([&] { return high.answer(0).verdict == ClockVerdict::kAsAsked; }));
  CHECK(low.answer(0).verdict == ClockVerdict::kHigherAsk);
  low.ask(0, 2'000'000);
  CHECK(happens([&] { return node.most(0) == 2'000'000; }));
  CHECK(happens([&] { return high.answer(0).verdict == ClockVerdict::kHigherAsk; }));
}

TEST_CASE("the clocks of a rank that is killed go to the top") {
  NodeOfFiles node;
  const KeptNode kept(node);
  RankProcess rank(kept, "0", 1'400'000);
  REQUIRE(happens([&] { return node.most(0) == 1'400'000; }));
  rank.kill();
  CHECK(happens([&] { return node.most(0) == kTopKhz; }));
}

TEST_CASE("the clocks of a killed rank go to the top though a child of it has its socket") {
  NodeOfFiles node;
  const KeptNode kept(node);
  RankProcess rank(kept, "0", 1'400'000, true);
  REQUIRE(happens([&] { return node.most(0) == 1'400'000; }));
  rank.kill();
  CHECK(happens([&] { return node.most(0) == kTopKhz; }));
}

TEST_CASE("a rank that goes leaves the clock to those that stay") {
  NodeOfFiles node(1, 2);
  const KeptNode kept(node);
  KeeperClient low = kept.rank("0");
  low.ask(0, 1'300'000);
  {
    KeeperClient high = kept.rank("1");
    high.ask(0, 1'900'000);
    REQUIRE(happens([&] { return node.most(0) == 1'900'000; }));
  }
  CHECK(happens([&] { return node.most(0) == 1'300'000; }));
}

TEST_CASE("a clock goes to the top when a lease ends, and stays where it is if it is renewed") {
  NodeOfFiles node;
  const KeptNode kept(node);
  KeeperClient rank = kept.rank("0");
  rank.ask(0, 1'400'000, milliseconds(300));
  REQUIRE(happens([&] { return node.most(0) == 1'400'000; }));
  rank.ask(0, 1'400'000, milliseconds(600));
  CHECK_FALSE(happens([&] { return node.most(0) != 1'400'000; }, milliseconds(400)));
  CHECK(happens([&] { return node.most(0) == kTopKhz; }));
  CHECK(happens([&] { return rank.answer(0).verdict == ClockVerdict::kLeaseOver; }));
}

TEST_CASE("when the keeper ends all clocks are at the top, and its ranks know") {
  NodeOfFiles node(5);
  KeptNode kept(node);
  KeeperClient rank = kept.rank("0-4");
  for (std::size_t clock = 0; clock < 5; ++clock)
    rank.ask(clock, 1'300'000 + static_cast<std::uint32_t>(clock));
  REQUIRE(happens([&] { return node.most(0) == 1'300'000 && node.most(4) == 1'300'004; }));
  CHECK(kept.end() == 0);
  for (std::uint32_t clock = 0; clock < 5; ++clock) CHECK(node.most(clock) == kTopKhz);
  CHECK_FALSE(rank.alive());
  CHECK(rank.answer(3).written_khz == kTopKhz);
  CHECK(rank.ask(0, 1'300'000));
  CHECK(node.most(0) == kTopKhz);
}

TEST_CASE("a keeper that gets SIGTERM puts all clocks to the top and returns") {
  NodeOfFiles node;
  const files::OwnedDescriptor listening = listening_at(node.scratch.path() / "keeper");
  std::array<int, 2> control{};
  REQUIRE(::pipe2(control.data(), O_CLOEXEC) == 0);
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    KeeperSettings settings;
    settings.user = ::geteuid();
    settings.is_member = [](pid_t) { return true; };
    ::_exit(keep_clocks(envelope, settings, listening.number(), control[0]));
  }
  KeeperClient rank =
      KeeperClient::connect(node.scratch.path() / "keeper", PuSet::parse("0"), milliseconds(5000));
  rank.ask(0, 1'400'000);
  REQUIRE(happens([&] { return node.most(0) == 1'400'000; }));
  ::kill(keeper, SIGTERM);
  int status = -1;
  CHECK(::waitpid(keeper, &status, 0) == keeper);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(node.most(0) == kTopKhz);
  CHECK_FALSE(rank.alive());
  ::close(control[0]);
  ::close(control[1]);
}

TEST_CASE("nothing but the upper limits of the step's clocks is written to") {
  NodeOfFiles node(4);
  KeptNode kept(node);
  const auto before = node.other_files();
  {
    KeeperClient rank = kept.rank("0-3");
    for (std::uint32_t i = 0; i < 200; ++i) {
      rank.ask(i % 4, 1'200'000 + i * 1000, milliseconds(i % 3));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    CHECK(happens([&] { return rank.answered(); }));
  }
  CHECK(kept.end() == 0);
  CHECK(node.other_files() == before);
}

}  // namespace
}  // namespace huddle::keeper
