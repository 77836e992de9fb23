#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/programs/placement.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kHostNameBytes = 256, kMostPus = 1 << 16 };

/* Appends the ranges of set to text. Returns 0, or ENOBUFS when they do not fit. */
static int append_ranges(const cpu_set_t* set, size_t set_bytes, char* text, size_t capacity) {
  const int pus = (int)(set_bytes * 8);
  size_t used = strlen(text);
  const char* separator = "";
  for (int first = 0; first < pus; ++first) {
    if (!CPU_ISSET_S((size_t)first, set_bytes, set)) continue;
    int last = first;
    while (last + 1 < pus && CPU_ISSET_S((size_t)last + 1, set_bytes, set)) ++last;
    const int wrote =
        first == last ? snprintf(text + used, capacity - used, "%s%d", separator, first)
                      : snprintf(text + used, capacity - used, "%s%d-%d", separator, first, last);
    if (wrote < 0 || (size_t)wrote >= capacity - used) return ENOBUFS;
    used += (size_t)wrote;
    separator = ",";
    first = last;
  }
  return 0;
}

/* The kernel refuses (EINVAL) a set smaller than its own, and does not report how large that is. */
static int append_own_pus(char* text, size_t capacity) {
  for (int pus = CPU_SETSIZE; pus <= kMostPus; pus *= 2) {
    const size_t set_bytes = CPU_ALLOC_SIZE((size_t)pus);
    cpu_set_t* set = CPU_ALLOC((size_t)pus);
    if (set == NULL) return ENOMEM;
    CPU_ZERO_S(set_bytes, set);
    const int error = sched_getaffinity(0, set_bytes, set) == 0 ? 0 : errno;
    const int result = error == 0 ? append_ranges(set, set_bytes, text, capacity) : error;
    CPU_FREE(set);
    if (error != EINVAL) return result;
  }
  return EINVAL;
}

int programs_placement_line(int rank, char* line) {
  memset(line, 0, kPlacementLineBytes);
  char host[kHostNameBytes] = {0};
  if (gethostname(host, sizeof host - 1) != 0) return errno;
  snprintf(line, kPlacementLineBytes, "%d %s ", rank, host);
  const int error = append_own_pus(line, kPlacementLineBytes);
  if (error != 0) memset(line, 0, kPlacementLineBytes);
  return error;
}

int programs_write_placement(const char* path, const char* lines, int count) {
  const int to_standard_output = strcmp(path, "-") == 0;
  FILE* out = to_standard_output ? stdout : fopen(path, "w");
  if (out == NULL) {
    fprintf(stderr, "--placement %s: cannot be opened for writing: %s\n", path, strerror(errno));
    return 1;
  }
  int missing = 0;
  for (int rank = 0; rank < count; ++rank) {
    const char* line = lines + (size_t)rank * kPlacementLineBytes;
    if (line[0] == '\0') {
      fprintf(stderr, "--placement %s: rank %d could not read its affinity\n", path, rank);
      missing = 1;
    } else {
      fprintf(out, "%s\n", line);
    }
  }
  const int broken = (fflush(out) != 0) | ferror(out);
  const int unclosed = to_standard_output ? 0 : fclose(out);
  if (broken || unclosed) fprintf(stderr, "--placement %s: could not be written in full\n", path);
  return missing || broken || unclosed;
}
