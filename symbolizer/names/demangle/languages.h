#pragma once

#include <optional>
#include <string>
#include <string_view>

/// File: one reader for each mangling scheme; Demangle (demangle.h) chooses among them. Names are
/// not trusted: the text never grows beyond kMaxDemangledBytes, and recursion is bounded. A name
/// that cannot be parsed gives nullopt.

namespace csink::symbolizer {

/// Longest text of a demangled name (32 KiB), of all demanglers: reports show names in full.
inline constexpr std::size_t kMaxDemangledBytes = 32 << 10;

/// "_ZN4core3fmt5write17h0123456789abcdefE" -> "core::fmt::write". nullopt for a C++ name: both
/// schemes begin with _ZN, and only the hash at the end marks a Rust name. The hash is not shown.
std::optional<std::string> DemangleRustLegacy(std::string_view mangled);

/// "_RNvC6crate3foo" -> "crate::foo" (RFC 2603). Crate hashes are not shown. nullopt: the name
/// cannot be parsed, or exceeds a limit of depth, steps or length.
std::optional<std::string> DemangleRustV0(std::string_view mangled);

/// Demangles names of the D language (_D...) by libiberty (docs/symbolizing.md, "Demanglers").
/// nullopt: the name cannot be parsed, its text could grow without a bound, or is longer than
/// kMaxDemangledBytes. The caller limits the length of `mangled` (demangle.cpp: 16 KiB).
/// Threads: any.
std::optional<std::string> DemangleD(const std::string& mangled);

/// "base_GHCziBase_map_info" -> "GHC.Base.map": names of GHC, the Haskell compiler. The package is
/// not shown. "_info", "_entry" and "_fast" mark the code of a function and are not shown either;
/// other kinds of symbols are: "GHC.Base.map [closure]". nullopt: the name has no code of the
/// z-encoding, or its parts are not Haskell names.
/// Threads: any.
std::optional<std::string> DemangleHaskell(std::string_view mangled);

/// Demangles C++ names (_Z...) by libiberty, in the style of gdb, perf and c++filt. nullopt: the
/// name cannot be parsed, its text is longer than kMaxDemangledBytes, or printing could take more
/// than about 0.05 s. The caller limits the length of `mangled` and its letters outside identifiers
/// (demangle.cpp: 16 KiB, 8 KiB). Threads: any. Stack: at most about 2 MiB, for a hostile name.
std::optional<std::string> DemangleCxx(const std::string& mangled);

/// Demangles C++ names that libiberty cannot read: concepts, template parameters as clang 17 and
/// newer write them (Tn, Tk), explicit object parameters, _BitInt. Uses LLVM's demangler: its
/// syntax tree gives the length of the text before the text is printed.
///
/// nullopt: the name cannot be parsed, or its text is too long. Only in builds with LLVM's headers
/// (llvm-19-dev; CSINK_HAS_LLVM_DEMANGLER): without them the function is not defined. The caller
/// limits `mangled` as for DemangleCxx.
/// Threads: any. Stack: at most about 1 MiB, for a hostile name.
std::optional<std::string> DemangleByLlvm(const std::string& mangled);

}  // namespace csink::symbolizer
