#include "tests/agent/hook_stand_ins.h"

#include <pthread.h>

#include "agent/control/snapshot_request.h"
#include "agent/libc/real.h"
#include "agent/signals/signal_mask.h"
#include "agent/signals/signal_view.h"

namespace csink::agent {

testing::HookStandIns& testing::TheStandIns() {
  static HookStandIns stand_ins;
  return stand_ins;
}

bool CanMoveDrainSignal() noexcept { return testing::TheStandIns().other_signal_is_free; }
void MoveDrainSignal() noexcept { testing::TheStandIns().moved = true; }
bool DrainSignalIsOurs() noexcept { return testing::TheStandIns().drain_signal_is_ours; }
void UnblockDrainSignal() noexcept { testing::TheStandIns().unblocked = true; }
void ShowMaskToKernel(bool show) noexcept { testing::TheStandIns().mask_shown = show; }
void InstallSignalView() noexcept { testing::TheStandIns().signals_installed = true; }
void InstallSnapshotSignal(int) noexcept {}
bool SnapshotSignalIsOurs() noexcept { return false; }
void SetAssumedBlocked(bool) noexcept {}
int RealPthreadCreate(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept {
  ++testing::TheStandIns().threads_made;
  return 0;
}

}  // namespace csink::agent
