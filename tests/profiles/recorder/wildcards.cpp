// An MPI program that would take any message that is not its own: rank 0 receives from anybody,
// whatever the tag, as soon as MPI is up, and all others send at once. Then come collectives of
// both kinds. With the argument "spawn" it starts two more of itself, which talk to their parents.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kEach = 20;
constexpr int kLength = 3;

int rank = 0;
int ranks = 0;
bool right = true;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  right = false;
}

void send_to_0() {
  for (int i = 0; i < kEach; ++i) {
    const std::array<int, kLength> message = {rank, i, rank * i};
    MPI_Send(message.data(), kLength, MPI_INT, 0, i, MPI_COMM_WORLD);
  }
}

void receive_from_anybody() {
  std::vector<int> next(static_cast<std::size_t>(ranks), 0);
  for (int left = (ranks - 1) * kEach; left > 0; --left) {
    std::array<int, 64> message{};
    MPI_Status status{};
    int count = 0;
    if (left % 2 == 0) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      expect(count == kLength, "the size that was probed");
    }
    MPI_Recv(message.data(), 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    const int from = status.MPI_SOURCE;
    int& turn = next[static_cast<std::size_t>(from)];
    expect(count == kLength && status.MPI_TAG == turn, "size and tag");
    expect(message[0] == from && message[1] == turn && message[2] == from * turn, "content");
    ++turn;
  }
}

void nobody_sends_more() {
  MPI_Request request{};
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  expect(found == 0, "a message that nobody sent");
}

void collectives() {
  MPI_Comm half{};
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum == ranks * (ranks - 1) / 2, "the sum over all");
  int size = 0;
  MPI_Comm_size(half, &size);
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
  expect(sum == size, "the sum over half of them");
  MPI_Comm_free(&half);
}

void spawn(char* program) {
  MPI_Comm children{};
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  MPI_Barrier(children);
  MPI_Comm_disconnect(&children);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm parent{};
  MPI_Comm_get_parent(&parent);
  if (rank == 0)
    receive_from_anybody();
  else
    send_to_0();
  nobody_sends_more();
  collectives();
  if (argc == 2 && std::strcmp(argv[1], "spawn") == 0) spawn(argv[0]);
  if (parent != MPI_COMM_NULL) {
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
