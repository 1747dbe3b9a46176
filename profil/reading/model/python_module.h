#pragma once

#include <cstdint>

namespace csink {

/// The path of the module of all Python functions.
inline constexpr char kPythonModule[] = "[python]";

/// In an address of a Python function, in place of its index: the Python functions between a
/// sample's own and C code. They are in no record, because they call each other without a frame on
/// the stack.
inline constexpr std::uint32_t kUnknownPythonCallers = 0xfffffffe;

}  // namespace csink
