#include "symbolizer/names/elf/linked_object.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "symbolizer/names/elf/relocation.h"
#include "symbolizer/names/elf/widen.h"

/// File: a small linker. It copies the file into memory, appends the inflated debug sections, gives
/// each section of code an address, adds that address to the symbols of the section, applies the
/// relocations of debug sections, and writes the changed headers back into the copy. The copy is
/// then opened as an ELF file.
///
/// The classes Class64 and Class32 hold the layouts, because records are written back here
/// (elf/widen.h only reads).

namespace csink::symbolizer {
namespace {

/// Address of the first section. It is not 0, because 0 means "discarded by the linker" in line
/// tables and range lists.
constexpr std::uint64_t kFirstAddress = 1 << 20;
/// Gap between sections, so that an address just behind one section is in no section.
constexpr std::uint64_t kGap = 64;
/// Every address fits into a signed field of four bytes (R_X86_64_32S).
constexpr std::uint64_t kLastAddress = 1u << 31;

struct Class64 {
  using Header = Elf64_Ehdr;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
  using Rel = Elf64_Rel;
  using Rela = Elf64_Rela;
  static std::uint64_t SymbolOf(std::uint64_t info) { return ELF64_R_SYM(info); }
  static std::uint32_t TypeOf(std::uint64_t info) { return ELF64_R_TYPE(info); }
  static std::uint64_t AddressOf(const Symbol& symbol, std::uint16_t) { return symbol.st_value; }
};
struct Class32 {
  using Header = Elf32_Ehdr;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
  using Rel = Elf32_Rel;
  using Rela = Elf32_Rela;
  static std::uint64_t SymbolOf(std::uint32_t info) { return ELF32_R_SYM(info); }
  static std::uint32_t TypeOf(std::uint32_t info) { return ELF32_R_TYPE(info); }
  static std::uint64_t AddressOf(const Symbol& symbol, std::uint16_t machine) {
    return machine == EM_ARM ? WithoutThumbBit(symbol) : symbol.st_value;
  }
};

/// A section that gets an address: in memory at run time, and executable.
bool IsCode(const Elf64_Shdr& section) {
  return (section.sh_flags & SHF_ALLOC) != 0 && (section.sh_flags & SHF_EXECINSTR) != 0;
}

/// A section that is inflated and relocated.
bool IsDebugName(std::string_view name) {
  return name.starts_with(".debug_") || name.starts_with(".zdebug_");
}

/// `bytes` is 1 to 8. The shift back is arithmetic, which C++20 guarantees.
std::int64_t SignExtended(std::uint64_t value, unsigned bytes) {
  const unsigned unused = 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// Converts one object file to an image. Every offset is checked before use: the file is not
/// trusted, and its sections may overlap.
template <class Class>
class Linker {
  using Header = typename Class::Header;
  using Section = typename Class::Section;
  using Symbol = typename Class::Symbol;
  using Rel = typename Class::Rel;
  using Rela = typename Class::Rela;

 public:
  explicit Linker(const ElfFile& file)
      : file_(file), sections_(file.sections().begin(), file.sections().end()) {}

  Result<ElfFile> Run() {
    if (!KnowsRelocations(file_.machine())) {
      return Error{Errc::kUnsupported, 0,
                   "is an object file for an architecture whose relocations are not supported"};
    }
    if (!MakeImage()) return Error{Errc::kLimit, 0, "is too large for an object file"};
    if (!PlaceCode()) return Error{Errc::kCorrupt, 0, "has sections with an invalid size"};
    MoveSymbols();
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (const auto done = Relocate(sections_[i]); !done) return done.error();
    }
    WriteHeaders();
    return ElfFile::Read(ObjectBytes::FromMemory(std::move(image_)));
  }

 private:
  /// Copies the file, and appends its inflated debug sections.
  bool MakeImage() {
    // The sum stops growing at the limit, so that it cannot overflow.
    std::uint64_t size = file_.object().size();
    for (std::size_t i = 0; i < sections_.size() && size < kMaxReadBytes; ++i) {
      if (IsPacked(i)) size += std::min(file_.InflatedSize(i), kMaxReadBytes);
    }
    if (size >= kMaxReadBytes) return false;
    image_ = Buffer(static_cast<std::size_t>(size));
    end_ = static_cast<std::size_t>(file_.object().size());
    if (image_.size() < sizeof header_ || !file_.object().Read(0, end_, image_.data())) {
      return false;
    }
    std::memcpy(&header_, image_.data(), sizeof header_);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      // All at once: relocations refer to any place of a section.
      if (IsPacked(i)) Inflate(i);
    }
    image_.Shrink(end_);
    return true;
  }
  bool IsPacked(std::size_t i) const {
    return sections_[i].sh_type != SHT_NOBITS && IsDebugName(file_.SectionName(i)) &&
           file_.IsCompressed(i);
  }
  void Inflate(std::size_t i) {
    Elf64_Shdr& section = sections_[i];
    const Buffer bytes = file_.ReadSection(i);
    if (bytes.size() == 0 || bytes.size() > image_.size() - end_) {
      section.sh_type = SHT_NOBITS;  // Damaged: a section that cannot be relocated is not read
      return;
    }
    std::memcpy(image_.data() + end_, bytes.bytes().data(), bytes.size());
    section.sh_offset = end_;
    section.sh_size = bytes.size();
    section.sh_flags &= ~std::uint64_t{SHF_COMPRESSED};
    end_ += bytes.size();
    if (file_.SectionName(i).starts_with(".z")) DropZ(section);
  }
  /// Renames ".zdebug_info" to ".debug_info" without a new string table: the 'z' becomes a dot, and
  /// the section's name starts at this second dot. If sections share the name, the byte is already
  /// changed.
  void DropZ(Elf64_Shdr& section) {
    std::uint64_t names = header_.e_shstrndx;
    if (names == SHN_XINDEX) names = sections_[0].sh_link;
    if (names >= sections_.size()) return;
    const std::uint64_t at = sections_[names].sh_offset + section.sh_name + 1;
    if (at >= file_.object().size()) return;
    image_.data()[at] = '.';
    ++section.sh_name;
  }

