#pragma once

namespace csink::agent {

/// The signal of the drain timer and of the timer source: SIGURG, which is ignored by default. An
/// image that was exec'd meanwhile, or a program that resets every disposition, survives a late
/// one.
inline constexpr int kDrainSignal = 23;

// What the parts that sample and drain need of the program's view of its signals, which implements
// it (agent/signals).

/// True while our handler of the drain signal is in place. Signals: safe.
bool DrainSignalIsOurs() noexcept;
/// On a new thread: whether its creator believed the drain signal to be blocked. Signals: safe.
void SetAssumedBlocked(bool blocked) noexcept;
/// Lets the drain signal through on the calling thread (timer source). Signals: safe.
void UnblockDrainSignal() noexcept;

}  // namespace csink::agent
