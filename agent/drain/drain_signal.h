#pragma once

namespace csink::agent {

/// The signal of the drain timer and of the timer source: SIGURG, which is ignored by default. An
/// image that was exec'd meanwhile, or a program that resets every disposition, survives a late
/// one.
inline constexpr int kDrainSignal = 23;

}  // namespace csink::agent
