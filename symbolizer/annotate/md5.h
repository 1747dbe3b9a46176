#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace csink::annotate {

/// MD5 (RFC 1321), which DWARF 5 stores for source files. Detects changed files; does not protect
/// against forged ones.
std::array<std::uint8_t, 16> Md5(std::span<const std::uint8_t> bytes);

}  // namespace csink::annotate
