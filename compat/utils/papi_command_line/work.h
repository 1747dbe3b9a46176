#pragma once

namespace csink::utils::command_line {

/// What the events count: always the same.
inline constexpr int kFlops = 40'000'000;  ///< half of them additions, half multiplications
inline constexpr int kPages = 64;          ///< of fresh memory, written once

void DoWork();

}  // namespace csink::utils::command_line
