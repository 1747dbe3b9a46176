#include "symbolizer/names/elf/file.h"

#include <algorithm>
#include <cstring>

#include "symbolizer/names/bytes/inflate.h"
#include "symbolizer/names/elf/build_id.h"
#include "symbolizer/names/elf/widen.h"

/// File: reads the file header, then the tables of sections and segments, and widens 32-bit records
/// at once, so that no other code knows two layouts. Nothing else is read until it is asked for.
/// Counts and offsets are compared with the size of the file before a table is allocated: a header
/// is 64 bytes and can claim tables of terabytes.

namespace csink::symbolizer {
namespace {

#ifndef ELFCOMPRESS_ZSTD
constexpr std::uint32_t ELFCOMPRESS_ZSTD = 2;
#endif

/// Larger sections of notes are not searched for the build id: linkers write it into a small
/// section of its own (.note.gnu.build-id).
constexpr std::uint64_t kMaxNoteBytes = 64 << 10;
/// The kernel maps files in units of pages (x86-64). Systems with larger pages map more around a
/// segment than is assumed here.
constexpr std::uint64_t kPageBytes = 4096;
/// Size of ten million symbols. Limits the work for sparse files: a hole of terabytes reads as a
/// table of zeros.
constexpr std::uint64_t kMaxSymbolBytes = std::uint64_t{256} << 20;
/// Programs have about a dozen segments. Every address is searched in all of them.
constexpr std::uint64_t kMaxSegments = 1024;
/// Limit for the search for a build id: a file has one section for it, and at most a few other
/// notes.
constexpr int kMaxNoteSections = 64;

/// `align` is a power of two.
std::uint64_t AlignUp(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

/// Reads a table of `count` records, cut to what the file contains.
template <class T>
/// Reads a table of `count` records at `offset`, cut to what the file contains. Empty if a read
/// fails.
std::vector<T> ReadTable(const ObjectBytes& object, std::uint64_t offset, std::uint64_t count) {
  if (offset >= object.size()) return {};
  count = std::min<std::uint64_t>(count, (object.size() - offset) / sizeof(T));
  std::vector<T> table(static_cast<std::size_t>(count));
  if (!object.Read(offset, table.size() * sizeof(T), table.data())) return {};
  return table;
}

template <class Narrow>
auto Widened(const std::vector<Narrow>& table) {
  std::vector<decltype(Widen(Narrow{}))> wide;
  wide.reserve(table.size());
  for (const Narrow& record : table) wide.push_back(Widen(record));
  return wide;
}

/// What a file is that is not an ELF file, as the end of a sentence about it. Archives and
/// compressed files contain ELF files, so the user is told how to get at them.
Error WhatElse(const ObjectBytes& object) {
  struct Kind {
    std::string_view magic;
    const char* what;
  };
  constexpr Kind kKinds[] = {
      {"!<arch>\n", "is an archive; ar x takes the object files out of it"},
      {"!<thin>\n", "is a thin archive; ar t lists the object files that it stands for"},
      {{"\xfd"
        "7zXZ\0",
        6},
       "is compressed; xz -dk unpacks it"},
      {{"\x1f\x8b", 2}, "is compressed; gzip -dk unpacks it"},
      {{"\x28\xb5\x2f\xfd", 4}, "is compressed; zstd -d unpacks it"},
      {"BZh", "is compressed; bzip2 -dk unpacks it"},
  };
  for (const Kind& kind : kKinds) {
    char front[8];
    if (object.Read(0, kind.magic.size(), front) &&
        std::string_view(front, kind.magic.size()) == kind.magic) {
      return {Errc::kUnsupported, 0, kind.what};
    }
  }
  return {Errc::kCorrupt, 0, "is not an ELF file"};
}

}  // namespace

Result<ElfFile> ElfFile::Read(ObjectBytes object) {
  unsigned char ident[EI_NIDENT];
  if (!object.Read(0, sizeof(ident), ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0) {
    return WhatElse(object);
  }
  // e_ident is the same for both classes and byte orders; the fields behind are not.
  const bool is_64 = ident[EI_CLASS] == ELFCLASS64;
  if (ident[EI_DATA] == ELFDATA2MSB) {
    return Error{Errc::kUnsupported, 0, "is a big-endian ELF file; csink reads little-endian ones"};
  }
  if ((!is_64 && ident[EI_CLASS] != ELFCLASS32) || ident[EI_DATA] != ELFDATA2LSB) {
    return Error{Errc::kCorrupt, 0, "is not an ELF file of 32 or 64 bits"};
  }
  ElfFile file(std::move(object));
  file.is_64_ = is_64;
  const auto header = file.ReadRecord<Elf64_Ehdr, Elf32_Ehdr>(0);
  if (!header) return Error{Errc::kCorrupt, 0, "is not an ELF file"};
  file.machine_ = header->e_machine;
  file.type_ = header->e_type;
  file.ReadTables(*header);
  return file;
}

void ElfFile::ReadTables(const Elf64_Ehdr& header) {
  std::uint64_t section_count = header.e_shnum;
  std::uint64_t name_section = header.e_shstrndx;
  std::uint64_t segment_count = header.e_phnum;
  // e_shentsize is compared, not used as a step: tables with records of another size are left out.
  const std::size_t section_bytes = is_64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (header.e_shoff != 0 && header.e_shentsize == section_bytes) {
    // Numbers that do not fit into the header are in section 0 (elf(5): e_shnum, PN_XNUM,
    // SHN_XINDEX).
    if (const auto first = ReadRecord<Elf64_Shdr, Elf32_Shdr>(header.e_shoff)) {
      if (section_count == 0) section_count = first->sh_size;
      if (name_section == SHN_XINDEX) name_section = first->sh_link;
      if (segment_count == PN_XNUM) segment_count = first->sh_info;
    }
    sections_ = is_64_ ? ReadTable<Elf64_Shdr>(object_, header.e_shoff, section_count)
                       : Widened(ReadTable<Elf32_Shdr>(object_, header.e_shoff, section_count));
    is_cut_ = IsCut(header, section_count);
  }
  if (header.e_phentsize == (is_64_ ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr))) {
    segment_count = std::min(segment_count, kMaxSegments);
    segments_ = is_64_ ? ReadTable<Elf64_Phdr>(object_, header.e_phoff, segment_count)
                       : Widened(ReadTable<Elf32_Phdr>(object_, header.e_phoff, segment_count));
  }
  // Without .shstrtab all names are empty, and sections are found by type only.
  if (name_section < sections_.size()) {
    const Elf64_Shdr& names = sections_[name_section];
    if (names.sh_type == SHT_STRTAB) {
      section_names_ = object_.Read(names.sh_offset, names.sh_size);
    }
  }
}

bool ElfFile::IsCut(const Elf64_Ehdr& header, std::uint64_t section_count) const {
  if (sections_.size() < section_count || header.e_shoff >= object_.size()) return true;
  // SHT_NOBITS sections (.bss) have a size, but no bytes in the file.
  return std::any_of(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& section) {
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) return false;
    return section.sh_offset > object_.size() ||
           section.sh_size > object_.size() - section.sh_offset;
  });
}

