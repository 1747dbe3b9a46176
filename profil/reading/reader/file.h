#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"

namespace csink::spool {

/// Reads a file to which other processes may still write. The file is not mapped, because it may be
/// truncated meanwhile, which would raise SIGBUS. If the file does not begin with `magic`, only as
/// many bytes as a spool's header has are read; an empty `magic` matches every file. Errors:
/// kNotFound, kPermission, kInvalid (not a regular file), kLimit (larger than kMaxSpoolBytes;
/// `too_large` is the message), kSystem. Threads: any.
///
/// The bytes are those of one moment only as far as the writer does not write: a reader of a live
/// spool must expect records that are half written (ReadSpoolFile reads it again).
Result<std::vector<std::byte>> ReadWholeFile(const std::string& path, std::string_view magic,
                                             const char* too_large);

/// Reads only as many bytes as a spool's header has, or all of a shorter file. Otherwise as
/// ReadWholeFile.
Result<std::vector<std::byte>> ReadFileHead(const std::string& path, const char* too_large);

/// Reads a regular file from an offset to its end; empty if it is not longer. Otherwise as
/// ReadWholeFile.
Result<std::vector<std::byte>> ReadFileFrom(const std::string& path, std::uint64_t offset,
                                            const char* too_large);

}  // namespace csink::spool
