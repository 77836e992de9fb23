#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <thread>

#include "spank_plugin/keeper/keeper_server.hpp"
#include "tests/spank_plugin/keeper/hostile_rank.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

using std::chrono::milliseconds;

// A server that says, once it is at its end, what it had to do.
class CountedServer {
 public:
  CountedServer(const NodeOfFiles& node, double wakes_at_once, double wakes_in_a_second)
      : envelope_(node.envelope, node.scratch.path()),
        socket_(node.scratch.path() / "keeper"),
        listening_(listening_at(socket_)) {
    ::fcntl(listening_.number(), F_SETFL, O_NONBLOCK);
    std::array<int, 2> control{};
    if (::pipe2(control.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
    control_ = files::OwnedDescriptor(control[0]);
    held_ = files::OwnedDescriptor(control[1]);
    KeeperSettings settings;
    settings.user = ::geteuid();
    settings.is_member = [](pid_t) { return true; };
    settings.wakes_at_once = wakes_at_once;
    settings.wakes_in_a_second = wakes_in_a_second;
    server_.emplace(envelope_, listening_.number(), settings);
    thread_ = std::thread([this] { server_->serve(control_.number(), -1); });
  }
  ~CountedServer() { ended(); }
  CountedServer(const CountedServer&) = delete;
  CountedServer& operator=(const CountedServer&) = delete;

  const KeeperServer& ended() {
    held_.close();
    if (thread_.joinable()) thread_.join();
    return *server_;
  }
  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }

 private:
  ClockEnvelope envelope_;
  std::filesystem::path socket_;
  files::OwnedDescriptor listening_;
  files::OwnedDescriptor control_;
  files::OwnedDescriptor held_;
  std::optional<KeeperServer> server_;
  std::thread thread_;
};

TEST_CASE("what a rank asks too often is looked at a moment later") {
  const NodeOfFiles node;
  CountedServer counted(node, 2, 100);
  KeeperClient rank =
      KeeperClient::connect(counted.socket(), PuSet::parse("0"), std::chrono::seconds(5));
  for (std::uint32_t i = 0; i < 40; ++i) {
    rank.ask(0, 2'000'000 - i);
    std::this_thread::sleep_for(milliseconds(1));
  }
  CHECK(happens([&] { return node.most(0) == 2'000'000 - 39; }));
  const KeeperServer& server = counted.ended();
  CHECK(server.counts().muted > 0);
  CHECK(server.counts().served == 1);
  CHECK(server.written().writes < 30);
}

TEST_CASE("a rank that wakes without end is not heard each time") {
  const NodeOfFiles node;
  CountedServer counted(node, 8, 1000);
  const HostileRank rank(counted.socket(), "0");
  constexpr int kTimes = 20'000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) rank.wake_keeper();
  const auto took = std::chrono::steady_clock::now() - begin;
  // Each millisecond has an end of being muted, one look, and one too many.
  CHECK(counted.ended().counts().wakes <
        static_cast<std::uint64_t>(100 + 8 * (took / milliseconds(1))));
}

TEST_CASE("a rank that was dropped can't wake the keeper, though it has the file still") {
  const NodeOfFiles node;
  CountedServer counted(node, 64, 4000);
  const HostileRank rank(counted.socket(), "0");
  rank.page.view().slot(0).asked_khz = 1'500'000;
  rank.wake_keeper();
  REQUIRE(happens([&] { return node.most(0) == 1'500'000; }));
  ::send(rank.socket.number(), "more", 4, MSG_NOSIGNAL);
  REQUIRE(happens([&] { return node.most(0) == kTopKhz; }));
  for (int i = 0; i < 200; ++i) {
    rank.wake_keeper();
    std::this_thread::sleep_for(milliseconds(1));
  }
  CHECK(counted.ended().counts().wakes < 50);
}

}  // namespace
}  // namespace huddle::keeper
