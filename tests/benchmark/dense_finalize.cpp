// Every rank sends to every rank, in four sizes; then rank 0 prints how long MPI_Finalize took, in
// seconds: with the recorder that is when the profile is gathered and written.
//
//   mpirun -np 64 dense_finalize
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const int size : {1, 64, 1024, 5000}) {
    const std::vector<char> out(static_cast<std::size_t>(size));
    std::vector<char> in(out.size());
    for (int step = 0; step < ranks; ++step)
      MPI_Sendrecv(out.data(), size, MPI_CHAR, (rank + step) % ranks, 0, in.data(), size, MPI_CHAR,
                   (rank - step + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  MPI_Finalize();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (rank == 0) std::printf("%.3f\n", time.count());
}
