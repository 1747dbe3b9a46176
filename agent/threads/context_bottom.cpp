#include "agent/threads/context_bottom.h"

#include <dlfcn.h>
#include <ucontext.h>

/// File: see the header. The address belongs to a local symbol of the C library (__start_context),
/// so it cannot be looked up.

namespace csink::agent {
namespace {

// More than makecontext writes: a return address and the link to the next context.
alignas(64) unsigned char g_stack[1024];

}  // namespace

std::uint64_t BottomOfContexts() noexcept {
  using Get = int(ucontext_t*);
  using Make = void(ucontext_t*, void (*)(), int, ...);
  // By name: musl has neither function. The next one: a program's own function is not called.
  auto* get = reinterpret_cast<Get*>(dlsym(RTLD_NEXT, "getcontext"));
  auto* make = reinterpret_cast<Make*>(dlsym(RTLD_NEXT, "makecontext"));
  if (get == nullptr || make == nullptr) return 0;
  // Static: nearly 1 KiB. getcontext fills in the floating point state that makecontext keeps.
  static ucontext_t context;
  if (get(&context) != 0) return 0;
  context.uc_stack.ss_sp = g_stack;
  context.uc_stack.ss_size = sizeof g_stack;
  context.uc_link = nullptr;
  make(
      &context, [] {}, 0);
#if defined(__x86_64__)
  const auto top = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
  const auto begin = reinterpret_cast<std::uint64_t>(g_stack);
  if (top < begin || top > begin + sizeof g_stack - sizeof(std::uint64_t)) return 0;
  return *reinterpret_cast<const std::uint64_t*>(top);
#else
  return context.uc_mcontext.regs[30];  // The link register
#endif
}

}  // namespace csink::agent
