#include <ucontext.h>
#include <unwind.h>

#include "core/components/sde/sde_component.h"
#include "core/overflow/told_overflow.h"

/// File: what libsde tells while the program counts.

namespace csink::sde {
namespace {

void SetPc(ucontext_t& context, std::uintptr_t pc) noexcept {
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
#elif defined(__aarch64__)
  context.uc_mcontext.pc = pc;
#endif
}

struct Caller {
  bool in_libsde = false;  ///< The frames of libsde are reached
  std::uintptr_t pc = 0;
};

_Unwind_Reason_Code LookAtFrame(_Unwind_Context* frame, void* arg) {
  auto* caller = static_cast<Caller*>(arg);
  const auto pc = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
  // The return address: the call is before it.
  const bool inside = IsInside(reinterpret_cast<const void*>(pc - 1));
  caller->in_libsde |= inside;
  if (!caller->in_libsde || inside) return _URC_NO_REASON;
  caller->pc = pc;
  return _URC_END_OF_STACK;
}

/// The handler is to see who counted, not the insides of libsde. Where that cannot be found (a
/// static libsde is part of the program), it sees us.
void MakeContext(ucontext_t* context) noexcept {
  getcontext(context);
  Caller caller;
  _Unwind_Backtrace(LookAtFrame, &caller);
  if (caller.pc != 0) SetPc(*context, caller.pc);
}

}  // namespace

void Counted(std::uint32_t number, long long latest) noexcept {
  if (!ExpectsToldOverflows()) return;
  const Functions* const functions = Find();
  ToldCount told = {number, latest, 0};
  if (functions == nullptr || functions->read(number, &told.count) < 0) return;
  if (!IsToldOverflowDue(told)) return;
  ucontext_t context;
  MakeContext(&context);
  TellOverflow(told, &context);
}

void LookAtVariables() noexcept {
  if (!ExpectsToldOverflows()) return;
  ucontext_t context;
  MakeContext(&context);
  LookAtUntold(&context);
}

}  // namespace csink::sde
