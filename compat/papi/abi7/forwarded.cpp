/// File: the functions that libpapi.so.7.1 to libpapi.so.7.3 pass to libpapi.so.7.0 unchanged.
/// Each is one jump through the table entry that the loader fills at load time (-z now), so
/// arguments, results and signal safety are the core's. Written in assembly, because C++ cannot
/// forward a call whose prototype it does not know. scripts/generate_papi_abis.py makes the list.

#if defined(__x86_64__)
#define JUMP(target) "endbr64\n\tjmp *" #target "@GOTPCREL(%rip)\n\t"
#elif defined(__aarch64__)
// The ABI lets calls between modules change x16. The hint is the landing pad of BTI.
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
