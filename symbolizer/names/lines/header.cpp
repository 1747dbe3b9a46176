#include "symbolizer/names/lines/header.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "symbolizer/names/dwarf/constants.h"
#include "symbolizer/names/lines/table.h"

/// File: headers are parsed in two steps. LineHeader reads the fixed fields, which every unit
/// needs, and finds program and tables by header_length. LineFiles reads the tables of the few
/// units that have a row. DWARF 5 describes the fields of its entries in the table itself, so that
/// unknown contents can be stepped over as long as their form is known.

namespace csink::symbolizer {
namespace {

using namespace dwarf;  // the forms

// Content type codes DW_LNCT_* (DWARF 5, 7.22).
constexpr std::uint64_t kContentPath = 1;
constexpr std::uint64_t kContentDirectory = 2;
constexpr std::uint64_t kContentChanged = 3;
constexpr std::uint64_t kContentSize = 4;
constexpr std::uint64_t kContentMd5 = 5;

/// One field of a DWARF 5 entry: text or a number, depending on its form.
struct Field {
  std::string_view text;
  std::uint64_t number = 0;
  Bytes data;  ///< Only for DW_FORM_data16
};

/// False for a form that a line table cannot have: its length is unknown, so that nothing behind it
/// can be read.
bool ReadField(ByteReader& reader, std::uint64_t form, bool is_64bit, const LineSections& sections,
               Field& field) {
  const std::size_t offset_bytes = is_64bit ? 8 : 4;
  switch (form) {
    case DW_FORM_string:
      field.text = reader.Text();
      break;
    case DW_FORM_line_strp:
      field.text = TextAt(sections.text, reader.Unsigned(offset_bytes));
      break;
    case DW_FORM_strp:
      field.text = TextAt(sections.strings, reader.Unsigned(offset_bytes));
      break;
    case DW_FORM_udata:
      field.number = reader.Uleb();
      break;
    case DW_FORM_data1:
      field.number = reader.U8();
      break;
    case DW_FORM_data2:
      field.number = reader.U16();
      break;
    case DW_FORM_data4:
      field.number = reader.U32();
      break;
    case DW_FORM_data8:
      field.number = reader.U64();
      break;
    case DW_FORM_data16:
      field.data = reader.Take(16);
      break;
    case DW_FORM_block1:
      reader.Skip(reader.U8());
      break;
    case DW_FORM_block2:
      reader.Skip(reader.U16());
      break;
    case DW_FORM_block4:
      reader.Skip(reader.U32());
      break;
    case DW_FORM_block:
      reader.Skip(reader.Uleb());
      break;
    default:
      return false;
  }
  return reader.ok();
}

/// Pairs of content type and form, for each field of an entry.
using Format = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Reads the format of the entries of a table.
Format ReadFormat(ByteReader& reader) {
  Format format(reader.U8());
  for (auto& [content, form] : format) {
    content = reader.Uleb();
    form = reader.Uleb();
  }
  return format;
}

/// Reads a DWARF 5 table of directories or files (6.2.4, items 11 to 18). False: the table is
/// damaged; entries before the damage are kept. Every form has at least one byte, so that a wrong
/// count ends at the end of the bytes.
bool ReadEntries5(ByteReader& reader, bool is_64bit, const LineSections& sections,
                  std::vector<LineFileEntry>& entries) {
  const Format format = ReadFormat(reader);
  const std::uint64_t count = reader.Uleb();
  // Entries without fields have no bytes: a huge count would be a loop without end.
  if (format.empty()) return reader.ok() && count == 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    LineFileEntry entry;
    // Unknown content types (LLVM's source text, for example) are read and dropped.
    for (const auto& [content, form] : format) {
      Field field;
      if (!ReadField(reader, form, is_64bit, sections, field)) return false;
      if (content == kContentPath) entry.name = field.text;
      if (content == kContentDirectory) entry.directory = field.number;
      if (content == kContentChanged) entry.facts.changed = field.number;
      if (content == kContentSize) entry.facts.size = field.number;
      if (content == kContentMd5 && field.data.size() == 16) {
        std::copy(field.data.begin(), field.data.end(), entry.facts.digest.emplace().begin());
      }
    }
    entries.push_back(entry);
  }
  return reader.ok();
}

}  // namespace

void LineFileEntry::Read(ByteReader& reader) {
  name = reader.Text();
  ReadNumbers(reader);
}

