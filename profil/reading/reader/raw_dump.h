#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "core/util/result.h"

/// File: what a spool or a merged file contains, for people who look for a fault in it: every
/// record in the order of the file, whether or not a report would use it.

namespace csink::spool {

/// Calls `print` with a line for each segment and each record, with its line end; stops when
/// `print` returns false. Lines:
///
///   0x0 Header 8192 bytes                           then its fields, a line each
///   0x2000 segment Regions 3872 bytes: magic=... capacity=40 used=2
///   0x2020 Regions[0] 96 bytes: start=0x401000 end=0x405000 ... path=0x3010 "/usr/bin/app"
///   0x2f20 problem: truncated: the last segment is incomplete
///
/// Ids are those of format.h. Reserved fields and free buckets are left out where they are 0, and
/// so are the zeros at the end of an array; a structure of zeros is {}. Bytes of texts that are not
/// printable ASCII are \xNN, and a text is cut behind 4096 bytes. Errors: those of ParseSpool.
Result<void> DumpSpool(const std::vector<std::byte>& bytes,
                       const std::function<bool(std::string_view line)>& print);

}  // namespace csink::spool
