#pragma once

#include <cstdint>
#include <memory>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

/// A compressed section, inflated from front to back in pieces.
///
/// Owns:    a state of some 100 KB (zlib) and a piece of the packed bytes. The file outlives it.
/// Threads: one.
class InflateStream {
 public:
  /// Null when the section's compression is none that we know.
  static std::unique_ptr<InflateStream> Open(const ElfFile& file, std::size_t section);
  virtual ~InflateStream() = default;

  /// The next `size` bytes, to `to` or to nowhere (null); false when the section is damaged or
  /// ends before.
  virtual bool Read(std::uint64_t size, std::uint8_t* to) = 0;
};

}  // namespace csink::symbolizer
