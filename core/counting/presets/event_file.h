#pragma once

#include <string>

#include "core/util/result.h"

/// File: reads event files that the user names.

namespace csink {

/// The largest event file that is accepted, in bytes. It bounds the memory if the name is that of
/// another file, or of a device without end.
inline constexpr std::size_t kMaxEventFileBytes = 8u << 20;

/// Reads a whole event file into memory. Pipes and devices are read to their end. The contents are
/// not checked.
/// Errors: kNotFound (no such file), kPermission, kSystem (another errno, which Error::sys_errno
/// has), kLimit (larger than kMaxEventFileBytes); with a phrase in `sentence` that continues the
/// file's name ("cannot be read: ..."). Threads: any. Signals: not safe (heap).
Result<std::string> ReadEventFile(const std::string& path, std::string& sentence);

}  // namespace csink
