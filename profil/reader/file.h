#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"

namespace csink::spool {

/// The bytes of a file that others may still write to: read, never mapped. What does not begin with
/// `magic` is read as far as a spool's header goes; an empty `magic` begins every file. Errors:
/// kNotFound, kPermission, kInvalid (not a regular file), kLimit (larger than kMaxSpoolBytes;
/// `too_large` is the message), kSystem.
Result<std::vector<std::byte>> ReadWholeFile(const std::string& path, std::string_view magic,
                                             const char* too_large);

}  // namespace csink::spool
