/* Where the calling process may run, and how a program prints it: the C ABI that the C++ and the
 * Fortran programs share. Nothing here calls MPI: each program gathers the lines itself. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of one rank's line, its closing NUL included. Every line is sent at this length. */
enum { kPlacementLineBytes = 4096 };

/* Writes "RANK NODE PUS" into line: NODE is this host's name, PUS the PUs that this thread may run
 * on at the time of the call, as sched_getaffinity reports them, in hwloc's list form ("4",
 * "0-3,8"). Pads line with NUL up to kPlacementLineBytes.
 * Returns 0, or an errno value; then line holds only NULs. */
int programs_placement_line(int rank, char* line);

/* Writes count lines, laid out one after another at kPlacementLineBytes each, to the file called
 * path; "-" is standard output. Returns 0; on failure it has said why on standard error, and
 * returns 1. An empty line (a rank that could not tell) is a failure too. */
int programs_write_placement(const char* path, const char* lines, int count);

#ifdef __cplusplus
}
#endif
