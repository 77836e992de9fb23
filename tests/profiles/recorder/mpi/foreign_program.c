/* A program of foreign_mpi.c. */
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);

int main(int argc, char** argv) {
  return MPI_Init(&argc, &argv) + MPI_Finalize();
}
