#pragma once

#include <cstdint>

namespace csink::attach {

/// The number that system call `number` of a 32-bit program (i386) has on x86-64, for the calls
/// that agent/waiting knows. -1 stays -1 (blocked outside of a system call); kNoNativeCall: any
/// other call. Always kNoNativeCall on other processors.
std::int64_t NativeNumberOf(std::int64_t number);
inline constexpr std::int64_t kNoNativeCall = -2;

}  // namespace csink::attach
