// MPI-4's functions of uncounted_calls.def: what they transfer is not in the counts, so a profile
// of a run that calls one would be wrong, and none is written. Each wrapper notes its first call
// and passes on to MPI's function, whatever its parameters are: it keeps the registers that hold
// them, and leaves the stack to that function.

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/recorder/recorder.hpp"

namespace {

/// As the wrappers have it.
struct UncountedCall {
  const char* name;  ///< "PMPI_Isendrecv"
  void* real;        ///< MPI's function; null before the first call
};

}  // namespace

// The first call of a function: where it is in the MPI library. Several threads may find the same.
extern "C" [[gnu::used, gnu::visibility("hidden")]] void* huddle_note_uncounted(
    UncountedCall* call) noexcept {
  huddle::recorder::give_up_recording(call->name + 1);  // without the P
  void* const real = huddle::recorder::find_real(call->name);
  __atomic_store_n(&call->real, real, __ATOMIC_RELEASE);
  return real;
}

#if defined(__x86_64__)
asm(R"(
  .text
  .type huddle_pass_on, @function
huddle_pass_on:
  movq 8(%r11), %rax
  testq %rax, %rax
  jz 1f
  jmp *%rax
1:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $8, %rsp
  movq %r11, %rdi
  call huddle_note_uncounted
  addq $8, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  jmp *%rax
  .size huddle_pass_on, .-huddle_pass_on
)");
#define HUDDLE_ENTRY(Name) "  leaq huddle_uncounted_" #Name "(%rip), %r11\n  jmp huddle_pass_on\n"
#elif defined(__aarch64__)
asm(R"(
  .text
  .type huddle_pass_on, %function
huddle_pass_on:
  ldr x17, [x16, #8]
  cbz x17, 1f
  br x17
1:
  stp x29, x30, [sp, #-96]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  mov x0, x16
  bl huddle_note_uncounted
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x29, x30, [sp], #96
  br x16
  .size huddle_pass_on, .-huddle_pass_on
)");
#define HUDDLE_ENTRY(Name)              \
  "  adrp x16, huddle_uncounted_" #Name \
  "\n"                                  \
  "  add x16, x16, :lo12:huddle_uncounted_" #Name "\n  b huddle_pass_on\n"
#else
#error "how does a function pass on its arguments on this machine?"
#endif

// An UncountedCall, and the function under both its names: bindings of other languages call PMPI_X.
#define HUDDLE_UNCOUNTED(Name)                                                                     \
  asm("  .section .rodata.str1.1,\"aMS\",@progbits,1\n.Luncounted_" #Name ": .asciz \"PMPI_" #Name \
      "\"\n"                                                                                       \
      "  .data\n  .balign 8\nhuddle_uncounted_" #Name ":\n  .quad .Luncounted_" #Name              \
      "\n  .quad 0\n"                                                                              \
      "  .text\n  .balign 16\n  .globl MPI_" #Name "\n  .type MPI_" #Name                          \
      ", %function\nMPI_" #Name                                                                    \
      ":\n" HUDDLE_ENTRY(Name) "  .size MPI_" #Name ", .-MPI_" #Name                               \
                               "\n"                                                                \
                               "  .globl PMPI_" #Name "\n  .type PMPI_" #Name                      \
                               ", %function\n  .set PMPI_" #Name ", MPI_" #Name "\n");
#include "profiles/recorder/uncounted_calls.def"
