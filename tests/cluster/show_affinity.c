// Prints the PUs that it may use, by sched_getaffinity, and the one it runs on:
// "mask 5,7 on 5".

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

int main(void) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
    perror("sched_getaffinity");
    return 1;
  }
  const char* separator = "mask ";
  for (int pu = 0; pu < CPU_SETSIZE; ++pu) {
    if (!CPU_ISSET((size_t)pu, &mask)) continue;
    printf("%s%d", separator, pu);
    separator = ",";
  }
  printf(" on %d\n", sched_getcpu());
  return 0;
}
