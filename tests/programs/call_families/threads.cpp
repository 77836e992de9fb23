// Threads that all send at once: on the communicator they share, on one of their own each, and
// collectives on their own. MPI_THREAD_MULTIPLE.
#include <array>
#include <thread>
#include <vector>

#include "tests/programs/call_families/circle.hpp"

namespace {

using programs::Circle;
using programs::expect;
using programs::Here;

constexpr int kThreads = 3;
constexpr int kRounds = 40;

// The work of one thread: messages on the world, told from others' by the tag, and on its own
// communicator, with a type that it makes and frees in each round, and a persistent one.
void work(int thread, const Here& here, MPI_Comm own) {
  std::array<int, 64> out{}, in{};
  MPI_Request persistent = MPI_REQUEST_NULL;
  MPI_Send_init(out.data(), 3, MPI_INT, here.right(), 1000 + thread, MPI_COMM_WORLD, &persistent);
  for (int round = 0; round < kRounds; ++round) {
    out.fill(here.rank * 1000 + round);
    MPI_Sendrecv(out.data(), thread + 1, MPI_INT, here.right(), thread, in.data(), 64, MPI_INT,
                 here.left(), thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(in[0] == here.left() * 1000 + round, "a message between threads");
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(thread + 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 1, type, here.left(), 0, own, &request);
    MPI_Recv(in.data(), 64, MPI_INT, here.right(), 0, own, MPI_STATUS_IGNORE);
    expect(in[static_cast<std::size_t>(thread) + 1] == here.right() * 1000 + round,
           "a message on a thread's own communicator");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Start(&persistent);
    MPI_Recv(in.data(), 64, MPI_INT, here.left(), 1000 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    int sum = 0;
    if (round % 10 == 0) MPI_Allreduce(&here.rank, &sum, 1, MPI_INT, MPI_SUM, own);
  }
  MPI_Request_free(&persistent);
}

void account_for(int thread, const Here& here, const std::string& members) {
  known_sent(here.right(), kRounds, 4 * (thread + 1));
  known_sent(here.left(), kRounds, 4 * (thread + 2));
  known_sent(here.right(), kRounds, 12);
  for (int round = 0; round < kRounds; round += 10)
    known_collective("allreduce", members.c_str(), 4);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(
      argc, argv, 3,
      [](const Here& here) {
        std::array<MPI_Comm, kThreads> own{};
        for (MPI_Comm& comm : own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
          account_for(thread, here, programs::all_ranks(here));
          threads.emplace_back(work, thread, here, own[static_cast<std::size_t>(thread)]);
        }
        for (std::thread& thread : threads) thread.join();
        for (MPI_Comm& comm : own) MPI_Comm_free(&comm);
      },
      MPI_THREAD_MULTIPLE);
}
