#include "tests/programs/call_families/known_traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  int rank;
  FILE* lines;
  char* text;
  size_t length;
} account;

void known_traffic_of(int world_rank) {
  account.rank = world_rank;
  account.lines = open_memstream(&account.text, &account.length);
  if (account.lines == NULL) abort();
}

static void add(const char* what, int peer, long messages, long long bytes) {
  fprintf(account.lines, "%s %d %d %ld %lld\n", what, account.rank, peer, messages, bytes);
}

void known_sent(int receiver, long messages, long long bytes) {
  add("sent", receiver, messages, bytes);
}

void known_sent_to_neighbour(int receiver, long messages, long long bytes) {
  add("neighbours", receiver, messages, bytes);
}

void known_put(int target, long messages, long long bytes) {
  add("put", target, messages, bytes);
}

void known_fetched(int target, long messages, long long bytes) {
  add("fetched", target, messages, bytes);
}

void known_collective(const char* operation, const char* members, long long bytes) {
  fprintf(account.lines, "collective %d %s %s 1 %lld\n", account.rank, operation, members, bytes);
}

int known_traffic_write(const char* path) {
  if (fclose(account.lines) != 0) abort(); /* out of memory */
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  const int written =
      file >= 0 && write(file, account.text, account.length) == (ssize_t)account.length;
  if (!written) fprintf(stderr, "%s: the truth could not be written: %s\n", path, strerror(errno));
  if (file >= 0) close(file);
  free(account.text);
  return written ? 0 : 1;
}
