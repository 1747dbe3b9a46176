#pragma once

namespace csink::utils::command_line {

/// The work that is counted; always the same.
inline constexpr int kFlops = 40'000'000;  ///< half additions, half multiplications
inline constexpr int kPages = 64;          ///< pages of new memory, each written once

/// Does the work on the calling thread. Leaves no memory behind.
void DoWork();

}  // namespace csink::utils::command_line
