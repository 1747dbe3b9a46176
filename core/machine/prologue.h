#pragma once

#include <cstddef>
#include <cstdint>

namespace csink {

/// Bytes of a function's code that ReserveOf is given at most.
inline constexpr std::size_t kPrologueBytes = 128;

/// The bytes that a function reserves below its saved registers, from the first instructions of its
/// code: the constant of the first `sub $N, %rsp` behind `mov %rsp, %rbp`. 0: the function sets up
/// a frame pointer and subtracts nothing. -1: no frame pointer is set up in `code`, or the constant
/// is no multiple of 8 below 1 MiB.
///
/// The unwind tables of a function with a frame pointer say nothing of the distance between stack
/// and frame pointer. With the reserved bytes and the pushed registers it is known, except in
/// functions that allocate on their stack at run time. Only for x86-64: on other processors the
/// result is -1, and the unwind tables are based on the stack pointer.
/// Threads: any. Signals: safe (prologue_signal.cpp).
std::int32_t ReserveOf(const unsigned char* code, std::size_t bytes) noexcept;

}  // namespace csink
