#pragma once

#include <array>
#include <cstdint>
#include <span>

/// File: the digest that DWARF 5 stores for source files (DW_LNCT_MD5, DWARF 5, section 6.2.4.1).

namespace csink::annotate {

/// The MD5 digest (RFC 1321) of `bytes`, which may be empty. It detects files that were changed
/// since they were compiled. It does not protect against forged ones, because MD5 collisions can be
/// made.
std::array<std::uint8_t, 16> Md5(std::span<const std::uint8_t> bytes);

}  // namespace csink::annotate
