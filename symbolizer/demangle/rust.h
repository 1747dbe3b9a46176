#pragma once

#include <optional>
#include <string>
#include <string_view>

/// File: Rust's two mangling schemes. Names are not trusted: the text never grows beyond
/// kMaxDemangledBytes, and recursion is bounded. A name that cannot be parsed gives nullopt.

namespace csink::symbolizer {

/// Longest text of a demangled name (32 KiB), of all demanglers: reports show names in full.
inline constexpr std::size_t kMaxDemangledBytes = 32 << 10;

/// "_ZN4core3fmt5write17h0123456789abcdefE" -> "core::fmt::write". nullopt for a C++ name: both
/// schemes begin with _ZN, and only the hash at the end marks a Rust name. The hash is not shown.
std::optional<std::string> DemangleRustLegacy(std::string_view mangled);

/// "_RNvC6crate3foo" -> "crate::foo" (RFC 2603). Crate hashes are not shown. nullopt: the name
/// cannot be parsed, or exceeds a limit of depth, steps or length.
std::optional<std::string> DemangleRustV0(std::string_view mangled);

}  // namespace csink::symbolizer
