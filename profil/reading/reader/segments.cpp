#include "profil/reading/reader/segments.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "profil/reading/reader/bytes.h"
#include "profil/reading/reader/reader.h"

namespace csink::spool {
namespace {

/// Checks the segment at `offset`, which has `room` bytes to the end of the readable part.
Segment CheckSegment(const SegmentHeader& header, std::uint32_t events, std::uint64_t offset,
                     std::uint64_t room, const ProblemAt& problem) {
  const std::uint32_t least = LeastBytes(header.kind, events);
  Segment segment{header.kind, header.record_bytes, offset + sizeof(SegmentHeader), 0};
  if (least == 0) return segment;  // Kind of a newer writer: skip it
  if (header.record_bytes < least) {
    problem("the records of a segment are too small; the segment is ignored", offset);
    return segment;
  }
  // The segment may claim more bytes than the file has (cut off), and more records than its bytes
  // hold (damage).
  const std::uint64_t fitting =
      (std::min(header.bytes, room) - sizeof(SegmentHeader)) / header.record_bytes;
  std::uint64_t wanted = header.used;
  // Buckets lie anywhere in their segment, so `used` means nothing there.
  if (header.kind == SegmentKind::kBuckets) wanted = header.capacity;
  if (wanted > header.capacity) {
    problem("the record count of a segment is larger than the segment", offset);
  }
  // In spite of the problem the records up to the capacity are read.
  wanted = std::min<std::uint64_t>(wanted, header.capacity);
  if (wanted > fitting && header.bytes <= room) {
    problem("the record count of a segment is larger than the segment", offset);
  }
  segment.records = std::min(wanted, fitting);
  return segment;
}

}  // namespace

Result<Header> LoadHeader(const std::vector<std::byte>& bytes) {
  // An empty file has no header either, and counts as not begun.
  const auto front = std::span(bytes).first(std::min<std::size_t>(bytes.size(), kHeaderBytes));
  // The writer creates the file, fills it, and writes the magic last.
  if (std::all_of(front.begin(), front.end(), [](std::byte b) { return b == std::byte{0}; })) {
    return Error{Errc::kNotFound, 0, kNotBegun};
  }
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return Error{Errc::kCorrupt, 0, "not a Countersink spool"};
  }
  if (bytes.size() < kHeaderBytes) return Error{Errc::kCorrupt, 0, "truncated in the header"};
  auto header = Load<Header>(bytes, 0);
  // Before the version, whose bytes would be in another order, too.
  if (header.byte_order != kByteOrderMark) {
    return Error{Errc::kUnsupported, 0, "written in another byte order, or damaged"};
  }
  if (header.version != kFormatVersion) {
    return Error{Errc::kUnsupported, 0, kOtherVersion};
  }
  // event_count is used as an index and as a factor of sizes from here on.
  if (header.header_bytes != kHeaderBytes || header.event_count == 0 ||
      header.event_count > kMaxEvents) {
    return Error{Errc::kCorrupt, 0, "the header is damaged"};
  }
  // Users print the texts as C strings, and divide by sums of squares.
  Clean(header);
  return header;
}

std::uint64_t ReadableBytes(const Header& header, std::uint64_t bytes, const ProblemAt& problem) {
  if (header.file_bytes > bytes) {
    problem("truncated: " + std::to_string(bytes) + " of " + std::to_string(header.file_bytes) +
                " bytes exist",
            0);
    return bytes;
  }
  if (header.file_bytes < kHeaderBytes) {
    problem("the size in the header is not valid", 0);
    return bytes;
  }
  return header.file_bytes;
}

std::vector<Segment> FindSegments(const std::vector<std::byte>& bytes, std::uint32_t events,
                                  std::uint64_t limit, const ProblemAt& problem) {
  std::vector<Segment> segments;
  std::uint64_t offset = kHeaderBytes;
  while (limit - offset >= sizeof(SegmentHeader)) {
    const auto header = Load<SegmentHeader>(bytes, offset);
    if (header.magic == 0 && header.bytes == 0) break;  // Allocated, but not yet used
    const std::uint64_t room = limit - offset;
    if (header.magic != kSegmentMagic || header.bytes < sizeof(SegmentHeader) ||
        header.bytes % 8 != 0) {
      problem("a segment is damaged; the data after this segment is lost", offset);
      break;
    }
    // A segment that is cut off still has its first records.
    segments.push_back(CheckSegment(header, events, offset, room, problem));
    if (header.bytes > room) {
      problem("truncated: the last segment is incomplete", offset);
      break;
    }
    offset += header.bytes;
  }
  return segments;
}

}  // namespace csink::spool
