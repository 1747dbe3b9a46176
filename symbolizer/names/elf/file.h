#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/names/bytes/object_bytes.h"

namespace csink::symbolizer {

/// The headers of one little-endian ELF file (ELF gABI, chapters 4 and 5; elf(5)), and its sections
/// on request. Headers of 32-bit files are widened (elf/widen.h), so that callers see 64-bit
/// records only. No field is trusted: whatever does not fit into the file is left out.
///
/// Only headers and section names are kept in memory. Sections are read, and inflated, anew at each
/// call: callers keep what they need more than once.
/// Owns:    the object's bytes. Movable, not copyable.
/// Threads: const functions from any thread.
class ElfFile {
 public:
  /// Reads the headers. Errors: kCorrupt (not an ELF file, or a header of another class),
  /// kUnsupported (big-endian, an archive, compressed). A damaged table of sections or segments is
  /// no error: the entries that the file contains are used, and `is_cut` tells it.
  static Result<ElfFile> Read(ObjectBytes object);

  /// e_machine: EM_X86_64, EM_AARCH64, ...; EM_NONE in some supplementary files of dwz.
  std::uint16_t machine() const { return machine_; }
  /// e_type: ET_REL, ET_EXEC, ET_DYN, ... Separate debug files have the type of the original.
  std::uint16_t type() const { return type_; }
  /// Whether addresses, pointers and offsets have 8 bytes (ELFCLASS64). False: a 32-bit file, with
  /// 4 bytes.
  bool is_64() const { return is_64_; }
  /// The section headers describe more bytes than the file has: the file was cut off, or the
  /// headers are damaged. Segments are not checked, because those of a separate debug file describe
  /// the original file.
  bool is_cut() const { return is_cut_; }
  /// The bytes of the whole file, for reads by offset.
  const ObjectBytes& object() const { return object_; }
  /// The program headers, at most 1024. In a separate debug file they do not describe the bytes of
  /// that file.
  std::span<const Elf64_Phdr> segments() const { return segments_; }
  /// The section headers, with the reserved number 0. Empty if the file was stripped of them.
  std::span<const Elf64_Shdr> sections() const { return sections_; }
  /// The name of a section; empty if .shstrtab is missing or damaged. `index` is an index of
  /// sections(). Points into this object.
  std::string_view SectionName(std::size_t index) const;
  /// The index of the first section with that name that has bytes in the file (not SHT_NOBITS: in a
  /// separate debug file the sections of code and data are empty). nullopt: there is none.
  std::optional<std::size_t> FindSection(std::string_view name) const;

  /// A section's bytes, inflated if the section is compressed (SHF_COMPRESSED with zlib or zstd, or
  /// .zdebug_*). Empty if the section has no bytes, is damaged, is not wholly in the file, is
  /// larger than 1 GiB, or has another compression. `index` is an index of sections().
  Buffer ReadSection(std::size_t index) const;
  /// A debug section by its name without prefix: "line" finds .debug_line or .zdebug_line. Empty as
  /// ReadSection, or if there is no such section.
  Buffer ReadDebugSection(std::string_view name) const;
  /// Whether the section is there; it may still be damaged.
  bool HasDebugSection(std::string_view name) const;
  /// The index of a debug section; a plain one is preferred to a .zdebug one.
  std::optional<std::size_t> FindDebugSection(std::string_view name) const;
  /// Whether ReadSection inflates the section, and the inflated size in bytes as the section's
  /// header claims it. The claim is not checked here. InflatedSize may be called only for
  /// compressed sections; 0 if the header cannot be read.
  bool IsCompressed(std::size_t index) const;
  std::uint64_t InflatedSize(std::size_t index) const;

  /// The number of symbols in a table (SHT_SYMTAB or SHT_DYNSYM) that are really in the file, at
  /// most those of 256 MiB. With the reserved symbol 0.
  std::size_t SymbolCount(const Elf64_Shdr& table) const;
  /// Fills `symbols`, beginning with symbol number `first`. Returns false if the file ends before.
  /// For reading a table in pieces: tables of large programs have millions of symbols. The value of
  /// a function is the address of its first byte, in Thumb code (Arm) too.
  bool ReadSymbols(const Elf64_Shdr& table, std::size_t first, std::span<Elf64_Sym> symbols) const;

  /// The bytes at `vaddr`, an address in the file's own address space (as p_vaddr, without a load
  /// bias). Empty unless the file bytes of one PT_LOAD segment contain them all: bytes behind
  /// p_filesz (.bss) are not in the file.
  Buffer ReadVaddr(std::uint64_t vaddr, std::uint64_t size) const;

  /// The GNU build id (note of type NT_GNU_BUILD_ID; usually 20 bytes); empty when there is none.
  std::vector<std::uint8_t> BuildId() const;

  /// Converts a file offset to the file's own address space by the PT_LOAD that contains the
  /// offset; nullopt if none does. Two segments may share a page of the file; then an executable
  /// segment is preferred. An offset beside a segment, but in a page that is mapped for the
  /// segment, belongs to it.
  std::optional<std::uint64_t> OffsetToVaddr(std::uint64_t offset) const;

 private:
  /// Read fills the members.
  explicit ElfFile(ObjectBytes object) : object_(std::move(object)) {}
  /// The build id in the notes at [offset, offset + size) of the file.
  std::vector<std::uint8_t> FindBuildIdAt(std::uint64_t offset, std::uint64_t size) const;

  /// Reads the tables that the file header names.
  void ReadTables(const Elf64_Ehdr& header);
  /// `section_count` is the number of sections that the header claims.
  bool IsCut(const Elf64_Ehdr& header, std::uint64_t section_count) const;
  /// One record at a file offset, in the layout of the file's class.
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
