#pragma once

#include <string>

#include "core/util/result.h"

namespace csink {

/// The largest event file that is accepted, in bytes.
inline constexpr std::size_t kMaxEventFileBytes = 8u << 20;

/// Reads a whole event file. Errors: kNotFound, kPermission, kSystem, kLimit (larger than
/// kMaxEventFileBytes); with a phrase in `sentence`. Signals: not safe (heap).
Result<std::string> ReadEventFile(const std::string& path, std::string& sentence);

}  // namespace csink
