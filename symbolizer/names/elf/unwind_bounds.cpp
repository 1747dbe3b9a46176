#include "symbolizer/names/elf/unwind_bounds.h"

#include <algorithm>
#include <map>

/// File: two ways to the unwind entry (FDE) of an address. With .eh_frame_hdr: a binary search in
/// its table, then a read of that entry and of the CIE that it refers to. Without the header, or
/// with one of another encoding: all entries of .eh_frame in turn. An FDE has the bounds at its
/// front; how they are encoded is in the augmentation of the CIE, so the encodings are kept by CIE.

namespace csink::symbolizer {
namespace {

// Pointer encodings DW_EH_PE_* (LSB Core, 10.5.1, "DWARF Exception Header Encoding").
enum : std::uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kU2 = 0x02,
  kU4 = 0x03,
  kU8 = 0x04,
  kSleb = 0x09,
  kS2 = 0x0a,
  kS4 = 0x0b,
  kS8 = 0x0c,
  kPcRelative = 0x10,
  kDataRelative = 0x30,
  kOmit = 0xff,
};
/// Bytes that are read of an entry: the bounds are at its front.
constexpr std::uint64_t kEntryBytes = 64;
/// Limit for .eh_frame_hdr: 32 million functions.
constexpr std::uint64_t kMaxSectionBytes = 256u << 20;

/// Reads one encoded pointer. `here` is the address of the field, `data` the base of kDataRelative.
/// The lower four bits of the encoding are the format, the upper ones the base. kAbsolute has the
/// size of a pointer: 8 bytes, or 4 if not `is_64` (ElfFile::is_64). nullopt: an unknown encoding,
/// or the bytes end.
std::optional<std::uint64_t> ReadPointer(ByteReader& reader, std::uint8_t encoding,
                                         std::uint64_t here, std::uint64_t data, bool is_64) {
  std::uint64_t value = 0;
  switch (encoding & 0x0f) {
    case kAbsolute:
      value = is_64 ? reader.U64() : reader.U32();
      break;
    case kU8:
    case kS8:
      value = reader.U64();
      break;
    case kUleb:
      value = reader.Uleb();
      break;
    case kSleb:
      value = static_cast<std::uint64_t>(reader.Sleb());
      break;
    case kU2:
      value = reader.U16();
      break;
    case kU4:
      value = reader.U32();
      break;
    case kS2:
      value = static_cast<std::uint64_t>(reader.Fixed<std::int16_t>());
      break;
    case kS4:
      value = static_cast<std::uint64_t>(reader.Fixed<std::int32_t>());
      break;
    default:
      return std::nullopt;
  }
  switch (encoding & 0xf0) {
    case 0:
      break;
    case kPcRelative:
      value += here;
      break;
    case kDataRelative:
      value += data;
      break;
    default:
      return std::nullopt;
  }
  if (!reader.ok()) return std::nullopt;
  // A 32-bit distance back is an unsigned number there, and the sum wraps at 4 GiB.
  return is_64 ? value : value & 0xffffffff;
}

/// The encoding of pointers in the FDEs of a CIE (augmentation 'R'). `bytes` begins behind the
/// CIE's id. The letters after 'z' say which fields follow, in their order; an unknown letter ends
/// the reading, because its field has an unknown length.
std::optional<std::uint8_t> PointerEncoding(Bytes bytes, bool is_64) {
  ByteReader reader(bytes);
  const std::uint8_t version = reader.U8();
  const std::string_view augmentation = reader.Text();
  if (version != 1 && version != 3) return std::nullopt;
  if (augmentation.empty()) return kAbsolute;
  // Without 'z' the augmentation data has no length ("eh" of gcc 2).
  if (augmentation[0] != 'z') return std::nullopt;
  reader.Uleb();  // Code alignment
  reader.Sleb();  // Data alignment
  if (version == 1) {
    reader.U8();  // Return address register
  } else {
    reader.Uleb();
  }
  reader.Uleb();  // Length of the augmentation data
  for (const char c : augmentation.substr(1)) {
    if (c == 'R') {
      const std::uint8_t encoding = reader.U8();
      return reader.ok() ? std::optional(encoding) : std::nullopt;
    }
    if (c == 'L') {
      reader.U8();
    } else if (c == 'P') {
      const std::uint8_t encoding = reader.U8();
      // Only the length of the personality pointer matters.
      if (!ReadPointer(reader, encoding & 0x0f, 0, 0, is_64)) return std::nullopt;
    } else if (c != 'S' && c != 'B' && c != 'G') {
      return std::nullopt;
    }
  }
  return kAbsolute;
}

/// Reads entries of .eh_frame by address, and caches the encodings of their CIEs.
class EntryReader {
 public:
  explicit EntryReader(const ElfFile& file) : file_(file) {}

