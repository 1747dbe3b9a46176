/// File: functions about threads, and the locks that programs share among them. They need no event
/// set. Without an initialised library only the locks work, and PAPI_thread_id, which then fails
/// with PAPI_EMISC.

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/threads/thread_list.h"
#include "core/counting/system/user_lock.h"

using csink::papi::AtCBoundary;
using csink::papi::AtCBoundaryOfLibrary;
using csink::papi::Complain;
using csink::papi::TheLibrary;
using csink::papi::ThreadContext;
using csink::papi::Threads;

namespace {

bool IsTag(int tag) noexcept { return tag >= 0 && tag < PAPI_NUM_TLS; }

static_assert(csink::kUserLocks == PAPI_NUM_LOCK);

// PAPI's own locks cannot be taken by programs: the numbers begin at PAPI_USR1_LOCK.
bool IsUserLock(int lock) noexcept { return lock >= PAPI_USR1_LOCK && lock < PAPI_NUM_LOCK; }

}  // namespace

int PAPI_thread_init(unsigned long (*id_fn)(void)) {
  return AtCBoundaryOfLibrary([&]() -> int {
    if (id_fn == nullptr) {
      return Complain(PAPI_EINVAL, "PAPI_thread_init needs a function, such as pthread_self");
    }
    // The caller's context first: SetIdFunction numbers a thread only if it has one.
    if (Threads().Current() == nullptr) return PAPI_ENOMEM;
    Threads().SetIdFunction(id_fn);
    TheLibrary().AddLevel(PAPI_THREAD_LEVEL_INITED);
    return PAPI_OK;
  });
}

// The return type is unsigned, so an error code is converted: the caller sees (unsigned long)code.
unsigned long PAPI_thread_id(void) {
  const csink::papi::ThreadIdFunction function = Threads().id_function();
  if (TheLibrary().ready() && function) return function();
  const int code = AtCBoundary([] { return Complain(PAPI_EMISC, "call PAPI_thread_init first"); });
  return static_cast<unsigned long>(code);
}

int PAPI_register_thread(void) {
  return AtCBoundaryOfLibrary([] { return Threads().Register() ? PAPI_OK : PAPI_ENOMEM; });
}

int PAPI_unregister_thread(void) {
  return AtCBoundaryOfLibrary([] {
    if (Threads().Forget()) return PAPI_OK;
    return Complain(PAPI_EMISC, "this thread is not registered");
  });
}

int PAPI_list_threads(unsigned long* tids, int* number) {
  return AtCBoundaryOfLibrary([&]() -> int {
    if (number == nullptr || (tids != nullptr && *number <= 0)) return PAPI_EINVAL;
    // Without an array only the number is asked. `*number` becomes the number of all threads, also
    // where the array is shorter.
    const std::size_t room = tids ? static_cast<std::size_t>(*number) : 0;
    *number = static_cast<int>(Threads().List(tids, room));
    return PAPI_OK;
  });
}

int PAPI_get_thr_specific(int tag, void** ptr) {
  return AtCBoundaryOfLibrary([&]() -> int {
    // With PAPI_TLS_ALL_THREADS `ptr` points to a PAPI_all_thr_spec_t in spite of its type.
    const int plain = tag & ~PAPI_TLS_ALL_THREADS;
    if (ptr == nullptr || !IsTag(plain)) return PAPI_EINVAL;
    // All threads: id and pointer of each thread whose pointer is not null. Threads may end at any
    // time, so a program must not follow such pointers without a lock of its own.
    if (tag != plain) {
      auto& all = *static_cast<PAPI_all_thr_spec_t*>(static_cast<void*>(ptr));
      if (all.num < 0) return PAPI_EINVAL;
      all.num = static_cast<int>(
          Threads().ListSpecific(plain, all.id, all.data, static_cast<std::size_t>(all.num)));
      return PAPI_OK;
    }
    const ThreadContext* context = Threads().Current();
    if (context == nullptr) return PAPI_ENOMEM;
    *ptr = context->specific[static_cast<std::size_t>(tag)];
    return PAPI_OK;
  });
}

int PAPI_set_thr_specific(int tag, void* ptr) {
  return AtCBoundaryOfLibrary([&]() -> int {
    if (!IsTag(tag)) return PAPI_EINVAL;
    ThreadContext* context = Threads().Current();
    if (context == nullptr) return PAPI_ENOMEM;
    Threads().SetSpecific(*context, tag, ptr);
    return PAPI_OK;
  });
}

// Not through AtCBoundary, which would cost more than taking a free lock. The library need not be
// initialised.
int PAPI_lock(int lock) {
  if (!IsUserLock(lock)) return csink::papi::Failed(PAPI_EINVAL);
  csink::LockUserLock(static_cast<std::size_t>(lock));
  return PAPI_OK;
}

int PAPI_unlock(int lock) {
  if (!IsUserLock(lock)) return csink::papi::Failed(PAPI_EINVAL);
  csink::UnlockUserLock(static_cast<std::size_t>(lock));
  return PAPI_OK;
}