template <class Wide, class Narrow>
std::optional<Wide> ElfFile::ReadRecord(std::uint64_t offset) const {
  Wide wide;
  if (is_64_) return object_.Read(offset, sizeof(wide), &wide) ? std::optional(wide) : std::nullopt;
  Narrow narrow;
  if (!object_.Read(offset, sizeof(narrow), &narrow)) return std::nullopt;
  return Widen(narrow);
}

std::size_t ElfFile::SymbolCount(const Elf64_Shdr& table) const {
  if (table.sh_offset > object_.size()) return 0;
  const std::uint64_t size =
      std::min({table.sh_size, object_.size() - table.sh_offset, kMaxSymbolBytes});
  return static_cast<std::size_t>(size / (is_64_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)));
}

bool ElfFile::ReadSymbols(const Elf64_Shdr& table, std::size_t first,
                          std::span<Elf64_Sym> symbols) const {
  if (table.sh_offset > object_.size()) return false;
  if (is_64_) {
    return object_.Read(table.sh_offset + first * sizeof(Elf64_Sym), symbols.size_bytes(),
                        symbols.data());
  }
  std::vector<Elf32_Sym> narrow(symbols.size());
  if (!object_.Read(table.sh_offset + first * sizeof(Elf32_Sym), narrow.size() * sizeof(Elf32_Sym),
                    narrow.data())) {
    return false;
  }
  std::transform(narrow.begin(), narrow.end(), symbols.begin(), [&](const Elf32_Sym& symbol) {
    Elf64_Sym wide = Widen(symbol);
    if (machine_ == EM_ARM) wide.st_value = WithoutThumbBit(symbol);
    return wide;
  });
  return true;
}

std::string_view ElfFile::SectionName(std::size_t index) const {
  return TextAt(section_names_.bytes(), sections_[index].sh_name);
}

std::optional<std::size_t> ElfFile::FindSection(std::string_view name) const {
  // Section 0 is reserved (SHN_UNDEF).
  for (std::size_t i = 1; i < sections_.size(); ++i) {
    if (sections_[i].sh_type != SHT_NOBITS && SectionName(i) == name) return i;
  }
  return std::nullopt;
}

