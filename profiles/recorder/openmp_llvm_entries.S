/* What programs call of LLVM's and Intel's runtimes of OpenMP. Where nothing is to be looked at, a call goes on with all of its
 * arguments, however many there are, and returns to the program: a tool of the user's that asks where it came from must not find
 * the recorder. Else it goes on in openmp_llvm_calls.cpp. A C++ function can do neither, as it has a frame of its own. */
#if defined(__x86_64__) && defined(__LP64__)

/* huddle::recorder::watched_regions, and the depth that huddle::recorder::watching begins with. */
#define WATCHED _ZN6huddle8recorder15watched_regionsE

/* `only` is `watched` if nothing is to be done except while recording. */
.macro entry name, number, function, only
  .globl \name
  .type \name, @function
  .p2align 4
\name:
  .cfi_startproc
  endbr64
  movq huddle_known_llvm_entries + 8 * \number(%rip), %r11
  testq %r11, %r11
  je 3f
1:
  cmpl $0, huddle_looks_at_llvm_entries(%rip)
  je 2f
  .ifc \only, watched
  cmpq $0, WATCHED(%rip)
  je 2f
  .endif
  jmp \function
2:
  jmp *%r11
3:
  movl $\number, %r11d
  call find_entry
  jmp 1b
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
/* In r11: the entry's number, then the function that it stands for. Nothing else changes. */
  .type find_entry, @function
find_entry:
  .cfi_startproc
  .cfi_def_cfa_offset 16 /* the entry's caller is the one that is looked for */
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $8, %rsp
  .cfi_adjust_cfa_offset 64
  movl %r11d, %edi
  movq 72(%rsp), %rsi
  call huddle_find_llvm_entry
  movq %rax, %r11
  addq $8, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  .cfi_adjust_cfa_offset -64
  ret
  .cfi_endproc
  .size find_entry, . - find_entry

/* void huddle_call_microtask(microtask, global_number, team_number, arguments, count): count > 4 */
  .globl huddle_call_microtask
  .hidden huddle_call_microtask
  .type huddle_call_microtask, @function
  .p2align 4
huddle_call_microtask:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %r11
  movq %rcx, %r10
  leaq -4(%r8), %rax
  leaq 15(, %rax, 8), %rdi
  andq $-16, %rdi
  subq %rdi, %rsp
1:
  movq 24(%r10, %rax, 8), %rcx
  movq %rcx, -8(%rsp, %rax, 8)
  decq %rax
  jnz 1b
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq (%r10), %rdx
  movq 8(%r10), %rcx
  movq 16(%r10), %r8
  movq 24(%r10), %r9
  xorl %eax, %eax
  call *%r11
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size huddle_call_microtask, . - huddle_call_microtask

#elif defined(__aarch64__) && defined(__LP64__)

#define WATCHED _ZN6huddle8recorder15watched_regionsE

.macro entry name, number, function, only
  .globl \name
  .type \name, %function
  .p2align 4
\name:
  .cfi_startproc
  hint #34 /* bti c */
  adrp x16, huddle_known_llvm_entries + 8 * \number
  ldr x16, [x16, #:lo12:huddle_known_llvm_entries + 8 * \number]
  cbz x16, 3f
1:
  adrp x17, huddle_looks_at_llvm_entries
  ldr w17, [x17, #:lo12:huddle_looks_at_llvm_entries]
  cbz w17, 2f
  .ifc \only, watched
  adrp x17, WATCHED
  ldr x17, [x17, #:lo12:WATCHED]
  cbz x17, 2f
  .endif
  b \function
2:
  br x16
3:
  mov x17, x30
  mov w16, #\number
  bl find_entry
  b 1b
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
/* In w16: the entry's number, then, in x16, the function that it stands for. In x17: where the entry returns to, then in x30, too. */
  .type find_entry, %function
find_entry:
  .cfi_startproc
  .cfi_return_column 30
  stp x29, x30, [sp, #-112]!
  .cfi_def_cfa_offset 112
  str x17, [sp, #16]
  .cfi_offset 30, -96
  .cfi_offset 29, -112
  mov x29, sp
  stp x0, x1, [sp, #32]
  stp x2, x3, [sp, #48]
  stp x4, x5, [sp, #64]
  stp x6, x7, [sp, #80]
  str x8, [sp, #96]
  mov w0, w16
  mov x1, x17
  bl huddle_find_llvm_entry
  mov x16, x0
  ldp x0, x1, [sp, #32]
  ldp x2, x3, [sp, #48]
  ldp x4, x5, [sp, #64]
  ldp x6, x7, [sp, #80]
  ldr x8, [sp, #96]
  ldr x17, [sp, #8] /* the entry */
  ldr x30, [sp, #16]
  ldr x29, [sp]
  add sp, sp, #112
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  br x17
  .cfi_endproc
  .size find_entry, . - find_entry

/* void huddle_call_microtask(microtask, global_number, team_number, arguments, count): count > 4, and six can be read */
  .globl huddle_call_microtask
  .hidden huddle_call_microtask
  .type huddle_call_microtask, %function
  .p2align 4
huddle_call_microtask:
  .cfi_startproc
  hint #34 /* bti c */
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset 29, -16
  .cfi_offset 30, -8
  mov x29, sp
  .cfi_def_cfa_register 29
  mov x9, x0
  mov x10, x3
  subs x11, x4, #6
  b.le 2f
  add x12, x11, #1
  and x12, x12, #-2
  sub sp, sp, x12, lsl #3
  add x13, x10, #48
1:
  sub x11, x11, #1
  ldr x14, [x13, x11, lsl #3]
  str x14, [sp, x11, lsl #3]
  cbnz x11, 1b
2:
  mov x0, x1
  mov x1, x2
  ldp x2, x3, [x10]
  ldp x4, x5, [x10, #16]
  ldp x6, x7, [x10, #32]
  blr x9
  mov sp, x29
  .cfi_def_cfa_register 31
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  ret
  .cfi_endproc
  .size huddle_call_microtask, . - huddle_call_microtask

#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
  /* In the order of LlvmEntry. What ends must be seen though recording has ended. */
  entry __kmpc_fork_call, 0, huddle_fork_call, watched
  entry __kmpc_fork_call_if, 1, huddle_fork_call_if, watched
  entry __kmpc_fork_teams, 2, huddle_fork_teams, watched
  entry __kmpc_serialized_parallel, 3, huddle_serialized_parallel, watched
  entry __kmpc_end_serialized_parallel, 4, huddle_end_serialized_parallel, always
  entry __kmpc_barrier, 5, huddle_barrier, watched
  entry __kmpc_cancel_barrier, 6, huddle_cancel_barrier, watched
  entry __kmpc_reduce, 7, huddle_reduce, watched
  entry __kmpc_reduce_nowait, 8, huddle_reduce_nowait, watched
  entry __kmpc_end_reduce, 9, huddle_end_reduce, watched
  entry __kmpc_copyprivate, 10, huddle_copyprivate, watched
  entry __kmpc_push_num_threads, 11, huddle_push_num_threads, watched

  .hidden huddle_known_llvm_entries
  .hidden huddle_looks_at_llvm_entries
  .hidden WATCHED
  .hidden huddle_find_llvm_entry
#endif

  .section .note.GNU-stack, "", %progbits
