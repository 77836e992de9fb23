#include "tests/programs/waits/call_stamps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostCalls = 1024, kMostTags = 16, kTagBytes = 48, kCallBytes = 32 };

struct Tag {
  const char* pattern; /* NULL: given */
  char text[kTagBytes];
};

struct Call {
  const char* experiment;
  const char* function;
  char name[kCallBytes];
  int64_t begin;
  int64_t end;
  int tags;
  struct Tag tag[kMostTags];
};

static int own_rank;
static const char* experiment = "none";
static int64_t experiment_begin;
static int calls;
static struct Call all_calls[kMostCalls];

int64_t stamps_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void stamps_of(int rank) {
  own_rank = rank;
}

void stamps_experiment(const char* name, int64_t begin) {
  experiment = name;
  experiment_begin = begin;
}

void delayed_until_ms(int milliseconds) {
  const int64_t until = experiment_begin + (int64_t)milliseconds * 1000000;
  const struct timespec time = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

static void give_up(const char* why) {
  fprintf(stderr, "call_stamps: rank %d: %s: the program has outgrown its table\n", own_rank, why);
  abort();
}

void stamps_call_begins(const char* function, const char* call) {
  if (calls == kMostCalls) give_up("too many calls");
  struct Call* next = &all_calls[calls];
  next->experiment = experiment;
  next->function = function;
  snprintf(next->name, sizeof next->name, "%.*s", (int)strcspn(call, "( "), call);
  next->begin = stamps_now();
}

void stamps_call_ended(void) {
  stamps_call_ended_at(stamps_now());
}

void stamps_call_ended_at(int64_t time) {
  all_calls[calls++].end = time;
}

static void add_tag(const char* pattern, const char* tag, int number) {
  struct Call* last = &all_calls[calls - 1];
  if (last->tags == kMostTags) give_up("too many tags");
  struct Tag* next = &last->tag[last->tags++];
  next->pattern = pattern;
  snprintf(next->text, sizeof next->text, "%s.%d", tag, number);
}

void stamps_gives(const char* tag, int number) {
  add_tag(NULL, tag, number);
}

void stamps_needs(const char* pattern, const char* tag, int number) {
  add_tag(pattern, tag, number);
}

static void print_call(FILE* file, const struct Call* call) {
  fprintf(file, "%s %s %s %" PRId64 " %" PRId64, call->experiment, call->function, call->name,
          call->begin, call->end);
  for (int i = 0; i < call->tags; ++i) {
    const struct Tag* tag = &call->tag[i];
    if (tag->pattern == NULL)
      fprintf(file, " gives:%s", tag->text);
    else
      fprintf(file, " needs:%s:%s", tag->pattern, tag->text);
  }
  fputc('\n', file);
}

int stamps_write(const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.stamps", directory, own_rank);
  FILE* file = fopen(path, "w");
  if (file != NULL)
    for (int i = 0; i < calls; ++i) print_call(file, &all_calls[i]);
  if (file == NULL || fclose(file) != 0) {
    fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(errno));
    return 1;
  }
  return 0;
}
