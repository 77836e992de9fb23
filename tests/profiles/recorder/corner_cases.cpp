// An MPI program of rare uses, whose messages and collectives are known by their number: persistent
// sends, receivers that are nobody, intercommunicators, communicators made again and again,
// threads, a child process. Prints its point-to-point matrix to the file that it is given, lines
// "SENDER RECEIVER MESSAGES BYTES".
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kTag = 7;
constexpr int kRounds = 5;
constexpr int kThreads = 3;

struct Traffic {
  long messages = 0;
  long bytes = 0;
};
using Matrix = std::map<std::pair<int, int>, Traffic>;

int rank = 0;
int ranks = 0;

void plan(Matrix& matrix, int from, int to, long messages, long bytes_each) {
  matrix[{from, to}].messages += messages;
  matrix[{from, to}].bytes += messages * bytes_each;
}

// Every rank's part in turn, so that each knows the whole matrix.
template <class Step>
void plan_ring(Matrix& matrix, Step step) {
  for (int from = 0; from < ranks; ++from) step(matrix, from, (from + 1) % ranks);
}

void persistent_sends(Matrix& matrix) {
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  std::array<int, 6> out{}, in{};
  std::array<MPI_Request, 3> requests{};
  MPI_Send_init(out.data(), 6, MPI_INT, right, kTag, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out.data(), 6, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(in.data(), 6, MPI_INT, left, kTag, MPI_COMM_WORLD, &requests[2]);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Startall(3, requests.data());
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  }
  for (MPI_Request& request : requests) MPI_Start(&request);
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  plan_ring(matrix, [](Matrix& m, int from, int to) { plan(m, from, to, kRounds + 1, 24); });
}

void sends_to_nobody() {
  std::array<int, 4> data{};
  MPI_Request request{};
  MPI_Send(data.data(), 4, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD);
  MPI_Isend(data.data(), 4, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(data.data(), 4, MPI_INT, MPI_PROC_NULL, kTag, MPI_PROC_NULL, kTag,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A reversed communicator, then one in order, over and over: the library reuses their handles.
void changing_communicators(Matrix& matrix) {
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm comm{};
    MPI_Comm_split(MPI_COMM_WORLD, 0, round % 2 == 0 ? -rank : rank, &comm);
    int own = 0;
    MPI_Comm_rank(comm, &own);
    char out = 0, in = 0;
    MPI_Sendrecv(&out, 1, MPI_CHAR, (own + 1) % ranks, kTag, &in, 1, MPI_CHAR,
                 (own + ranks - 1) % ranks, kTag, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    plan_ring(matrix, [&](Matrix& m, int from, int to) {
      plan(m, round % 2 == 0 ? to : from, round % 2 == 0 ? from : to, 1, 1);
    });
  }
}

// Even against odd ranks; pairs beyond the shorter side stay silent.
void intercommunicator(Matrix& matrix) {
  MPI_Comm half{}, inter{};
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, kTag, &inter);
  int partners = 0;
  MPI_Comm_remote_size(inter, &partners);
  std::array<double, 10> out{}, in{};
  if (rank / 2 < partners)
    MPI_Sendrecv(out.data(), 10, MPI_DOUBLE, rank / 2, kTag, in.data(), 10, MPI_DOUBLE, rank / 2,
                 kTag, inter, MPI_STATUS_IGNORE);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  for (int even = 0; even + 1 < ranks; even += 2) {
    plan(matrix, even, even + 1, 1, 80);
    plan(matrix, even + 1, even, 1, 80);
  }
}

void threads_send(Matrix& matrix) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([t] {
      for (int round = 0; round < 100; ++round) {
        std::array<char, 64> out{}, in{};
        MPI_Request request{};
        MPI_Irecv(in.data(), 64, MPI_CHAR, (rank + ranks - 1) % ranks, 100 + t, MPI_COMM_WORLD,
                  &request);
        MPI_Send(out.data(), 16 << t, MPI_CHAR, (rank + 1) % ranks, 100 + t, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    });
  for (std::thread& thread : threads) thread.join();
  plan_ring(matrix, [](Matrix& m, int from, int to) {
    for (int t = 0; t < kThreads; ++t) plan(m, from, to, 100, 16 << t);
  });
}

// A child that ends like a program must not look like the end of the rank.
void child_process() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
}

void collectives() {
  std::vector<int> data(static_cast<std::size_t>(ranks) * 2, rank);
  MPI_Allreduce(MPI_IN_PLACE, data.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Bcast(data.data(), 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Request request{};
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm pair{};
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &pair);
  MPI_Reduce(data.data(), data.data() + 1, 1, MPI_INT, MPI_MAX, 0, pair);
  MPI_Comm_free(&pair);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2 || ranks < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  Matrix matrix;
  persistent_sends(matrix);
  sends_to_nobody();
  changing_communicators(matrix);
  intercommunicator(matrix);
  if (level == MPI_THREAD_MULTIPLE) threads_send(matrix);
  child_process();
  collectives();
  if (rank == 0) {
    std::FILE* file = std::fopen(argv[1], "w");
    if (file == nullptr) MPI_Abort(MPI_COMM_WORLD, 2);
    for (const auto& [pair, traffic] : matrix)
      std::fprintf(file, "%d %d %ld %ld\n", pair.first, pair.second, traffic.messages,
                   traffic.bytes);
    std::fclose(file);
  }
  if (argc == 3) {
    const rlimit limit{std::strtoul(argv[2], nullptr, 10), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  MPI_Finalize();
  return 0;
}
