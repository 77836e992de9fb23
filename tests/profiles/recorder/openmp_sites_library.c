/* A library that begins teams where it is loaded, and in many places: more than a recorder may want
 * to remember one by one. */
static long in_constructor;

__attribute__((constructor)) static void begin(void) {
#pragma omp parallel num_threads(2) reduction(+ : in_constructor)
  {
#pragma omp barrier
    in_constructor += 1;
  }
}

#define SITE(number)                                            \
  case number: {                                                \
    _Pragma("omp parallel num_threads(2) reduction(+ : sum)") { \
      _Pragma("omp barrier") sum += (number) + 1;               \
    }                                                           \
    break;                                                      \
  }
#define TEN_SITES(tens)                                                                   \
  SITE(10 * (tens))                                                                       \
  SITE(10 * (tens) + 1)                                                                   \
  SITE(10 * (tens) + 2) SITE(10 * (tens) + 3) SITE(10 * (tens) + 4) SITE(10 * (tens) + 5) \
      SITE(10 * (tens) + 6) SITE(10 * (tens) + 7) SITE(10 * (tens) + 8) SITE(10 * (tens) + 9)

/* The sum of two threads at one of 40 places, 0 to 39. */
long visit(int site) {
  long sum = 0;
  switch (site) { TEN_SITES(0) TEN_SITES(1) TEN_SITES(2) TEN_SITES(3) }
  return sum + in_constructor - 2;
}
