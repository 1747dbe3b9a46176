#pragma once

namespace csink::agent::testing {

/// What the agent's parts ask of its hooks and signal handlers, which would interpose functions of
/// the test program. Stands for agent/hooks/thread.cpp, signal_view and signal_mask.
struct HookStandIns {
  bool drain_signal_is_ours = true;
  bool other_signal_is_free = true;  ///< The answer of CanMoveDrainSignal
  bool moved = false;                ///< MoveDrainSignal was called
  bool unblocked = false;            ///< UnblockDrainSignal was called
  bool mask_shown = false;           ///< ShowMaskToKernel(true) was called last
  bool signals_installed = false;    ///< InstallSignalView was called
  int threads_made = 0;              ///< By RealPthreadCreate; none of them runs
};

/// Reset it in SetUp.
HookStandIns& TheStandIns();

}  // namespace csink::agent::testing
