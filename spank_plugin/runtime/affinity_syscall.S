/* syscall() of the C library, in which two calls of the kernel are about where threads may run. All others go on with their
 * registers and stack as they came, and return to the program: of clone() and vfork() a frame of ours would be returned from twice.
 * Until it is known where they go on, they are made here. */
#if defined(__x86_64__) && defined(__LP64__)
#include <sys/syscall.h>

  .text
  .globl syscall
  .type syscall, @function
  .p2align 4
syscall:
  .cfi_startproc
  endbr64
  cmpq $SYS_sched_getaffinity, %rdi
  je huddle_syscall_getaffinity
  cmpq $SYS_sched_setaffinity, %rdi
  je huddle_syscall_setaffinity
  movq huddle_next_syscall(%rip), %r11
  testq %r11, %r11
  je 1f
  jmp *%r11
1:
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  movq %r8, %r10
  movq %r9, %r8
  movq 8(%rsp), %r9
  syscall
  cmpq $-4095, %rax
  jae 2f
  ret
2:
  movl %eax, %edi
  negl %edi
  jmp huddle_failed_with
  .cfi_endproc
  .size syscall, . - syscall

#elif defined(__aarch64__) && defined(__LP64__)
#include <sys/syscall.h>

  .text
  .globl syscall
  .type syscall, %function
  .p2align 4
syscall:
  .cfi_startproc
  hint #34 /* bti c */
  cmp x0, #SYS_sched_getaffinity
  b.eq huddle_syscall_getaffinity
  cmp x0, #SYS_sched_setaffinity
  b.eq huddle_syscall_setaffinity
  adrp x16, huddle_next_syscall
  ldr x16, [x16, :lo12:huddle_next_syscall]
  cbz x16, 1f
  br x16
1:
  mov x8, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  mov x3, x4
  mov x4, x5
  mov x5, x6
  svc 0
  cmn x0, #4095
  b.cs 2f
  ret
2:
  neg w0, w0
  b huddle_failed_with
  .cfi_endproc
  .size syscall, . - syscall

#endif
  .section .note.GNU-stack, "", %progbits
