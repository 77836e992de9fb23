#include "profiles/recorder/mpi/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "profiles/recorder/process/growing_pauses.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

constexpr int kTag = 1;

// MPI counts in ints, and a text may be longer.
constexpr std::uint64_t kChunk = 64U << 20U;

// Number of ranks that are asked before the text of one is taken: a rank that waits looks only now
// and then whether it is asked, and rank 0 should not have to wait for that each time.
constexpr int kAhead = 8;

void check(int status, const char* what) {
  if (status != MPI_SUCCESS)
    throw Error(fmt::format("no profile is written: {} failed with MPI error {}", what, status));
}

// MPI libraries wait in a loop that keeps its core. Where ranks share cores, the rank that is
// waited for would get its turn only now and then.
void complete(MPI_Request request, const char* what) {
  GrowingPauses pauses;
  for (int done = 0;; pauses.pause()) {
    check(HUDDLE_REAL(Test)(&request, &done, MPI_STATUS_IGNORE), what);
    if (done != 0) return;
  }
}

MPI_Comm duplicate_of_world() {
  MPI_Comm comm{};
  check(HUDDLE_REAL(Comm_dup)(world_communicator(), &comm), "MPI_Comm_dup");
  return comm;
}

}  // namespace

Channel::Channel() : Channel(duplicate_of_world()) {}

Channel::Channel(MPI_Comm comm) : comm_(comm) {
  check(HUDDLE_REAL(Comm_set_errhandler)(comm_, errors_return()), "MPI_Comm_set_errhandler");
  check(HUDDLE_REAL(Comm_rank)(comm_, &rank_), "MPI_Comm_rank");
  check(HUDDLE_REAL(Comm_size)(comm_, &ranks_), "MPI_Comm_size");
}

void Channel::broadcast(void* data, int size) const {
  MPI_Request pending{};
  check(HUDDLE_REAL(Ibcast)(data, size, byte_datatype(), 0, comm_, &pending), "MPI_Ibcast");
  complete(pending, "MPI_Ibcast");
}

std::string Channel::broadcast(std::string text) const {
  std::uint64_t size = text.size();
  broadcast(&size, sizeof size);
  text.resize(size);
  if (size > 0) broadcast(text.data(), static_cast<int>(size));
  return text;
}

std::uint32_t Channel::any_of_all(std::uint32_t bits) const {
  std::uint32_t all = 0;
  MPI_Request pending{};
  check(
      HUDDLE_REAL(Iallreduce)(&bits, &all, sizeof all, byte_datatype(), bit_or(), comm_, &pending),
      "MPI_Iallreduce");
  complete(pending, "MPI_Iallreduce");
  return all;
}

Channel Channel::node() const {
  MPI_Comm node{};
  check(HUDDLE_REAL(Comm_split_type)(comm_, MPI_COMM_TYPE_SHARED, 0, no_info(), &node),
        "MPI_Comm_split_type");
  return Channel(node);
}

std::optional<Channel> Channel::subset(bool in) const {
  MPI_Comm those{};
  check(HUDDLE_REAL(Comm_split)(comm_, in ? 0 : MPI_UNDEFINED, 0, &those), "MPI_Comm_split");
  if (!in) return std::nullopt;
  return Channel(those);
}

void Channel::send(int rank, const void* data, int size) const {
  check(HUDDLE_REAL(Send)(data, size, byte_datatype(), rank, kTag, comm_), "MPI_Send");
}

void Channel::receive(int rank, void* data, int size) const {
  MPI_Request pending{};
  check(HUDDLE_REAL(Irecv)(data, size, byte_datatype(), rank, kTag, comm_, &pending), "MPI_Irecv");
  complete(pending, "MPI_Irecv");
}

void Channel::send(int rank, std::string_view text) const {
  const std::uint64_t size = text.size();
  send(rank, &size, sizeof size);
  for (std::uint64_t at = 0; at < size; at += kChunk)
    send(rank, text.data() + at, static_cast<int>(std::min(kChunk, size - at)));
}

std::string Channel::receive(int rank) const {
  std::uint64_t size = 0;
  receive(rank, &size, sizeof size);
  std::string text(size, '\0');
  // It is under way: waiting for it with pauses would only make it slower.
  for (std::uint64_t at = 0; at < size; at += kChunk)
    check(HUDDLE_REAL(Recv)(text.data() + at, static_cast<int>(std::min(kChunk, size - at)),
                            byte_datatype(), rank, kTag, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
  return text;
}

// Rank 0 asks before a text is sent, so that they don't pile up in its memory: of a small message
// MPI would keep a copy there.
void Channel::deliver(std::string_view text) const {
  char wanted = 0;
  receive(0, &wanted, 1);
  if (wanted != 0) send(0, text);
}

// The next ranks are asked early: their texts are under way while this one's is used.
void Channel::collect(const std::function<bool(const std::string& text)>& take) const {
  bool wanted = true;
  std::deque<bool> asked;  // of the ranks that were asked and not received yet: whether for a text
  int next = 1;
  const auto ask_until = [&](int last) {
    for (; next <= last; ++next) {
      const char word = wanted ? 1 : 0;
      send(next, &word, 1);
      asked.push_back(wanted);
    }
  };
  for (int rank = 1; rank < ranks_; ++rank) {
    ask_until(std::min(rank + kAhead, ranks_ - 1));
    const bool coming = asked.front();
    asked.pop_front();
    if (!coming) continue;
    const std::string text = receive(rank);
    wanted = wanted && take(text);
  }
}

}  // namespace huddle::recorder
