/// File: the functions that libpapi.so.7.1 and libpapi.so.7.2 pass on to libpapi.so.7.0 as they
/// are: one jump each, by the entry that the loader fills (-z now), so that arguments, results and
/// signal safety are the core's. In assembly, because a jump needs no prototype, and C++ has none
/// without one. The list is made by scripts/generate_papi_faces.py.

#if defined(__x86_64__)
#define JUMP(target) "endbr64\n\tjmp *" #target "@GOTPCREL(%rip)\n\t"
#elif defined(__aarch64__)
// x16 may be changed by calls between modules. The hint is BTI's landing pad.
#define JUMP(target)                  \
  "hint #34\n\t"                      \
  "adrp x16, :got:" #target           \
  "\n\t"                              \
  "ldr x16, [x16, :got_lo12:" #target \
  "]\n\t"                             \
  "br x16\n\t"
#else
#error "a jump to another module's function is not written for this processor"
#endif

#define FORWARD(name, target)                                                                \
  __asm__(".text\n\t.p2align 4\n\t.globl " #name "\n\t.type " #name ", %function\n" #name    \
          ":\n\t.cfi_startproc\n\t" JUMP(target) ".cfi_endproc\n\t.size " #name ", .-" #name \
                                                 "\n\t.previous");

#include <forwarded.inc>
