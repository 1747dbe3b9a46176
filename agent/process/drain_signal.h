#pragma once

namespace csink::agent {

/// The signal of the drain timer and of the timer source: SIGURG, which is ignored by default. A
/// late signal therefore does not kill an image that was exec'd meanwhile, or a program that resets
/// all dispositions.
inline constexpr int kDrainSignal = 23;

// The parts that sample and drain call these functions of agent/signals. They are declared here,
// because agent/signals includes those parts.

/// True while the agent's handler of the drain signal is installed. Signals: safe.
bool DrainSignalIsOurs() noexcept;
/// On a new thread: sets whether its creator assumed that the drain signal is blocked. Signals:
/// safe.
void SetAssumedBlocked(bool blocked) noexcept;
/// Unblocks the drain signal in the calling thread (timer source). Signals: safe.
void UnblockDrainSignal() noexcept;

}  // namespace csink::agent
