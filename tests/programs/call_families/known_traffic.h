/* The traffic that a rank knows of because its program made it so: the truth that a recorder's
 * profile is compared with. The C ABI that the C++ and the Fortran programs share. Nothing here
 * calls MPI, and nothing is asked of MPI: ranks are those of MPI_COMM_WORLD and bytes are what the
 * program knows them to be. For one thread. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Begins the account of this rank. To be called once, before all others. */
void known_traffic_of(int world_rank);

/* Each adds `messages` of `bytes` bytes each: point-to-point messages to `receiver`; what
 * neighbourhood collectives carry to `receiver`; what one-sided calls write into the memory of
 * `target`; what they take out of it. */
void known_sent(int receiver, long messages, long long bytes);
void known_sent_to_neighbour(int receiver, long messages, long long bytes);
void known_put(int target, long messages, long long bytes);
void known_fetched(int target, long messages, long long bytes);

/* Adds one call of a collective operation, named as in MPI without "MPI_" and in lower case, to
 * which this rank contributes `bytes`. `members` are the ranks that take part: "world" for
 * MPI_COMM_WORLD itself, otherwise an ascending list such as "0,2-3", and for an intercommunicator
 * two of them, the one with the lowest rank first, with '|' between. */
void known_collective(const char* operation, const char* members, long long bytes);

/* Appends the account to the file called path in a single write, so that all ranks of a node can
 * share one file. Returns 0; on failure it has said why on standard error, and returns 1. To be
 * called once, after all others. The lines:
 *   sent|neighbours|put|fetched RANK PEER MESSAGES BYTES_OF_EACH
 *   collective RANK OPERATION MEMBERS CALLS BYTES_OF_EACH
 * The same may be on several lines, which then add up. */
int known_traffic_write(const char* path);

#ifdef __cplusplus
}
#endif
