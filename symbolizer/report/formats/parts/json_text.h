#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// File: the parts of JSON documents that are written piece by piece, because a whole document in
/// memory would be many times as large as the profile.

namespace csink::report {

/// A name as a JSON string with its quotes. Cleaned as CleanName does: bytes that are not UTF-8
/// become U+FFFD, control characters '_', and very long names are cut.
std::string JsonText(std::string_view name);

/// Nanoseconds as milliseconds, with all six decimals that are not 0: 1500000 -> "1.5".
std::string JsonMilliseconds(std::uint64_t ns);

/// A JSON array of strings: ["one","two"].
std::string JsonTexts(const std::vector<std::string>& texts);

}  // namespace csink::report