Buffer ElfFile::ReadSection(std::size_t index) const {
  const Elf64_Shdr& section = sections_[index];
  if (section.sh_type == SHT_NOBITS) return {};
  Buffer raw = object_.Read(section.sh_offset, section.sh_size);
  ByteReader reader(raw.bytes());
  if ((section.sh_flags & SHF_COMPRESSED) != 0) {
    const auto header = is_64_ ? reader.Fixed<Elf64_Chdr>() : Widen(reader.Fixed<Elf32_Chdr>());
    const Bytes packed = Part(raw.bytes(), reader.offset(), raw.size());
    if (!reader.ok()) return {};
    if (header.ch_type == ELFCOMPRESS_ZLIB) return InflateZlib(packed, header.ch_size);
    if (header.ch_type == ELFCOMPRESS_ZSTD) return InflateZstd(packed, header.ch_size);
    return {};
  }
  if (SectionName(index).starts_with(".zdebug_")) {
    // The old GNU format: "ZLIB", then the inflated size as a big-endian number.
    const Bytes magic = reader.Take(4);
    const std::uint64_t size = __builtin_bswap64(reader.U64());
    if (!reader.ok() || std::memcmp(magic.data(), "ZLIB", 4) != 0) return {};
    return InflateZlib(Part(raw.bytes(), 12, raw.size()), size);
  }
  return raw;
}

bool ElfFile::IsCompressed(std::size_t index) const {
  return (sections_[index].sh_flags & SHF_COMPRESSED) != 0 ||
         SectionName(index).starts_with(".zdebug_");
}

std::uint64_t ElfFile::InflatedSize(std::size_t index) const {
  const Elf64_Shdr& section = sections_[index];
  if ((section.sh_flags & SHF_COMPRESSED) != 0) {
    const auto header = ReadRecord<Elf64_Chdr, Elf32_Chdr>(section.sh_offset);
    return header ? header->ch_size : 0;
  }
  std::uint64_t size = 0;  // Behind "ZLIB", big-endian
  return object_.Read(section.sh_offset + 4, sizeof(size), &size) ? __builtin_bswap64(size) : 0;
}

std::optional<std::size_t> ElfFile::FindDebugSection(std::string_view name) const {
  std::string full = ".debug_";
  full += name;
  if (const auto plain = FindSection(full)) return plain;
  // ".debug_line" becomes ".zdebug_line".
  full.insert(1, 1, 'z');
  return FindSection(full);
}

bool ElfFile::HasDebugSection(std::string_view name) const {
  return FindDebugSection(name).has_value();
}

Buffer ElfFile::ReadDebugSection(std::string_view name) const {
  const auto index = FindDebugSection(name);
  return index ? ReadSection(*index) : Buffer();
}

Buffer ElfFile::ReadVaddr(std::uint64_t vaddr, std::uint64_t size) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || vaddr < segment.p_vaddr) continue;
    const std::uint64_t inside = vaddr - segment.p_vaddr;
    if (inside > segment.p_filesz || size > segment.p_filesz - inside) continue;
    // p_offset is not trusted: the sum may overflow.
    if (segment.p_offset + inside < inside) continue;
    return object_.Read(segment.p_offset + inside, size);
  }
  return {};
}

std::vector<std::uint8_t> ElfFile::FindBuildIdAt(std::uint64_t offset, std::uint64_t size) const {
  if (size > kMaxNoteBytes) return {};
  const Buffer notes = object_.Read(offset, size);
  const Bytes id = FindBuildId(notes.bytes());
  return {id.begin(), id.end()};
}

std::vector<std::uint8_t> ElfFile::BuildId() const {
  // Sections first: in a separate debug file the offsets of the segments are those of the original
  // file.
  int notes = 0;
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_NOTE || ++notes > kMaxNoteSections) continue;
    auto id = FindBuildIdAt(section.sh_offset, section.sh_size);
    if (!id.empty()) return id;
  }
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    auto id = FindBuildIdAt(segment.p_offset, segment.p_filesz);
    if (!id.empty()) return id;
  }
  return {};
}

std::optional<std::uint64_t> ElfFile::OffsetToVaddr(std::uint64_t offset) const {
  // Four ranks: inside an executable segment, in its pages, inside another segment, in its pages. A
  // sampled offset comes from an executable mapping, so code wins over data that shares the page.
  const Elf64_Phdr* best = nullptr;
  int best_rank = 0;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    const bool executable = (segment.p_flags & PF_X) != 0;
    const std::uint64_t page_start = segment.p_offset & ~(kPageBytes - 1);
    int rank = 0;
    if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz) {
      rank = executable ? 4 : 2;
    } else if (offset >= page_start &&
               offset - page_start <
                   AlignUp(segment.p_filesz + segment.p_offset - page_start, kPageBytes)) {
      // The kernel maps whole pages, so that a mapping may contain code outside the bounds of its
      // segment.
      rank = executable ? 3 : 1;
    }
    if (rank > best_rank) {
      best_rank = rank;
      best = &segment;
      if (rank == 4) break;  // The best one
    }
  }
  if (best == nullptr) return std::nullopt;
  return offset - best->p_offset + best->p_vaddr;
}

}  // namespace csink::symbolizer
