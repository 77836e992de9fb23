// Declarations shared by the parts of libfake_affinity; fake_affinity.c
// describes it. Nothing of this is visible outside the library.

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

// A wrapper: the only functions that other libraries and programs see.
#define API __attribute__((visibility("default")))

// The function that a wrapper wraps.
#define REAL(name) ((__typeof__(&name))real_function(#name))

enum { kMaxPus = 512 };  // at most half of CPU_SETSIZE, see kAttrShift

// The value of FAKE_AFFINITY at the start; not changed afterwards.
struct config {
  bool on;
  cpu_set_t real;           // the CPUs to fold masks onto; empty: do not
  cpu_set_t node;           // the PUs of the simulated node
  char library[PATH_MAX];   // where this library was loaded from
  char xml_file[PATH_MAX];  // HWLOC_XMLFILE; "": none
};
extern struct config config;

// True if there is a node to simulate. Every wrapper asks this first: `config` is filled by then,
// even where other libraries' constructors run before ours.
bool active(void);

// The address of the next function `name` after this library. Aborts without one.
void* real_function(const char* name);

// Reads REAL:NODE:MASK; false: the text is malformed, or MASK has no PU of NODE.
bool parse_value(const char* text, cpu_set_t* real, cpu_set_t* node, cpu_set_t* mask);

// Writes a mask as hexadecimal digits, at most kMaxPus / 4 and no '\0'; returns
// the end of the digits.
char* print_mask(char* to, const cpu_set_t* mask);

// The intended mask of a thread of this process or of a forked child that has
// not called exec; `known` is whether the thread is one of those.
cpu_set_t mask_of(pid_t thread);
bool known(pid_t thread);

// Keeps the intended mask of such a thread. Thread-safe, as all of these are.
void remember(pid_t thread, const cpu_set_t* mask);