  /// False: the sections do not fit into 2 GiB.
  bool PlaceCode() {
    // Only flags, sizes and order of the sections count: a stripped module and its debug file agree
    // in these, while file offsets and section types differ.
    std::uint64_t next = kFirstAddress;
    for (Elf64_Shdr& section : sections_) {
      if (!IsCode(section)) continue;
      if (section.sh_size > kLastAddress - next) return false;
      section.sh_addr = next;
      // Between kGap and 2 * kGap bytes of distance, and a multiple of kGap.
      next = (next + section.sh_size + 2 * kGap) & ~(kGap - 1);
      if (next > kLastAddress) return false;
    }
    return true;
  }

  // Makes the values of symbols in sections of code addresses, in the image and in `values_`, from
  // which relocations are computed. Other symbols keep their value: those of debug sections are
  // offsets, which are what references between debug sections need.
  void MoveSymbols() {
    const auto is_table = [](const Elf64_Shdr& s) { return s.sh_type == SHT_SYMTAB; };
    const auto table = std::find_if(sections_.begin(), sections_.end(), is_table);
    if (table == sections_.end()) return;
    symbols_ = static_cast<std::size_t>(table - sections_.begin());
    const Buffer wide_indices = ReadWideIndices();
    values_.resize(file_.SymbolCount(*table));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      Symbol symbol;
      std::uint8_t* const at = image_.data() + table->sh_offset + i * sizeof symbol;
      std::memcpy(&symbol, at, sizeof symbol);
      std::uint32_t section = symbol.st_shndx;
      if (section == SHN_XINDEX) {
        section = ByteReader(Part(wide_indices.bytes(), i * 4, 4)).U32();
      } else if (section >= SHN_LORESERVE) {
        // SHN_ABS, SHN_COMMON and the like are no sections.
        section = 0;
      }
      if (section < sections_.size() && IsCode(sections_[section])) {
        symbol.st_value =
            static_cast<decltype(symbol.st_value)>(symbol.st_value + sections_[section].sh_addr);
        std::memcpy(at, &symbol, sizeof symbol);
      }
      values_[i] = Class::AddressOf(symbol, file_.machine());
    }
  }
  // The section numbers of symbols in files with 65,280 sections and more (SHT_SYMTAB_SHNDX).
  Buffer ReadWideIndices() const {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (section.sh_type == SHT_SYMTAB_SHNDX && section.sh_link == symbols_) {
        return file_.ReadSection(i);
      }
    }
    return {};
  }

  // Applies one relocation section. Sections that are of no interest or damaged are left out
  // without an error.
  Result<void> Relocate(const Elf64_Shdr& list) {
    if (list.sh_type != SHT_REL && list.sh_type != SHT_RELA) return {};
    if (list.sh_info >= sections_.size() || list.sh_link != symbols_) return {};
    const Elf64_Shdr& target = sections_[list.sh_info];
    const std::string_view name = file_.SectionName(list.sh_info);
    // Only the sections that csink reads are relocated; code and data are left as they are.
    if (!IsDebugName(name) && name != ".eh_frame") return {};
    if (target.sh_type == SHT_NOBITS || !IsInside(list, file_.object().size()) ||
        !IsInside(target, image_.size())) {
      return {};
    }
    // In a valid file the relocation sections do not overlap, so that together they are smaller
    // than the file. This limits the work for damaged files.
    relocated_ += list.sh_size;
    if (relocated_ > file_.object().size()) {
      return Error{Errc::kCorrupt, 0, "has relocations that overlap"};
    }
    return list.sh_type == SHT_RELA ? Apply<Rela>(list, target) : Apply<Rel>(list, target);
  }
  static bool IsInside(const Elf64_Shdr& section, std::uint64_t size) {
    return section.sh_offset <= size && section.sh_size <= size - section.sh_offset;
  }

  // `list` is inside the original file and `target` inside the image (checked by Relocate).
  // `symbol` is checked for each record.
  template <class Record>
  Result<void> Apply(const Elf64_Shdr& list, const Elf64_Shdr& target) {
    const std::uint64_t count = list.sh_size / sizeof(Record);
    for (std::uint64_t i = 0; i < count; ++i) {
      Record record;
      std::memcpy(&record, image_.data() + list.sh_offset + i * sizeof record, sizeof record);
      // An unknown type is an error, and is not skipped: the field would keep a wrong address, and
      // names would be wrong.
      const auto field = FieldOf(file_.machine(), Class::TypeOf(record.r_info));
      if (!field) return Error{Errc::kUnsupported, 0, "has relocations that are not supported"};
      const std::uint64_t symbol = Class::SymbolOf(record.r_info);
      // A damaged entry is skipped: the others are still useful.
      if (symbol >= values_.size() || field->bytes > target.sh_size ||
          record.r_offset > target.sh_size - field->bytes) {
        continue;
      }
      std::uint8_t* const at = image_.data() + target.sh_offset + record.r_offset;
      std::uint64_t value = values_[symbol] + Addend(record, at, field->bytes);
      if (field->is_relative) value -= target.sh_addr + record.r_offset;
      std::memcpy(at, &value, field->bytes);
    }
    return {};
  }
  // SHT_RELA: the addend is in the record.
  static std::uint64_t Addend(const Rela& record, const std::uint8_t*, unsigned) {
    return static_cast<std::uint64_t>(std::int64_t{record.r_addend});
  }
  /// SHT_REL: the addend is stored in the field.
  static std::uint64_t Addend(const Rel&, const std::uint8_t* at, unsigned bytes) {
    if (bytes == 0) return 0;
    std::uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    return static_cast<std::uint64_t>(SignExtended(value, bytes));
  }

  /// Writes the changed headers. The image becomes ET_EXEC, so that linking it again changes
  /// nothing.
  void WriteHeaders() {
    header_.e_type = ET_EXEC;
    std::memcpy(image_.data(), &header_, sizeof header_);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      Section record;
      std::uint8_t* const at = image_.data() + header_.e_shoff + i * sizeof record;
      std::memcpy(&record, at, sizeof record);
      record.sh_name = sections_[i].sh_name;
      record.sh_type = sections_[i].sh_type;
      record.sh_flags = static_cast<decltype(record.sh_flags)>(sections_[i].sh_flags);
      record.sh_addr = static_cast<decltype(record.sh_addr)>(sections_[i].sh_addr);
      record.sh_offset = static_cast<decltype(record.sh_offset)>(sections_[i].sh_offset);
      record.sh_size = static_cast<decltype(record.sh_size)>(sections_[i].sh_size);
      std::memcpy(at, &record, sizeof record);
    }
  }

  const ElfFile& file_;
  std::vector<Elf64_Shdr> sections_;  ///< With the new addresses and offsets
  Buffer image_;
  Header header_;        ///< The original: relocations of a damaged file may overwrite the header
  std::size_t end_ = 0;  ///< Bytes of the image in use
  std::size_t symbols_ = 0;            ///< Index of the .symtab section
  std::vector<std::uint64_t> values_;  ///< New value of each symbol
  std::uint64_t relocated_ = 0;        ///< Bytes of relocation sections so far
};

}  // namespace

Result<ElfFile> LinkObject(ElfFile file) {
  if (file.type() != ET_REL) return file;
  return file.is_64() ? Linker<Class64>(file).Run() : Linker<Class32>(file).Run();
}

std::optional<std::uint64_t> LinkedAddress(const ElfFile& linked, std::uint64_t offset,
                                           std::string_view section) {
  const auto sections = linked.sections();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!IsCode(sections[i]) || offset >= sections[i].sh_size) continue;
    if (section.empty() || linked.SectionName(i) == section) return sections[i].sh_addr + offset;
  }
  return std::nullopt;
}

}  // namespace csink::symbolizer
