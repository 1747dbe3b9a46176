#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace csink::report {

/// A name that may stand in a line of somebody else's format: UTF-8 (what is not becomes U+FFFD),
/// control characters and all of `reserved` become `instead`. What is longer than kMostNameBytes is
/// cut and ends in "...". Names come from files and may hold anything.
inline constexpr std::size_t kMostNameBytes = 65536;
std::string CleanName(std::string_view name, std::string_view reserved = {}, char instead = '_');

}  // namespace csink::report
