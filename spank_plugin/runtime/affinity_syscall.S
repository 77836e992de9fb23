/* Functions of the C library that may return twice, so that no frame of ours may be there: they go on with their registers and stack
 * as they came, and return to the program.
 * syscall(): two calls of the kernel are about where threads may run, and others may be clone() or vfork(). Until it is known where it
 * goes on, the call is made here. vfork(): the thread is at home before. */
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

  .globl vfork
  .type vfork, @function
  .p2align 4
vfork:
  .cfi_startproc
  endbr64
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call huddle_before_vfork
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size vfork, . - vfork

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
  b.eq 3f
  cmp x0, #SYS_sched_setaffinity
  b.eq 4f
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
3:
  b huddle_syscall_getaffinity
4:
  b huddle_syscall_setaffinity
  .cfi_endproc
  .size syscall, . - syscall

  .globl vfork
  .type vfork, %function
  .p2align 4
vfork:
  .cfi_startproc
  hint #25 /* paciasp, which bti lets pass */
  .cfi_negate_ra_state
  stp x29, x30, [sp, #-16]!
  .cfi_adjust_cfa_offset 16
  .cfi_rel_offset x29, 0
  .cfi_rel_offset x30, 8
  bl huddle_before_vfork
  mov x16, x0
  ldp x29, x30, [sp], #16
  .cfi_adjust_cfa_offset -16
  .cfi_restore x29
  .cfi_restore x30
  hint #29 /* autiasp */
  .cfi_negate_ra_state
  br x16
  .cfi_endproc
  .size vfork, . - vfork

#endif
  .section .note.GNU-stack, "", %progbits
