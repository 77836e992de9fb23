#include "profiles/keeper/protocol/keeper_client.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/keeper/packet_with_files.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::keeper {
namespace {

using std::chrono::milliseconds;

// Somebody who listens where a keeper should, and answers what a test says.
class PretendedKeeper {
 public:
  PretendedKeeper() : listening_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    struct sockaddr_un address {};
    address.sun_family = AF_UNIX;
    const std::string name = path().string();
    std::copy(name.begin(), name.end(), address.sun_path);
    REQUIRE(::bind(listening_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) ==
            0);
    REQUIRE(::listen(listening_.number(), 4) == 0);
  }
  [[nodiscard]] std::filesystem::path path() const { return scratch_.path() / "keeper"; }

  // Takes a connection and its greeting, and answers with these descriptors.
  void answer(const std::string& text, const std::vector<int>& files, bool read_greeting = true) {
    connection =
        files::OwnedDescriptor(::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    std::array<char, 512> greeting{};
    if (read_greeting) ::recv(connection.number(), greeting.data(), greeting.size(), 0);
    send_with_files(connection.number(), text, files);
  }

  files::OwnedDescriptor connection;

 private:
  store::TemporaryDirectory scratch_;
  files::OwnedDescriptor listening_;
};

const std::string kOneClock = "huddle-keeper 1\nclock\t0-1\t1000-2000\t-\n";

std::set<int> open_descriptors() {
  std::set<int> open;
  for (int i = 0; i < 256; ++i)
    if (::fcntl(i, F_GETFD) >= 0) open.insert(i);
  return open;
}

// The error that connect() throws, while the keeper answers so.
std::string refusal(const std::string& text, const std::vector<int>& files,
                    bool read_greeting = true) {
  PretendedKeeper keeper;
  std::thread answering([&] {
    keeper.answer(text, files, read_greeting);
    keeper.connection.close();
  });
  std::string what = "nothing";
  try {
    KeeperClient::connect(keeper.path(), PuSet::parse("0"));
  } catch (const Error& error) {
    what = error.what();
  }
  answering.join();
  return what;
}

TEST_CASE("a rank asks by memory, and wakes a keeper that sleeps") {
  files::OwnedDescriptor file;
  const ClockPage page = ClockPage::make(1, file);
  const files::OwnedDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  PretendedKeeper keeper;
  std::thread answering([&] { keeper.answer(kOneClock, {file.number(), wake.number()}); });
  KeeperClient client = KeeperClient::connect(keeper.path(), PuSet::parse("0"));
  answering.join();
  REQUIRE(client.clocks().size() == 1);
  CHECK(client.clocks()[0].pus == PuSet::parse("0-1"));
  CHECK(client.alive());
  CHECK(client.answered());

  errno = 42;
  CHECK(client.ask(0, 1500));
  CHECK(client.ask(0, 1600, std::chrono::hours(1)));
  CHECK(errno == 42);
  CHECK_FALSE(client.ask(1, 1500));
  std::uint64_t woken = 0;
  CHECK(::read(wake.number(), &woken, sizeof woken) == sizeof woken);
  CHECK(woken == 1);
  CHECK_FALSE(client.answered());
  page.view().say_answered(page.view().begin_to_look());
  CHECK(client.answered());
  CHECK(page.view().ask_for(0).khz == 1600);
  CHECK(page.view().ask_for(0).lease_end_ns > 3600U * 1'000'000'000U);

  page.view().answer(0, {1600, 1555, 1, ClockVerdict::kAsAsked});
  CHECK(client.achieved(0) == 1555);
  CHECK(client.achieved(1) == 0);
}

TEST_CASE("a rank whose keeper is gone notices, and asks on without harm") {
  files::OwnedDescriptor file;
  const ClockPage page = ClockPage::make(1, file);
  files::OwnedDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  PretendedKeeper keeper;
  std::thread answering([&] { keeper.answer(kOneClock, {file.number(), wake.number()}); });
  KeeperClient client = KeeperClient::connect(keeper.path(), PuSet::parse("0"));
  answering.join();
  SUBCASE("killed") {
    keeper.connection.close();
  }
  SUBCASE("ended") {
    page.view().say_ended();
  }
  wake.close();
  CHECK_FALSE(client.alive());
  CHECK(client.ask(0, 1500));
  CHECK(client.ask(0, 1200));
}

TEST_CASE("no program that a rank starts gets its descriptors, and all are closed in the end") {
  files::OwnedDescriptor file;
  const ClockPage page = ClockPage::make(1, file);
  const files::OwnedDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  PretendedKeeper keeper;
  const std::set<int> before = open_descriptors();
  {
    std::thread answering([&] { keeper.answer(kOneClock, {file.number(), wake.number()}); });
    const KeeperClient client = KeeperClient::connect(keeper.path(), PuSet::parse("0"));
    answering.join();
    const std::set<int> during = open_descriptors();
    // Its socket, what wakes, and the pretended keeper's end.
    CHECK(during.size() == before.size() + 3);
    for (const int i : during)
      if (!before.contains(i)) CHECK((::fcntl(i, F_GETFD) & FD_CLOEXEC) != 0);
  }
  keeper.connection.close();
  CHECK(open_descriptors() == before);
}

TEST_CASE("a keeper's reason for refusing reaches the rank") {
  CHECK(refusal("huddle-keeper 1\nrefused\tthe table is full\n", {})
            .find("refuses: the table is full") != std::string::npos);
  // Also where it did not wait for the greeting.
  CHECK(refusal("huddle-keeper 1\nrefused\tnot you\n", {}, false).find("refuses: not you") !=
        std::string::npos);
}

TEST_CASE("an answer that is none is refused, and nothing that came with it stays open") {
  files::OwnedDescriptor file;
  const ClockPage page = ClockPage::make(2, file);
  const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  const std::set<int> before = open_descriptors();
  CHECK(refusal("garbage", {}).find("line 1") != std::string::npos);
  CHECK(refusal(kOneClock, {}).find("no page") != std::string::npos);
  CHECK(refusal(kOneClock, {file.number()}).find("no page") != std::string::npos);
  CHECK(refusal(kOneClock, {file.number(), zero}).find("bytes") != std::string::npos);
  CHECK(refusal(kOneClock, {zero, zero, zero, zero, zero}).find("bytes") != std::string::npos);
  CHECK(refusal(std::string(kMostReplyBytes + 1, 'x'), {zero}) != "nothing");
  CHECK(open_descriptors() == before);
  ::close(zero);
}

TEST_CASE("a keeper that does not answer is waited for as long as said, and no longer") {
  const PretendedKeeper keeper;
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(KeeperClient::connect(keeper.path(), PuSet::parse("0"), milliseconds(30)),
                  SystemError);
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took >= milliseconds(25));
  CHECK(took < std::chrono::seconds(5));
  CHECK_THROWS_AS(KeeperClient::connect("/nonexistent/keeper", PuSet::parse("0")), SystemError);
  CHECK_THROWS_AS(KeeperClient::connect(std::string(200, 'x'), PuSet::parse("0")), SystemError);
  CHECK_THROWS_AS(KeeperClient::connect(keeper.path(), PuSet()), Error);
}

}  // namespace
}  // namespace huddle::keeper
