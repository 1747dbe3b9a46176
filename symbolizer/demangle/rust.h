#pragma once

#include <optional>
#include <string>
#include <string_view>

/// File: Rust's two manglings. Hostile names give nothing, never more than
/// kMaxDemangledBytes and no deep recursion.

namespace csink::symbolizer {

inline constexpr std::size_t kMaxDemangledBytes = 32 << 10;

/// "_ZN4core3fmt5write17h0123456789abcdefE" -> "core::fmt::write". Nothing for a C++ name:
/// only the hash at the end tells the two apart.
std::optional<std::string> DemangleRustLegacy(std::string_view mangled);

/// "_RNvC6crate3foo" -> "crate::foo" (RFC 2603). Crate hashes are not shown.
std::optional<std::string> DemangleRustV0(std::string_view mangled);

}  // namespace csink::symbolizer
