#include "profiles/store/store_entrance.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

using namespace std::chrono_literals;
using Clock = StoreEntrance::Clock;

TEST_CASE("one process at a time is in the store's entrance, and the next one when it has left") {
  const TemporaryDirectory directory;
  const Store store(directory.path());
  std::optional<StoreEntrance> first(std::in_place, store, Clock::now());
  REQUIRE(first->held());
  CHECK_FALSE(StoreEntrance(store, Clock::now()).held());
  const auto begin = Clock::now();
  CHECK_FALSE(StoreEntrance(store, begin + 50ms).held());
  CHECK(Clock::now() - begin >= 50ms);
  std::thread leaves([&] {
    std::this_thread::sleep_for(60ms);
    first.reset();
  });
  CHECK(StoreEntrance(store, Clock::now() + 60s).held());
  leaves.join();
  CHECK(StoreEntrance(store, Clock::now()).held());
}

TEST_CASE("each store has an entrance of its own") {
  const TemporaryDirectory one;
  const TemporaryDirectory other;
  const StoreEntrance first(Store(one.path()), Clock::now());
  CHECK(StoreEntrance(Store(other.path()), Clock::now()).held());
}

TEST_CASE("a process that is killed in the store's entrance is there no more") {
  const TemporaryDirectory directory;
  const Store store(directory.path());
  std::array<int, 2> in{};
  REQUIRE(::pipe(in.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const StoreEntrance entrance(store, Clock::now());
    static_cast<void>(::write(in[1], entrance.held() ? "y" : "n", 1));
    for (;;) ::pause();
  }
  char answer = 0;
  REQUIRE(::read(in[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  CHECK_FALSE(StoreEntrance(store, Clock::now()).held());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(StoreEntrance(store, Clock::now()).held());
  ::close(in[0]);
  ::close(in[1]);
}

TEST_CASE("a store's entrance whose name somebody else has taken keeps nobody out") {
  if (::geteuid() != 0) return;  // it needs another user
  const TemporaryDirectory directory;
  const Store store(directory.path());
  std::array<int, 2> in{};
  REQUIRE(::pipe(in.data()) == 0);
  constexpr uid_t kOther = 54321;
  const pid_t squatter = ::fork();
  if (squatter == 0) {
    const std::string name = StoreEntrance::name_for(store);  // root's
    static_cast<void>(::seteuid(kOther));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path + 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const bool taken = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       ::listen(socket, 1) == 0;
    static_cast<void>(::write(in[1], taken ? "y" : "n", 1));
    for (;;) ::pause();
  }
  char answer = 0;
  REQUIRE(::read(in[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  CHECK(StoreEntrance(store, Clock::now()).held());
  ::kill(squatter, SIGKILL);
  ::waitpid(squatter, nullptr, 0);
  ::close(in[0]);
  ::close(in[1]);
}

}  // namespace
}  // namespace huddle::store
