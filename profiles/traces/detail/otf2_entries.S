/* OTF2's functions where its library is loaded late: each goes on, with its arguments, where load_otf2() found it. */
#if defined(__x86_64__)
.macro go_on number
  endbr64
  jmp *huddle_otf2_functions + 8 * \number(%rip)
.endm
#elif defined(__aarch64__)
.macro go_on number
  bti c
  adrp x16, huddle_otf2_functions + 8 * \number
  ldr x16, [x16, #:lo12:huddle_otf2_functions + 8 * \number]
  br x16
.endm
#else
#error "There are no entries for this processor: link OTF2 as an archive (libotf2.a)."
#endif

  .set number, 0
.macro OTF2_FUNCTION_ENTRY name
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  .cfi_startproc
  go_on number
  .cfi_endproc
  .size \name, . - \name
  .set number, number + 1
.endm
#define OTF2_FUNCTION(name) OTF2_FUNCTION_ENTRY name

  .text
#include "profiles/traces/detail/otf2_functions.def"

  .section .note.GNU-stack, "", %progbits
