#include <ucontext.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <utility>

#include "core/components/sde/sde_component.h"
#include "core/overflow/told_overflow.h"

/// File: what libsde tells while the program counts.

namespace csink::sde {
namespace {

/// What is known of a created counter from libsde's reports.
struct Created {
  std::atomic<bool> seen{false};
  std::atomic<long long> latest{0};  ///< As libsde counts, whatever was reset
  std::atomic<long long> from{0};    ///< `latest` where a set's count is 0
};
constexpr std::size_t kMostCreated = 1024;
std::array<Created, kMostCreated> g_created;

/// Whether the calling thread is in a handler of Counted's.
thread_local constinit bool t_told [[gnu::tls_model("initial-exec")]] = false;

Created* Find(std::uint32_t number) noexcept {
  return number < kMostCreated ? &g_created[number] : nullptr;
}

long long Difference(long long a, long long b) noexcept {
  return static_cast<long long>(static_cast<unsigned long long>(a) -
                                static_cast<unsigned long long>(b));
}

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

void CountingBegan(const Functions& functions, std::uint32_t number) noexcept {
  Created* const created = Find(number);
  // What was never reported has counted nothing, or is no created counter: a recorder's value is
  // memory to free, and a callback is the program's.
  if (created == nullptr || !created->seen.load(std::memory_order_acquire)) return;
  long long shown = 0;  // what is instant (PAPI_SDE_INSTANT) does not begin at zero
  if (functions.read(number, &shown) < 0) return;
  const long long latest = created->latest.load(std::memory_order_relaxed);
  created->from.store(Difference(latest, shown), std::memory_order_relaxed);
}

bool ShownInHandler(std::uint32_t number, long long* shown) noexcept {
  const Created* const created = Find(number);
  if (!t_told || created == nullptr || !created->seen.load(std::memory_order_acquire)) return false;
  *shown = Difference(created->latest.load(std::memory_order_relaxed),
                      created->from.load(std::memory_order_relaxed));
  return true;
}

void Counted(std::uint32_t number, long long latest) noexcept {
  Created* const created = Find(number);
  if (created != nullptr) {
    created->latest.store(latest, std::memory_order_relaxed);
    created->seen.store(true, std::memory_order_release);
  }
  if (!ExpectsToldOverflows()) return;
  ToldCount told = {number, latest, 0};
  if (created != nullptr) {
    told.count = Difference(latest, created->from.load(std::memory_order_relaxed));
  } else {
    // More created counters than are known here: libsde 7.0, whose reads take no lock.
    const Functions* const functions = sde::Find();
    if (functions == nullptr || functions->read(number, &told.count) < 0) return;
  }
  if (!IsToldOverflowDue(told)) return;
  ucontext_t context;
  MakeContext(&context);
  // A handler that jumps away leaves the mark: what is shown then is as right, libsde just is not
  // asked.
  const bool outer = std::exchange(t_told, true);
  TellOverflow(told, &context);
  t_told = outer;
}

void LookAtVariables() noexcept {
  if (!ExpectsToldOverflows()) return;
  ucontext_t context;
  MakeContext(&context);
  LookAtUntold(&context);
}

}  // namespace csink::sde
