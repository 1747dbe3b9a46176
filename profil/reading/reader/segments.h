#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/util/result.h"
#include "profil/format/format.h"

/// File: the header of a spool and the bounds of its segments. As in reader.h, the bytes are not
/// trusted.

namespace csink::spool {

/// Called with what is wrong, and the offset of the segment concerned.
using ProblemAt = std::function<void(const std::string& text, std::uint64_t offset)>;

/// The header, with texts that end by NUL and squares that are numbers. Errors: as ParseSpool.
Result<Header> LoadHeader(const std::vector<std::byte>& bytes);

/// The end of the readable part of a file of `bytes` bytes. The file may be larger, since space is
/// allocated before it is used, or smaller, if it was cut, which is a problem.
std::uint64_t ReadableBytes(const Header& header, std::uint64_t bytes, const ProblemAt& problem);

/// A segment with valid bounds.
struct Segment {
  SegmentKind kind;  ///< May be unknown; `records` is 0 then
  std::uint32_t record_bytes;
  std::uint64_t first_record;  ///< Offset in the file; the segment's header is before it
  std::uint64_t records;       ///< Number of records that may be valid and lie in the file
};

/// The segments in [kHeaderBytes, limit). Ends at the first damaged one, because the place of the
/// next one is then unknown. Requires limit <= bytes.size(). `events`: of the header.
std::vector<Segment> FindSegments(const std::vector<std::byte>& bytes, std::uint32_t events,
                                  std::uint64_t limit, const ProblemAt& problem);

}  // namespace csink::spool
