#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/bytes/object_bytes.h"

namespace csink::symbolizer {

/// The headers of one little-endian ELF file (ELF gABI, chapters 4 and 5; elf(5)), and its sections
/// on request. Headers of 32-bit files are widened (elf/widen.h), so that callers see 64-bit
/// records only. No field is trusted: whatever does not fit into the file is left out.
/// Owns:    the object's bytes. Movable, not copyable.
/// Threads: const functions from any thread.
class ElfFile {
 public:
  /// Errors: kCorrupt (not an ELF file, or damaged headers), kUnsupported (big-endian).
  static Result<ElfFile> Read(ObjectBytes object);

  std::uint16_t machine() const { return machine_; }
  /// ET_REL, ET_EXEC, ET_DYN, ...
  std::uint16_t type() const { return type_; }
  /// False: a 32-bit file, whose addresses and pointers have 4 bytes.
  bool is_64() const { return is_64_; }
  /// The section headers describe more bytes than the file has: the file was cut off, or the
  /// headers are damaged. Segments are not checked, because those of a separate debug file describe
  /// the original file.
  bool is_cut() const { return is_cut_; }
  const ObjectBytes& object() const { return object_; }
  std::span<const Elf64_Phdr> segments() const { return segments_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }
  std::string_view SectionName(std::size_t index) const;
  /// The index of the first section with that name that has bytes in the file (not SHT_NOBITS).
  std::optional<std::size_t> FindSection(std::string_view name) const;

  /// A section's bytes, inflated if the section is compressed (SHF_COMPRESSED with zlib or zstd, or
  /// .zdebug_*). Empty if the section has no bytes or is damaged.
  Buffer ReadSection(std::size_t index) const;
  /// A debug section by its name without prefix: "line" finds .debug_line or .zdebug_line.
  Buffer ReadDebugSection(std::string_view name) const;
  bool HasDebugSection(std::string_view name) const;
  std::optional<std::size_t> FindDebugSection(std::string_view name) const;
  /// Whether ReadSection inflates the section, and the inflated size in bytes as the section's
  /// header claims it.
  bool IsCompressed(std::size_t index) const;
  std::uint64_t InflatedSize(std::size_t index) const;

  /// The number of symbols in a table (SHT_SYMTAB or SHT_DYNSYM) that are really in the file.
  std::size_t SymbolCount(const Elf64_Shdr& table) const;
  /// Fills `symbols`, beginning with symbol number `first`. False if the file ends before.
  bool ReadSymbols(const Elf64_Shdr& table, std::size_t first, std::span<Elf64_Sym> symbols) const;

  /// The bytes at `vaddr`, an address in the file's own address space. Empty unless one segment
  /// contains them all.
  Buffer ReadVaddr(std::uint64_t vaddr, std::uint64_t size) const;

  /// The GNU build id; empty when there is none.
  std::vector<std::uint8_t> BuildId() const;

  /// Converts a file offset to the file's own address space by the PT_LOAD that contains the
  /// offset. Two segments may share a page of the file; then an executable segment is preferred.
  std::optional<std::uint64_t> OffsetToVaddr(std::uint64_t offset) const;

 private:
  explicit ElfFile(ObjectBytes object) : object_(std::move(object)) {}
  std::vector<std::uint8_t> FindBuildId(std::uint64_t offset, std::uint64_t size) const;

  void ReadTables(const Elf64_Ehdr& header);
  bool IsCut(const Elf64_Ehdr& header, std::uint64_t section_count) const;
  template <class Wide, class Narrow>
  std::optional<Wide> ReadRecord(std::uint64_t offset) const;

  ObjectBytes object_;
  std::uint16_t machine_ = 0;
  std::uint16_t type_ = 0;
  bool is_64_ = true;
  bool is_cut_ = false;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  Buffer section_names_;
};

}  // namespace csink::symbolizer
