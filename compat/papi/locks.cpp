#include "compat/papi/include/papi.h"
#include "compat/papi/last_error.h"
#include "core/system/user_lock.h"

namespace {

static_assert(csink::kUserLocks == PAPI_NUM_LOCK);

// PAPI's own locks cannot be taken by programs: the numbers begin at PAPI_USR1_LOCK.
bool IsUserLock(int lock) noexcept { return lock >= PAPI_USR1_LOCK && lock < PAPI_NUM_LOCK; }

}  // namespace

// Not through AtCEdge, which would cost more than taking a free lock. The library need not be
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
