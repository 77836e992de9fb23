// A task that asks the keeper of its step for clocks, for tests on the cluster.
//
//     ask_for_clocks PUS KHZ SECONDS   asks for the clocks of these PUs, prints "PUS: KHZ" for each
//                                      once it is written, holds them so long
//     ask_for_clocks PUS wander SECONDS   asks for others all the time
//
// Prints "refused: REASON" and ends with status 1 if the keeper does not serve it.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause{1};

void print_once_written(const huddle::keeper::KeeperClient& keeper, Clock::time_point deadline) {
  for (std::size_t i = 0; i < keeper.clocks().size(); ++i) {
    while (keeper.answer(i).verdict != huddle::keeper::ClockVerdict::kAsAsked &&
           Clock::now() < deadline)
      std::this_thread::sleep_for(kPause);
    fmt::print("{}: {}\n", keeper.clocks()[i].pus.list(), keeper.answer(i).written_khz);
  }
  std::fflush(stdout);
}

void wander(huddle::keeper::KeeperClient& keeper, Clock::time_point deadline) {
  std::uint32_t khz = 1'200'000;
  for (std::uint32_t i = 0; Clock::now() < deadline && keeper.alive(); ++i) {
    khz = 1'200'000 + 200'000 * (i % 6);
    for (std::size_t clock = 0; clock < keeper.clocks().size(); ++clock) keeper.ask(clock, khz);
    std::this_thread::sleep_for(kPause);
  }
}

int run(const std::string& pus, const std::string& wish, int seconds) {
  const char* socket = std::getenv(huddle::kKeeperVariable);  // NOLINT(concurrency-mt-unsafe)
  if (socket == nullptr) throw huddle::Error("there is no keeper");
  auto keeper = huddle::keeper::KeeperClient::connect(socket, huddle::PuSet::parse(pus),
                                                      std::chrono::seconds(5));
  const auto deadline = Clock::now() + std::chrono::seconds(seconds);
  if (wish == "wander") {
    wander(keeper, deadline);
  } else {
    const auto khz = static_cast<std::uint32_t>(std::stoul(wish));
    for (std::size_t i = 0; i < keeper.clocks().size(); ++i) keeper.ask(i, khz);
    print_once_written(keeper, deadline);
  }
  while (Clock::now() < deadline && keeper.alive())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!keeper.alive()) fmt::print("the keeper has ended\n");
  std::fflush(stdout);
  std::this_thread::sleep_until(deadline);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw huddle::UsageError("expected PUS KHZ|wander SECONDS");
    return run(argv[1], argv[2], std::stoi(argv[3]));
  } catch (const std::exception& error) {
    fmt::print("refused: {}\n", error.what());
    return 1;
  }
}
