#include "profiles/energyd/daemon/socket_server.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

// Users other than this one, and more of them than one: admission_test.py.

namespace huddle::energyd {
namespace {

using Clock = std::chrono::steady_clock;

std::string packet_of_refusal(const char* words) {
  EnergyAnswer answer;
  answer.refusal = words;
  return text_of(answer);
}

// Serves while a client asks.
class ServedSocket {
 public:
  explicit ServedSocket(SocketServer::Service service)
      : server_(folder_.path() / "socket", kMostEnergyRequestBytes, std::move(service), {}),
        serving_([this](const std::stop_token& stop) {
          while (!stop.stop_requested())
            server_.serve(Clock::now() + std::chrono::milliseconds(5), {});
        }) {}

  [[nodiscard]] EnergyAnswer answer() const {
    return ask_energyd({EnergyRequest::About::kOwn, 0}, folder_.path() / "socket",
                       std::chrono::seconds(20));
  }

 private:
  store::TemporaryDirectory folder_;
  SocketServer server_;
  std::jthread serving_;
};

std::string answers_all(std::string_view, const Peer&) {
  EnergyAnswer answer;
  answer.as_of = Seconds{7};
  return text_of(answer);
}

TEST_CASE("who may not ask is told why, whether the question was sent by then or not") {
  SocketServer::Service service{answers_all};
  service.admit = [](const Peer&) { return Admission::kNo; };
  service.refusal = [] { return packet_of_refusal("not you"); };
  const ServedSocket socket(std::move(service));
  for (int i = 0; i < 50; ++i) CHECK(socket.answer().refusal == "not you");
}

TEST_CASE(
    "where very many may not ask the end of their connection says so, in words of the client") {
  SocketServer::Service service{answers_all};
  service.admit = [](const Peer&) { return Admission::kNo; };
  service.refusal = [] { return packet_of_refusal("not you"); };
  const ServedSocket socket(std::move(service));
  for (int i = 0; i < 150; ++i) static_cast<void>(socket.answer());
  CHECK(socket.answer().refusal.find("users who have a step on this node") != std::string::npos);
}

TEST_CASE("a question waits until it is known whether it may be asked") {
  int asked = 0;
  SocketServer::Service service{answers_all};
  service.admit = [&](const Peer&) { return ++asked < 4 ? Admission::kLater : Admission::kYes; };
  CHECK(ServedSocket(std::move(service)).answer().as_of == Seconds{7});
  CHECK(asked == 4);
  asked = 0;
  service = {answers_all};
  service.admit = [&](const Peer&) { return ++asked < 4 ? Admission::kLater : Admission::kNo; };
  service.refusal = [] { return packet_of_refusal("not you"); };
  CHECK(ServedSocket(std::move(service)).answer().refusal == "not you");
}

}  // namespace
}  // namespace huddle::energyd
