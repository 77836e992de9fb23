/* A library that computes with GCC's runtime of OpenMP, as OpenBLAS may. */
long add_all(const long* values, long count) {
  long sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (long i = 0; i < count; ++i) sum += values[i];
  return sum;
}
