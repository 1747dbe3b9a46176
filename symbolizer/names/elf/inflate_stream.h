#pragma once

#include <cstdint>
#include <memory>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// Inflates a compressed section from front to back in pieces, so that a large section is never in
/// memory as a whole: neither its packed bytes nor its inflated ones. dwarf/feed.h reads
/// .debug_info through it.
///
/// Owns:    the decompressor's state (some 100 KB for zlib) and a piece of the packed bytes. The
/// file must outlive it.
/// Threads: one.
class InflateStream {
 public:
  /// Starts at the front of a section for which ElfFile::IsCompressed is true. Null if the
  /// compression is not supported or the section has no bytes behind its header. The inflated size
  /// is not checked: the caller reads as much as it wants, up to the end of the data.
  static std::unique_ptr<InflateStream> Open(const ElfFile& file, std::size_t section);
  virtual ~InflateStream() = default;

  /// Inflates the next `size` bytes to `to`; null: discards them, which still costs the inflation.
  /// Returns false if the section is damaged or ends before; the stream must not be used any more
  /// then, because its position is unknown.
  virtual bool Read(std::uint64_t size, std::uint8_t* to) = 0;
};

}  // namespace csink::symbolizer
