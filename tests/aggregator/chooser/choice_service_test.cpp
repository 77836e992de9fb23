#include "aggregator/chooser/choice_service.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::chooser {
namespace {

std::string chosen_for(const std::string& document) {
  if (document == "bad") throw Error("nothing can be done\nwith that");
  return "chosen for " + document;
}

/// The service in a thread of its own; the test is the rank.
class ServedRank {
 public:
  ServedRank() {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) == 0);
    service_ = std::thread([this] {
      ended_well_ = serve_choices(ends_[1], chosen_for);
      ::close(ends_[1]);
    });
  }
  ~ServedRank() {
    if (service_.joinable()) end();
  }
  ServedRank(const ServedRank&) = delete;
  ServedRank& operator=(const ServedRank&) = delete;

  void send(const std::string& text) const {
    REQUIRE(::send(ends_[0], text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string line() const {
    std::string line;
    for (char one = 0; ::recv(ends_[0], &one, 1, 0) == 1;) {
      if (one == '\n') return line;
      line += one;
    }
    return line + " (end)";
  }
  // Closes the connection; true if the service then ended as it should.
  bool end() {
    ::close(ends_[0]);
    service_.join();
    return ended_well_;
  }
  [[nodiscard]] bool service_has_ended() {
    service_.join();
    return !ended_well_;
  }

 private:
  std::array<int, 2> ends_{};
  std::thread service_;
  bool ended_well_ = false;
};

}  // namespace

TEST_CASE("each request has its answer, until the connection ends") {
  ServedRank rank;
  rank.send(text_of(ChoiceRequest{3, "one"}));
  CHECK(rank.line() == "3 chosen for one");
  rank.send(text_of(ChoiceRequest{4, "bad"}));
  CHECK(rank.line() == "4 nothing: nothing can be done with that");
  rank.send(text_of(ChoiceRequest{5, "two"}) + text_of(ChoiceRequest{6, "three"}));
  CHECK(rank.line() == "5 chosen for two");
  CHECK(rank.line() == "6 chosen for three");
  CHECK(rank.end());
}

TEST_CASE("what is no request is refused, and that is the end") {
  ServedRank rank;
  rank.send("GET / HTTP/1.1\r\n");
  CHECK(rank.line().starts_with("0 nothing: found \"GET / HTTP/1.1"));
  CHECK(rank.line() == " (end)");
  CHECK(rank.service_has_ended());
}

TEST_CASE("a connection that ends within a request ends the service") {
  ServedRank rank;
  rank.send("choose 1 3 10\nhalf");
  CHECK_FALSE(rank.end());
}

TEST_CASE("nobody waits for what is computed once the connection has ended") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  std::array<int, 2> begun{};
  REQUIRE(::pipe(begun.data()) == 0);
  const pid_t service = ::fork();
  if (service == 0) {
    ::close(ends[0]);
    serve_choices(ends[1], [&](const std::string&) -> std::string {
      static_cast<void>(!::write(begun[1], "b", 1));
      for (;;) ::usleep(1000);  // for ever
    });
    ::_exit(99);
  }
  ::close(ends[1]);
  const std::string request = text_of(ChoiceRequest{1, "any"});
  CHECK(::send(ends[0], request.data(), request.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(request.size()));
  char byte = 0;
  CHECK(::read(begun[0], &byte, 1) == 1);
  ::close(ends[0]);
  int status = 0;
  CHECK(::waitpid(service, &status, 0) == service);
  CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
  ::close(begun[0]);
  ::close(begun[1]);
}

}  // namespace huddle::chooser
