#pragma once

#include <atomic>

namespace csink::agent {

/// The signal of the drain timer and of the timer source at the start: SIGURG, which is ignored by
/// default. A late signal therefore does not kill an image that was exec'd meanwhile, or a program
/// that resets all dispositions.
inline constexpr int kDrainSignal = 23;
/// The signal of the timer source in a program that handles SIGURG: SIGWINCH, ignored by default,
/// too. It is the second choice, because programs on a terminal handle it more often.
inline constexpr int kOtherDrainSignal = 28;

/// Written by MoveDrainSignal alone.
inline constinit std::atomic<int> g_drain_signal{kDrainSignal};
/// The present drain signal: kDrainSignal or kOtherDrainSignal. Threads: any. Signals: safe.
inline int DrainSignal() noexcept { return g_drain_signal.load(std::memory_order_acquire); }

// The parts that sample and drain call these functions of agent/signals. They are declared here,
// because agent/signals includes those parts.

/// True if MoveDrainSignal is possible: the drain signal is kDrainSignal, the agent handles it, and
/// nobody uses kOtherDrainSignal. Signals: safe.
bool CanMoveDrainSignal() noexcept;
/// Gives kDrainSignal back to the program, with the disposition that the program believes to be
/// set, and handles kOtherDrainSignal from then on. Pending signals of timers are discarded. To be
/// called with all signals blocked, after CanMoveDrainSignal. Signals: not safe.
void MoveDrainSignal() noexcept;
/// True while the agent's handler of the drain signal is installed. Signals: safe.
bool DrainSignalIsOurs() noexcept;
/// On a new thread: sets whether its creator assumed that the drain signal is blocked. Signals:
/// safe.
void SetAssumedBlocked(bool blocked) noexcept;
/// Unblocks the drain signal in the calling thread (timer source). Signals: safe.
void UnblockDrainSignal() noexcept;

}  // namespace csink::agent
