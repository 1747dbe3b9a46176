#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/object_bytes.h"

namespace csink::symbolizer {

/// The headers of one 64-bit little-endian ELF file, and its sections on request.
/// Every field is taken as hostile: what does not fit the file is left out.
/// Owns:    the object's bytes. Movable, not copyable.
/// Threads: const functions from any thread.
class ElfFile {
 public:
  /// Errors: kCorrupt (not an ELF file, or damaged headers), kUnsupported (32-bit
  /// or big-endian).
  static Result<ElfFile> Read(ObjectBytes object);

  std::uint16_t machine() const { return machine_; }
  const ObjectBytes& object() const { return object_; }
  std::span<const Elf64_Phdr> segments() const { return segments_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }
  std::string_view SectionName(std::size_t index) const;
  /// The first section of that name that has bytes in the file.
  std::optional<std::size_t> FindSection(std::string_view name) const;

  /// A section's bytes, inflated when it is compressed (SHF_COMPRESSED with zlib
  /// or zstd, or .zdebug_*). Empty when it has none or is damaged.
  Buffer ReadSection(std::size_t index) const;
  /// A debug section by its name without prefix: "line" finds .debug_line or .zdebug_line.
  Buffer ReadDebugSection(std::string_view name) const;
  bool HasDebugSection(std::string_view name) const;

  /// The bytes at an address of the file's own, when one segment holds them all.
  Buffer ReadVaddr(std::uint64_t vaddr, std::uint64_t size) const;

  /// The GNU build id; empty when there is none.
  std::vector<std::uint8_t> BuildId() const;

  /// From a place in the file to the address that the file gives it: the PT_LOAD
  /// that holds it, an executable one first when two share a page.
  std::optional<std::uint64_t> OffsetToVaddr(std::uint64_t offset) const;

 private:
  explicit ElfFile(ObjectBytes object) : object_(std::move(object)) {}
  std::vector<std::uint8_t> FindBuildId(std::uint64_t offset, std::uint64_t size) const;
  std::optional<std::size_t> FindDebugSection(std::string_view name) const;

  ObjectBytes object_;
  std::uint16_t machine_ = 0;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  Buffer section_names_;
};

/// Lower-case hexadecimal digits.
std::string ToHex(std::span<const std::uint8_t> bytes);

}  // namespace csink::symbolizer
