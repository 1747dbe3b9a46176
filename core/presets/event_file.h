#pragma once

#include <string>

#include "core/util/result.h"

namespace csink {

/// Bytes of the largest event file that is read.
inline constexpr std::size_t kMaxEventFileBytes = 8u << 20;

/// The whole file. `sentence` says what is wrong.
/// Errors: kNotFound, kPermission, kSystem, kLimit (larger than kMaxEventFileBytes).
Result<std::string> ReadEventFile(const std::string& path, std::string& sentence);

}  // namespace csink