  /// The bounds in the FDE at `vaddr`. nullopt: a CIE, or damaged.
  std::optional<CodeRange> ReadFde(std::uint64_t vaddr) {
    const Buffer head = ReadAround(vaddr);
    return ParseFde(head.bytes(), vaddr);
  }
  /// The same for bytes that begin with the entry.
  std::optional<CodeRange> ParseFde(Bytes bytes, std::uint64_t vaddr) {
    ByteReader reader(bytes);
    std::uint64_t length = reader.U32();
    std::uint64_t id_vaddr = vaddr + 4;
    if (length == 0xffffffff) {
      length = reader.U64();
      id_vaddr += 8;
    }
    // In .eh_frame, the id of an FDE is the distance back to its CIE; 0 marks a CIE.
    const std::uint32_t id = reader.U32();
    if (!reader.ok() || length < 4 || id == 0) return std::nullopt;
    const auto encoding = EncodingOf(id_vaddr - id);
    if (!encoding) return std::nullopt;
    const std::uint64_t here = vaddr + reader.offset();
    const auto start = ReadPointer(reader, *encoding, here, 0, file_.is_64());
    const auto size = ReadPointer(reader, *encoding & 0x0f, 0, 0, file_.is_64());
    // The size has the format of the start, but no base. An entry without bytes stands for
    // discarded code.
    if (!start || !size || *size == 0 || *start + *size < *start) return std::nullopt;
    return CodeRange{*start, *start + *size};
  }

 private:
  Buffer ReadAround(std::uint64_t vaddr) const {
    // The last entry may end less than kEntryBytes before the end of the segment.
    for (std::uint64_t size = kEntryBytes; size >= 16; size -= 8) {
      Buffer bytes = file_.ReadVaddr(vaddr, size);
      if (bytes.size() != 0) return bytes;
    }
    return {};
  }
  std::optional<std::uint8_t> EncodingOf(std::uint64_t cie_vaddr) {
    const auto [entry, is_new] = encodings_.try_emplace(cie_vaddr);
    if (is_new) {
      const Buffer bytes = ReadAround(cie_vaddr);
      ByteReader reader(bytes.bytes());
      if (reader.U32() == 0xffffffff) reader.U64();
      if (reader.U32() == 0 && reader.ok()) {
        entry->second =
            PointerEncoding(Part(bytes.bytes(), reader.offset(), bytes.size()), file_.is_64());
      }
    }
    return entry->second;
  }

  const ElfFile& file_;
  std::map<std::uint64_t, std::optional<std::uint8_t>> encodings_;  // By address of the CIE
};

using Ranges = std::vector<std::optional<CodeRange>>;

/// The table of .eh_frame_hdr: sorted pairs (function, FDE) of 32-bit offsets from the header.
struct SearchTable {
  std::uint64_t vaddr = 0;
  Buffer bytes;
  std::size_t first = 0;
  std::size_t count = 0;

