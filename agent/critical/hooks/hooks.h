#pragma once

#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "agent/critical/critical_hooks.h"

/// File: what the hooks of libcsink-critical.so have in common. A hook first reads one flag and
/// then the lock's word; it records only where a thread must wait, or where others wait already.
/// All keep errno, and none is noexcept where the C library's function is a point of cancellation.

namespace csink::agent::critical {

#define CSINK_EXPORT __attribute__((visibility("default")))
#define CSINK_LIKELY(x) __builtin_expect(!!(x), 1)

extern CriticalHooks g_hooks;
extern __thread MomentBuffer* t_buffer __attribute__((tls_model("initial-exec")));

/// Whether anything is recorded.
inline bool IsOn() noexcept {
  return __builtin_expect(g_hooks.on.load(std::memory_order_relaxed), 0);
}

/// The function behind a hook. `version`: of the symbol, where the C library has an older one that
/// dlsym may find; nullptr: there is one version. Found by the library's constructor (Find), or at
/// the first call, if other constructors run before.
/// Threads: any. Signals: get is safe after Find.
template <class Function>
class Next {
 public:
  explicit constexpr Next(const char* name, const char* version = nullptr,
                          Function first = nullptr) noexcept
      : name_(name), version_(version), function_(first) {}
  /// The function; before Find `first`, which must find and call it. For hooks that must cost
  /// nothing.
  Function found() const noexcept { return function_.load(std::memory_order_relaxed); }
  Function get() noexcept {
    const Function found = function_.load(std::memory_order_relaxed);
    return CSINK_LIKELY(found != nullptr) ? found : Find();
  }
  __attribute__((noinline)) Function Find() noexcept {
    void* found = version_ ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
    // Not on all machines is there an older version.
    if (!found) found = dlsym(RTLD_NEXT, name_);
    function_.store(reinterpret_cast<Function>(found), std::memory_order_relaxed);
    return reinterpret_cast<Function>(found);
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<Function> function_;
};

inline std::uint64_t NowNs() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) + static_cast<std::uint64_t>(g_hooks.shift_ns);
}

/// The calling thread's buffer; nullptr: its moments are not recorded. Requires IsOn. Signals:
/// safe.
MomentBuffer* Own() noexcept;

template <class T>
std::uint64_t AddressOf(const T* object) noexcept {
  return reinterpret_cast<std::uint64_t>(object);
}

void PutPoint(spool::MomentKind kind, std::uint64_t object) noexcept;

/// Calls `call`, which waits, and records how long it took. Returns its result.
template <class Call>
auto Waiting(const MomentBuffer::Wait& wait, Call&& call,
             std::uint64_t least_ns = MomentBuffer::kLeastWaitNs) {
  MomentBuffer* const own = Own();
  if (!own) return call();
  const std::uint64_t start_ns = own->Begin(wait, NowNs());
  const auto r = call();
  own->End(wait, start_ns, NowNs(), least_ns);
  return r;
}

}  // namespace csink::agent::critical
