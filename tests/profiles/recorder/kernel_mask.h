#pragma once

/* Where a thread may run, asked of the kernel itself: while Huddle packs a team, the C library's functions answer as if it did
 * not. */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline cpu_set_t kernel_mask(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
#if defined(__x86_64__)
  long answer = SYS_sched_getaffinity;
  __asm__ volatile("syscall" : "+a"(answer) : "D"(0L), "S"(sizeof set), "d"(&set) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_sched_getaffinity;
  register long x0 __asm__("x0") = 0;
  register long x1 __asm__("x1") = sizeof set;
  register cpu_set_t* x2 __asm__("x2") = &set;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
#else
  syscall(SYS_sched_getaffinity, 0, sizeof set, &set); /* not wrapped there */
#endif
  return set;
}
