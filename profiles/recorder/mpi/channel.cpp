#include "profiles/recorder/mpi/channel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

enum Tag { kAsk = 1, kSize, kPiece, kTold };

// MPI counts in ints, and a piece may be larger.
constexpr std::uint64_t kChunk = 64U << 20U;

void check(int status, const char* what) {
  if (status != MPI_SUCCESS)
    throw Error(fmt::format("no profile is written: {} failed with MPI error {}", what, status));
}

}  // namespace

namespace {

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

void Channel::share_from_root(void* data, int size) const {
  check(HUDDLE_REAL(Bcast)(data, size, byte_datatype(), 0, comm_), "MPI_Bcast");
}

std::uint32_t Channel::joined(std::uint32_t bits) const {
  std::uint32_t all = 0;
  check(HUDDLE_REAL(Allreduce)(&bits, &all, sizeof all, byte_datatype(), bit_or(), comm_),
        "MPI_Allreduce");
  return all;
}

Channel Channel::of_node() const {
  MPI_Comm node{};
  check(HUDDLE_REAL(Comm_split_type)(comm_, MPI_COMM_TYPE_SHARED, 0, no_info(), &node),
        "MPI_Comm_split_type");
  return Channel(node);
}

std::optional<Channel> Channel::of_those(bool in) const {
  MPI_Comm those{};
  check(HUDDLE_REAL(Comm_split)(comm_, in ? 0 : MPI_UNDEFINED, 0, &those), "MPI_Comm_split");
  if (!in) return std::nullopt;
  return Channel(those);
}

void Channel::tell(int rank, const void* data, int size) const {
  check(HUDDLE_REAL(Send)(data, size, byte_datatype(), rank, kTold, comm_), "MPI_Send");
}

void Channel::hear(int rank, void* data, int size) const {
  check(HUDDLE_REAL(Recv)(data, size, byte_datatype(), rank, kTold, comm_, MPI_STATUS_IGNORE),
        "MPI_Recv");
}

// Rank 0 asks before a piece is sent, so that they don't pile up in its memory: of a small message
// MPI would keep a copy there.
void Channel::deliver(std::string_view piece) const {
  char wanted = 0;
  check(HUDDLE_REAL(Recv)(&wanted, 1, byte_datatype(), 0, kAsk, comm_, MPI_STATUS_IGNORE),
        "MPI_Recv");
  if (wanted == 0) return;
  std::uint64_t size = piece.size();
  check(HUDDLE_REAL(Send)(&size, sizeof size, byte_datatype(), 0, kSize, comm_), "MPI_Send");
  for (; !piece.empty(); piece.remove_prefix(std::min<std::uint64_t>(kChunk, piece.size())))
    check(HUDDLE_REAL(Send)(piece.data(),
                            static_cast<int>(std::min<std::uint64_t>(kChunk, piece.size())),
                            byte_datatype(), 0, kPiece, comm_),
          "MPI_Send");
}

// The next rank is asked early: its piece is under way while this one's is written.
void Channel::collect(const std::function<bool(const std::string& piece)>& take) const {
  bool wanted = true;
  bool asked = wanted;
  if (ranks_ > 1) ask(1, wanted);
  for (int rank = 1; rank < ranks_; ++rank) {
    const bool coming = asked;
    if (rank + 1 < ranks_) ask(rank + 1, asked = wanted);
    if (!coming) continue;
    const std::string piece = receive(rank);
    wanted = wanted && take(piece);
  }
}

void Channel::ask(int rank, bool wanted) const {
  const char word = wanted ? 1 : 0;
  check(HUDDLE_REAL(Send)(&word, 1, byte_datatype(), rank, kAsk, comm_), "MPI_Send");
}

std::string Channel::receive(int rank) const {
  std::uint64_t size = 0;
  check(
      HUDDLE_REAL(Recv)(&size, sizeof size, byte_datatype(), rank, kSize, comm_, MPI_STATUS_IGNORE),
      "MPI_Recv");
  std::string piece(size, '\0');
  for (std::uint64_t at = 0; at < size; at += kChunk)
    check(HUDDLE_REAL(Recv)(piece.data() + at, static_cast<int>(std::min(kChunk, size - at)),
                            byte_datatype(), rank, kPiece, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
  return piece;
}

}  // namespace huddle::recorder
