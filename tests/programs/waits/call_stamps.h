/* When the MPI calls of this rank began and ended, on the clock that all processes of a machine
 * share, and which of them had to wait for which: what the wait states that an analysis finds are
 * compared with. The C ABI that the C and the Fortran programs share. Nothing here calls MPI. For
 * one thread.
 *
 * A call that lets others go on gives a tag; one that can't end before needs it. So a call waits
 * from its begin until the last of those that give the tag has begun; if it ended before that, it
 * did not wait. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t stamps_now(void);

/* Begins the record of this rank. To be called once, before all others. */
void stamps_of(int rank);

/* An experiment begins, whose delays count from `begin`. Its name comes before the tags that
 * follow, so that tags are its own. `name` is kept. */
void stamps_experiment(const char* name, int64_t begin);

/* Sleeps until so many milliseconds after the begin of the experiment: the rank is late by that
 * much. Asleep, it leaves its core to the ranks that wait. */
void delayed_until_ms(int milliseconds);

/* A call of MPI begins, or has ended. `function` makes the call; `call` is the MPI function's name,
 * or a text that begins with it. */
void stamps_call_begins(const char* function, const char* call);
void stamps_call_ended(void);
/* At an earlier time, by stamps_now(). */
void stamps_call_ended_at(int64_t time);

/* Note what the last call that ended gives or needs. `pattern` is a wait state's name, such as
 * "late_sender"; `number` is a part of the tag. */
void stamps_gives(const char* tag, int number);
void stamps_needs(const char* pattern, const char* tag, int number);

/* Writes the record to the file DIRECTORY/RANK.stamps, a line for each call:
 *   EXPERIMENT FUNCTION CALL BEGIN END [gives:TAG ...] [needs:PATTERN:TAG ...]
 * Returns 0; on failure it has said why on standard error, and returns 1. To be called once, after
 * all others. */
int stamps_write(const char* directory);

#ifdef __cplusplus
}
#endif
