#pragma once

#include <cstdint>
#include <memory>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

/// Inflates a compressed section from front to back in pieces, so that a large section is never in
/// memory as a whole.
///
/// Owns:    the decompressor's state (some 100 KB for zlib) and a piece of the packed bytes. The
/// file must outlive it.
/// Threads: one.
class InflateStream {
 public:
  /// Null if the compression is not supported.
  static std::unique_ptr<InflateStream> Open(const ElfFile& file, std::size_t section);
  virtual ~InflateStream() = default;

  /// Inflates the next `size` bytes to `to`; null: discards them. False if the section is damaged
  /// or ends before.
  virtual bool Read(std::uint64_t size, std::uint8_t* to) = 0;
};

}  // namespace csink::symbolizer
