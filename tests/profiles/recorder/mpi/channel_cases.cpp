#include <doctest/doctest.h>

#include <sys/resource.h>

#include <chrono>
#include <numeric>
#include <string>
#include <thread>

#include "profiles/recorder/mpi/channel.hpp"
#include "tests/programs/mpi_program.hpp"

namespace huddle::recorder {
namespace {

// No two places of it are alike that are near to each other, and none of two ranks.
std::string text_of(int rank, std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    text[i] = static_cast<char>((i * 31 + (i >> 16U) + static_cast<std::size_t>(rank) * 7) & 255U);
  return text;
}

constexpr std::size_t kChunk = 64U << 20U;

TEST_CASE("a channel has the ranks of the program, and messages of its own") {
  const Channel channel;
  int rank = -1;
  int ranks = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(channel.rank() == rank);
  CHECK(channel.ranks() == ranks);
  // A message of the program with the same tag is not taken for one of the channel's.
  if (ranks < 2) return;
  char own = 'p';
  if (rank == 0) {
    MPI_Send(&own, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    channel.send(1, "channel");
  } else if (rank == 1) {
    CHECK(channel.receive(0) == "channel");
    MPI_Recv(&own, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(own == 'p');
  }
}

TEST_CASE("all ranks get what rank 0 has, of any size, an empty text too") {
  const Channel channel;
  for (const std::size_t size : {0U, 1U, 4096U, 3'000'001U})
    CHECK(channel.broadcast(channel.rank() == 0 ? text_of(0, size) : "own") == text_of(0, size));
  std::uint64_t number = channel.rank() == 0 ? 77 : 0;
  channel.broadcast(&number, sizeof number);
  CHECK(number == 77);
}

TEST_CASE("a bit that any rank sets is set on all") {
  const Channel channel;
  CHECK(channel.any_of_all(0) == 0);
  CHECK(channel.any_of_all(1U << static_cast<unsigned>(channel.rank())) ==
        (1U << static_cast<unsigned>(channel.ranks())) - 1);
  CHECK(channel.any_of_all(channel.rank() == channel.ranks() - 1 ? 1U << 31U : 0) == 1U << 31U);
}

TEST_CASE("texts longer than one of MPI's messages arrive whole") {
  const Channel channel;
  if (channel.ranks() < 2 || channel.rank() > 1) return;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kChunk, kChunk + 3}) {
    if (channel.rank() == 0)
      channel.send(1, text_of(0, size));
    else
      CHECK((channel.receive(0) == text_of(0, size)));
  }
}

TEST_CASE("ranks that share memory are a channel, and so is any subset, in order") {
  const Channel channel;
  // The test runs on one machine.
  CHECK(channel.node().ranks() == (programs::all_share_memory() ? channel.ranks() : 1));
  const bool in = channel.rank() % 2 == 0;
  const std::optional<Channel> even = channel.subset(in);
  REQUIRE(even.has_value() == in);
  if (even) {
    CHECK(even->ranks() == (channel.ranks() + 1) / 2);
    CHECK(even->rank() == channel.rank() / 2);
    CHECK(even->broadcast(std::to_string(channel.rank())) == "0");
  }
  CHECK_FALSE(channel.subset(false));
}

TEST_CASE("rank 0 takes what the others deliver, one after the other") {
  const Channel channel;
  // Small ones, and such that MPI does not send before they are asked for.
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{2'000'000}}) {
    if (channel.rank() != 0) {
      channel.deliver(text_of(channel.rank(), size));
      continue;
    }
    int next = 1;
    channel.collect([&](const std::string& text) {
      CHECK((text == text_of(next, size)));
      ++next;
      return true;
    });
    CHECK(next == channel.ranks());
  }
}

TEST_CASE("once rank 0 wants no more, the others drop what they have, and nobody waits") {
  const Channel channel;
  for (int last = 1; last < channel.ranks(); ++last) {
    if (channel.rank() != 0) {
      channel.deliver(text_of(channel.rank(), 500'000));
      continue;
    }
    int taken = 0;
    channel.collect([&](const std::string&) { return ++taken < last; });
    CHECK(taken == last);
  }
}

// The number of times that this thread leaves its core of its own accord in `action`. (How much of
// the core it takes depends on what else runs there.)
template <class Action>
long rests_in(Action action) {
  const auto now = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  const long begin = now();
  action();
  return now() - begin;
}

// As at the end of a run, where rank 0 writes files and the others wait for it. A rank that shares
// its core would keep it from writing.
TEST_CASE("ranks that wait for rank 0 leave their cores to others") {
  using namespace std::chrono_literals;
  const Channel channel;
  // On a busy machine a rank may begin to wait so late that it need not: then all do it again.
  const auto waiting = [&](const auto& action) {
    bool all_rested = false;
    for (int attempt = 0; attempt < 10 && !all_rested; ++attempt) {
      static_cast<void>(channel.any_of_all(0));
      if (channel.rank() == 0) std::this_thread::sleep_for(500ms);
      const long rests = rests_in(action);
      all_rested = channel.any_of_all(channel.rank() != 0 && rests < 5 ? 1 : 0) == 0;
    }
    CHECK(all_rested);
  };
  waiting([&] {
    if (channel.rank() != 0) return channel.deliver(text_of(channel.rank(), 10));
    channel.collect([](const std::string&) { return true; });
  });
  waiting([&] { static_cast<void>(channel.any_of_all(0)); });
  waiting([&] {
    if (channel.rank() != 0) return static_cast<void>(channel.receive(0));
    for (int rank = 1; rank < channel.ranks(); ++rank) channel.send(rank, "now");
  });
}

TEST_CASE("alone, rank 0 has nothing to collect") {
  const Channel channel;
  const std::optional<Channel> alone = channel.subset(channel.rank() == 0);
  if (!alone) return;
  bool called = false;
  alone->collect([&](const std::string&) { return called = true; });
  CHECK_FALSE(called);
  CHECK(alone->broadcast("text") == "text");
}

}  // namespace
}  // namespace huddle::recorder
