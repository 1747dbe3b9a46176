#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// File: what functions of the C and C++ libraries (and of Rust's) are for. The classes are closed
/// lists: a function that is in none of them has none, whatever it calls.

namespace csink::report {

enum class LibraryClass : std::uint8_t {
  kNone,
  kException,  ///< Throwing and catching, with the unwinder
  kAllocation,
  kRegex,
  kLock,       ///< The code of locks, not the waiting
  kContainer,  ///< Containers of nodes: std::map, set, list, deque
  kHash,       ///< Hash tables
  kFormat,     ///< printf and relatives, streams, numbers to text
  kString,     ///< std::string growing, joining, copying
  kCopy,       ///< Copies of blocks and of whole containers
  kFunction,   ///< String, memory and mathematical functions of the C library
};
inline constexpr std::size_t kLibraryClasses = 11;

/// The class of a function by its demangled name and its module's base name. Threads: any.
LibraryClass LibraryClassOf(std::string_view function, std::string_view module);

/// The call of the kernel that a function of the C library makes and nothing else, without what the
/// library puts before its name: "write" for "__GI___libc_write"; empty: it is no such function.
/// What such calls take is not the time of the code that made them: writing is no formatting.
std::string_view KernelCallOf(std::string_view function);

/// Whether the time of functions that such code calls counts as its own: an exception's is mostly
/// in the unwinder, that of a regex in std::string.
bool IsByChain(LibraryClass code);

/// "throwing and catching exceptions"; "" for kNone.
const char* WordsFor(LibraryClass code);
/// For programs: "exception"; "" for kNone.
const char* KeyOf(LibraryClass code);

}  // namespace csink::report
