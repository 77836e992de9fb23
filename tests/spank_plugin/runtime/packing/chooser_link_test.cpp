#include "spank_plugin/runtime/packing/chooser_link.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "profiles/chooser/protocol/chooser_protocol.hpp"

namespace huddle::runtime {
namespace {

using namespace std::chrono_literals;
using LinkState = ChooserLink::State;

/// Both ends; the test is the chooser.
struct LinkedChooser {
  LinkedChooser() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    rank = ends[0];
    chooser = ends[1];
  }
  ~LinkedChooser() { ::close(chooser); }
  LinkedChooser(const LinkedChooser&) = delete;
  LinkedChooser& operator=(const LinkedChooser&) = delete;

  [[nodiscard]] chooser::ChoiceRequest request() const {
    chooser::ChoiceRequestReader reader;
    std::array<char, 4096> bytes{};
    for (;;) {
      const ssize_t size = ::recv(chooser, bytes.data(), bytes.size(), 0);
      REQUIRE(size > 0);
      reader.add({bytes.data(), static_cast<std::size_t>(size)});
      if (auto request = reader.take()) return *std::move(request);
    }
  }
  void answer(const std::string& text) const {
    REQUIRE(::send(chooser, text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] bool rank_has_closed() const {
    char byte = 0;
    const ssize_t size = ::recv(chooser, &byte, 1, MSG_DONTWAIT);
    return size == 0;
  }

  int rank = -1;
  int chooser = -1;
};

std::unique_ptr<ChooserLink> link_by(const std::string& value) {
  return ChooserLink::from([&](const char* name) -> const char* {
    return std::string_view(name) == kChooserVariable ? value.c_str() : nullptr;
  });
}

std::uint64_t inode_of(int descriptor) {
  struct stat status {};
  REQUIRE(::fstat(descriptor, &status) == 0);
  return status.st_ino;
}

}  // namespace

TEST_CASE(
    "a connection is that of the variable if it is the very socket, and what the rank starts lacks "
    "it") {
  LinkedChooser both;
  const std::uint64_t inode = inode_of(both.rank);
  CHECK(link_by("") == nullptr);
  CHECK(link_by(fmt::format("{}:{}", both.rank, inode + 1)) == nullptr);
  CHECK(link_by(fmt::format("{}:{}x", both.rank, inode)) == nullptr);
  CHECK(link_by(fmt::format("-1:{}", inode)) == nullptr);
  CHECK(link_by(fmt::format("99999:{}", inode)) == nullptr);
  CHECK(link_by("x") == nullptr);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  CHECK(link_by(fmt::format("{}:{}", null, inode_of(null))) == nullptr);
  ::close(null);
  const auto link = link_by(fmt::format("{}:{}", both.rank, inode));
  REQUIRE(link != nullptr);
  CHECK((::fcntl(both.rank, F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a question has its answer in as many steps as it takes, none of which waits for long") {
  LinkedChooser both;
  ChooserLink link(both.rank);
  link.go_on(10s);
  CHECK(link.state() == LinkState::kIdle);
  const std::string document(3U << 20U, 'x');  // more than a socket takes at once
  link.ask(document);
  const auto begin = std::chrono::steady_clock::now();
  link.go_on(20ms);
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
  CHECK(link.state() == LinkState::kAsking);
  std::thread chooser([&] {
    const chooser::ChoiceRequest request = both.request();
    CHECK(request.document == document);
    both.answer(fmt::format("{} bound 0.0", request.number));
    std::this_thread::sleep_for(20ms);
    both.answer("5;0 1=1\n");
  });
  while (link.state() == LinkState::kAsking) link.go_on(5ms);
  chooser.join();
  CHECK(link.state() == LinkState::kAnswered);
  CHECK(link.answer() == "bound 0.05;0 1=1");
  CHECK(both.rank_has_closed());
}

TEST_CASE(
    "no answer comes from a chooser that ends, that answers another, or that never ends its line") {
  {
    LinkedChooser both;
    ChooserLink link(both.rank);
    link.ask("any");
    std::thread([&] { ::shutdown(both.chooser, SHUT_RDWR); }).join();
    link.go_on(10s);
    CHECK(link.state() == LinkState::kLost);
  }
  {
    LinkedChooser both;
    ChooserLink link(both.rank);
    link.ask("any");
    both.answer("1 bound 0.05;0 1=1\n");  // not this process's number
    link.go_on(10s);
    CHECK(link.state() == LinkState::kLost);
    CHECK(link.answer().empty());
  }
  {
    LinkedChooser both;
    ChooserLink link(both.rank);
    link.ask("any");
    std::thread chooser([&] {
      const std::string text(2 * chooser::kMostChoiceAnswer, 'x');
      static_cast<void>(!::send(both.chooser, text.data(), text.size(), MSG_NOSIGNAL));
    });
    link.go_on(10s);
    CHECK(link.state() == LinkState::kLost);
    chooser.join();
  }
  {
    LinkedChooser both;
    ChooserLink link(both.rank);
    link.ask(std::string(chooser::kMostChoiceRequest + 1, 'x'));
    CHECK(link.state() == LinkState::kLost);
  }
}

TEST_CASE("who gives up an answer does not wait for it") {
  LinkedChooser both;
  ChooserLink link(both.rank);
  link.ask("any");
  std::thread program([&] {
    std::this_thread::sleep_for(20ms);
    link.give_up();
  });
  const auto begin = std::chrono::steady_clock::now();
  link.go_on(60s);
  CHECK(std::chrono::steady_clock::now() - begin < 30s);
  CHECK(link.state() == LinkState::kLost);
  program.join();
  link.give_up();
}

TEST_CASE("a descriptor that the program has closed and used again is left alone") {
  LinkedChooser both;
  const auto link = std::make_unique<ChooserLink>(both.rank);
  std::array<int, 2> own{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, own.data()) == 0);
  REQUIRE(::dup2(own[0], both.rank) == both.rank);
  link->ask("any");
  link->go_on(10s);
  CHECK(link->state() == LinkState::kLost);
  char byte = 0;
  CHECK(::recv(own[1], &byte, 1, MSG_DONTWAIT) == -1);  // nothing was sent, and it is open
  link->give_up();
  CHECK(::fcntl(both.rank, F_GETFD) >= 0);
  ::close(both.rank);
  ::close(own[0]);
  ::close(own[1]);
}

TEST_CASE("a child of fork() leaves the connection to its parent") {
  LinkedChooser both;
  ChooserLink link(both.rank);
  link.leave_in_child();
  CHECK(both.rank_has_closed());
  link.give_up();
  link.leave_in_child();
}

}  // namespace huddle::runtime