  // Addresses of function and FDE number `i`, both relative to the header.
  std::pair<std::uint64_t, std::uint64_t> At(std::size_t i) const {
    ByteReader reader(Part(bytes.bytes(), first + i * 8, 8));
    const auto function = reader.Fixed<std::int32_t>();
    const auto entry = reader.Fixed<std::int32_t>();
    return {vaddr + static_cast<std::uint64_t>(std::int64_t{function}),
            vaddr + static_cast<std::uint64_t>(std::int64_t{entry})};
  }
};

/// The table that binary search can use: version 1, entries of 4 bytes relative to the header,
/// which is what every linker writes. nullopt: there is none.
std::optional<SearchTable> ReadSearchTable(const ElfFile& file) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_GNU_EH_FRAME || segment.p_filesz > kMaxSectionBytes) continue;
    SearchTable table;
    table.vaddr = segment.p_vaddr;
    table.bytes = file.object().Read(segment.p_offset, segment.p_filesz);
    ByteReader reader(table.bytes.bytes());
    const std::uint8_t version = reader.U8();
    const std::uint8_t frame_encoding = reader.U8();
    const std::uint8_t count_encoding = reader.U8();
    const std::uint8_t table_encoding = reader.U8();
    if (version != 1 || table_encoding != (kDataRelative | kS4) || count_encoding == kOmit) {
      continue;
    }
    // The address of .eh_frame is not needed, but it must be passed over.
    ReadPointer(reader, frame_encoding, table.vaddr + reader.offset(), table.vaddr, file.is_64());
    const auto count = ReadPointer(reader, count_encoding, table.vaddr + reader.offset(),
                                   table.vaddr, file.is_64());
    if (!count) continue;
    table.first = reader.offset();
    table.count = static_cast<std::size_t>(std::min<std::uint64_t>(*count, reader.left() / 8));
    if (table.count != 0) return table;
  }
  return std::nullopt;
}

/// The last entry whose start is not above the address is the only one that can cover it.
void MatchSorted(const ElfFile& file, const SearchTable& table,
                 std::span<const std::uint64_t> vaddrs, Ranges& ranges) {
  EntryReader entries(file);
  // Addresses are sorted, so that the next one is often in the same function.
  std::optional<CodeRange> last;
  for (std::size_t i = 0; i < vaddrs.size(); ++i) {
    const std::uint64_t pc = vaddrs[i];
    if (!last || pc < last->start || pc >= last->end) {
      std::size_t low = 0;
      std::size_t high = table.count;
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (table.At(middle).first <= pc) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      last = low == 0 ? std::nullopt : entries.ReadFde(table.At(low - 1).second);
    }
    if (last && pc >= last->start && pc < last->end) ranges[i] = last;
  }
}

/// Every entry looks for its addresses, since entries are in no order.
void MatchAll(const ElfFile& file, std::size_t section, std::span<const std::uint64_t> vaddrs,
              Ranges& ranges) {
  const Buffer frame = file.ReadSection(section);
  const std::uint64_t base = file.sections()[section].sh_addr;
  EntryReader entries(file);
  std::uint64_t offset = 0;
  while (offset + 8 <= frame.size()) {
    const Bytes rest = Part(frame.bytes(), offset, frame.size());
    ByteReader reader(rest);
    std::uint64_t length = reader.U32();
    if (length == 0xffffffff) length = reader.U64();
    if (!reader.ok() || length > reader.left()) return;
    const std::uint64_t next = offset + reader.offset() + length;
    if (const auto range = entries.ParseFde(rest, base + offset)) {
      auto pc = std::lower_bound(vaddrs.begin(), vaddrs.end(), range->start);
      for (; pc != vaddrs.end() && *pc < range->end; ++pc) {
        auto& slot = ranges[static_cast<std::size_t>(pc - vaddrs.begin())];
        // Entries of a valid file do not overlap. If they do, the first one wins; the loop ends,
        // which limits the work.
        if (slot) break;
        slot = range;
      }
    }
    offset = next;
  }
}

}  // namespace

std::vector<std::optional<CodeRange>> MatchUnwindEntries(const ElfFile& file,
                                                         std::span<const std::uint64_t> vaddrs) {
  Ranges ranges(vaddrs.size());
  if (vaddrs.empty()) return ranges;
  if (const auto table = ReadSearchTable(file)) {
    MatchSorted(file, *table, vaddrs, ranges);
  } else if (const auto section = file.FindSection(".eh_frame")) {
    MatchAll(file, *section, vaddrs, ranges);
  }
  return ranges;
}

}  // namespace csink::symbolizer
