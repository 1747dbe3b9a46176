#include <ucontext.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <utility>

#include "core/counting/components/sde/sde_component.h"
#include "core/counting/overflow/reported_overflow.h"

/// File: the functions that libsde calls while the program counts. For each created counter a table
/// has libsde's last report and the report at which the set's count was zero; their difference is
/// what a set shows, so a handler needs no call of libsde, which may hold its lock.

namespace csink::sde {
namespace {

/// What libsde's reports say about a created counter. Atomics, because any thread may count.
struct Created {
  std::atomic<bool> seen{false};
  std::atomic<long long> latest{0};  ///< libsde's count, which resets do not change
  std::atomic<long long> from{0};    ///< The value of `latest` at which a set's count is 0
};
// By libsde's number. 24 KiB; counters beyond it cost a call of libsde at each report.
constexpr std::size_t kMostCreated = 1024;
std::array<Created, kMostCreated> g_created;

/// Whether the calling thread is inside a handler that Counted has called.
thread_local constinit bool t_reporting [[gnu::tls_model("initial-exec")]] = false;

// The counter's place in the table; nullptr: the table ends before it.
Created* Find(std::uint32_t number) noexcept {
  return number < kMostCreated ? &g_created[number] : nullptr;
}

// a - b modulo 2^64: libsde's counts may wrap, and signed overflow would be undefined.
long long Difference(long long a, long long b) noexcept {
  return static_cast<long long>(static_cast<unsigned long long>(a) -
                                static_cast<unsigned long long>(b));
}

// A handler takes the address of the overflow from the context's program counter.
void SetPc(ucontext_t& context, std::uintptr_t pc) noexcept {
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
#elif defined(__aarch64__)
  context.uc_mcontext.pc = pc;
#endif
}

// What LookAtFrame has found so far.
struct Caller {
  bool in_libsde = false;  ///< The walk has reached libsde's frames
  std::uintptr_t pc = 0;
};

// Called by the unwinder for each frame, innermost first. Ends the walk at the first frame outside
// of libsde after frames inside.
_Unwind_Reason_Code LookAtFrame(_Unwind_Context* frame, void* arg) {
  auto* caller = static_cast<Caller*>(arg);
  const auto pc = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
  // The address is a return address, so the call is before it.
  const bool inside = IsInside(reinterpret_cast<const void*>(pc - 1));
  caller->in_libsde |= inside;
  if (!caller->in_libsde || inside) return _URC_NO_REASON;
  caller->pc = pc;
  return _URC_END_OF_STACK;
}

/// Makes a context that shows the handler the code that counted, instead of frames of libsde. Where
/// that cannot be found (a static libsde is part of the program), the context shows this function.
void MakeContext(ucontext_t* context) noexcept {
  getcontext(context);
  Caller caller;
  _Unwind_Backtrace(LookAtFrame, &caller);
  if (caller.pc != 0) SetPc(*context, caller.pc);
}

}  // namespace

void CountingBegan(const Functions& functions, std::uint32_t number) noexcept {
  Created* const created = Find(number);
  // A counter that was never reported has counted nothing, or is not a created counter. Such a
  // counter must not be read: a recorder's value would have to be freed, and a callback is code of
  // the program's.
  if (created == nullptr || !created->seen.load(std::memory_order_acquire)) return;
  long long shown = 0;  // a momentary value (PAPI_SDE_INSTANT) does not start at zero
  if (functions.read(number, &shown) < 0) return;
  const long long latest = created->latest.load(std::memory_order_relaxed);
  created->from.store(Difference(latest, shown), std::memory_order_relaxed);
}

bool ShownInHandler(std::uint32_t number, long long* shown) noexcept {
  const Created* const created = Find(number);
  if (!t_reporting || created == nullptr || !created->seen.load(std::memory_order_acquire)) {
    return false;
  }
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
  // The common case: no set with an overflow runs.
  if (!HasReportedOverflows()) return;
  ReportedCount reported = {number, latest, 0};
  if (created != nullptr) {
    reported.count = Difference(latest, created->from.load(std::memory_order_relaxed));
  } else {
    // More created counters than the table holds. libsde 7.0 can be asked: its reads take no lock.
    const Functions* const functions = sde::Find();
    if (functions == nullptr || functions->read(number, &reported.count) < 0) return;
  }
  // Only a due handler pays for the walk of the stack.
  if (!IsReportedOverflowDue(reported)) return;
  ucontext_t context;
  MakeContext(&context);
  // A handler that is left by a jump leaves the flag set. The values shown then are correct, too;
  // only libsde is not asked.
  const bool outer = std::exchange(t_reporting, true);
  ReportOverflow(reported, &context);
  t_reporting = outer;
}

void LookAtVariables() noexcept {
  if (!HasReportedOverflows()) return;
  ucontext_t context;
  MakeContext(&context);
  PollOverflows(&context);
}

}  // namespace csink::sde