void LineFileEntry::ReadNumbers(ByteReader& reader) {
  directory = reader.Uleb();
  // 0 in both numbers: the compiler did not write them, which is usual.
  facts.changed = reader.Uleb();
  facts.size = reader.Uleb();
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  // ".": written by compilers that were told to leave out the folder (-fdebug-prefix-map).
  if (directory.empty() || directory == "." || name.starts_with('/')) return std::string(name);
  std::string path(directory);
  if (path.back() != '/') path += '/';
  path += name;
  return path;
}

bool LineHeader::Read(ByteReader& section) {
  std::uint64_t length = section.U32();
  is_64bit = length == 0xffffffff;
  if (is_64bit) length = section.U64();
  // A reader of this unit alone: a damaged header cannot lead into the next unit.
  ByteReader unit(section.Take(length));
  return ReadBody(unit);
}

bool LineHeader::ReadFront(ByteReader& front) {
  is_64bit = front.U32() == 0xffffffff;
  if (is_64bit) front.U64();
  return ReadBody(front);
}

std::uint64_t LineHeader::FrontBytes(Bytes bytes) {
  ByteReader front(bytes);
  const bool is_64bit = front.U32() == 0xffffffff;
  if (is_64bit) front.U64();
  // The version; then address size and segment selector size.
  if (front.U16() >= 5) front.U16();
  const std::uint64_t header_length = front.Unsigned(is_64bit ? 8 : 4);
  // Larger headers are not read; no unit has so many files.
  constexpr std::uint64_t kMaxHeaderBytes = 64 << 20;
  return front.ok() && header_length < kMaxHeaderBytes ? front.offset() + header_length : 0;
}

bool LineHeader::ReadBody(ByteReader& unit) {
  version = unit.U16();
  if (version < 2 || version > 5) return false;
  if (version >= 5) {
    unit.U8();  // address_size: unused, because DW_LNE_set_address has its own length
    if (unit.U8() != 0) return false;  // segment_selector_size
  }
  const std::uint64_t header_length = unit.Unsigned(is_64bit ? 8 : 4);
  const std::uint64_t left = unit.left();
  // The program begins where header_length says, and not behind the last known field, because a
  // header may have more fields.
  ByteReader head(unit.Take(header_length));
  program = unit.Take(unit.left());
  min_instruction_bytes = head.U8();
  max_operations = version >= 4 ? head.U8() : 1;
  head.U8();  // default_is_stmt
  line_base = static_cast<std::int8_t>(head.U8());
  line_range = head.U8();
  opcode_base = head.U8();
  operand_count.fill(0);
  for (unsigned i = 1; i < opcode_base; ++i) operand_count[i] = head.U8();
  tables = head.Take(head.left());
  // line_range is a divisor.
  return head.ok() && header_length <= left && line_range != 0 && opcode_base != 0;
}

LineFiles::LineFiles(const LineHeader& header, const LineSections& sections,
                     std::span<const LineFileEntry> defined, std::string_view folder) {
  ByteReader reader(header.tables);
  if (header.version >= 5) {
    Read5(reader, header.is_64bit, sections);
  } else {
    Read2(reader, folder);
  }
  files_.insert(files_.end(), defined.begin(), defined.end());
}

void LineFiles::Read2(ByteReader& reader, std::string_view folder) {
  // Before DWARF 5, directory 0 is the folder of the compilation, which only .debug_info has, and
  // files are numbered from 1.
  directories_.push_back(folder);
  files_.emplace_back();
  while (!reader.AtEnd()) {
    const std::string_view directory = reader.Text();
    if (directory.empty()) break;
    directories_.push_back(directory);
  }
  while (!reader.AtEnd()) {
    LineFileEntry file;
    file.name = reader.Text();
    if (file.name.empty()) break;
    file.ReadNumbers(reader);
    files_.push_back(file);
  }
}

void LineFiles::Read5(ByteReader& reader, bool is_64bit, const LineSections& sections) {
  std::vector<LineFileEntry> directories;
  // Files are behind the directories: after damage there, their begin is not known.
  const bool ok = ReadEntries5(reader, is_64bit, sections, directories);
  for (const LineFileEntry& directory : directories) directories_.push_back(directory.name);
  if (ok) ReadEntries5(reader, is_64bit, sections, files_);
}

std::string LineFiles::Path(std::uint64_t index) const {
  if (index >= files_.size()) return {};
  const LineFileEntry& file = files_[static_cast<std::size_t>(index)];
  if (file.name.empty()) return {};
  std::string path = JoinPath(Directory(file.directory), file.name);
  // Directories are relative to the folder of the compilation, which is directory 0.
  if (file.directory != 0) path = JoinPath(Directory(0), path);
  return path.size() <= kMaxTextBytes ? path : std::string();
}

}  // namespace csink::symbolizer
