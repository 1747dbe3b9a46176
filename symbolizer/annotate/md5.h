#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace csink::annotate {

/// MD5 of some bytes (RFC 1321), as DWARF 5 names source files. Of no use against forgery.
std::array<std::uint8_t, 16> Md5(std::span<const std::uint8_t> bytes);

}  // namespace csink::annotate
