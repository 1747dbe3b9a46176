#include "symbolizer/names/dwarf/unit.h"

#include <dwarf.h>

/// File: reads unit headers and root DIEs. Both are read for every unit of a file, while most units
/// have no sampled address. So the root's abbreviation is found by a scan, and no table is built.

namespace csink::symbolizer::dwarf {

DwarfObject::DwarfObject(std::shared_ptr<const ElfFile> elf, const std::string& suffix)
    : file(std::move(elf)),
      info(*file, "info" + suffix),
      abbrev(*file, "abbrev" + suffix),
      str(*file, "str" + suffix),
      line_str(*file, "line_str" + suffix),
      str_offsets(*file, "str_offsets" + suffix),
      // .debug_addr and .debug_ranges have no variant for split units, which use those of the file
      // with the skeleton units.
      addr(*file, "addr"),
      ranges(*file, "ranges"),
      rnglists(*file, "rnglists" + suffix),
      line(*file, "line" + suffix) {}

DwarfObject::DwarfObject(const SectionBytes& bytes)
    : info(bytes.info),
      abbrev(bytes.abbrev),
      str(bytes.str),
      line_str(bytes.line_str),
      str_offsets(bytes.str_offsets),
      addr(bytes.addr),
      ranges(bytes.ranges),
      rnglists(bytes.rnglists),
      line(bytes.line) {}

std::optional<Unit> ReadUnitHeader(Bytes bytes, std::uint64_t offset, std::uint64_t left) {
  ByteReader reader(bytes);
  Unit unit;
  unit.offset = offset;
  std::uint64_t length = reader.U32();
  if (length == 0xffffffff) {
    unit.encoding.offset_bytes = 8;
    length = reader.U64();
  } else if (length >= 0xfffffff0) {
    return std::nullopt;  // Reserved by DWARF 5, 7.4
  }
  const std::uint64_t length_bytes = reader.offset();
  if (!reader.ok() || length > left - length_bytes) return std::nullopt;
  unit.size = length + length_bytes;
  const std::size_t offset_bytes = unit.encoding.offset_bytes;
  // The order of the fields behind the version changed with DWARF 5 (7.5.1).
  unit.encoding.version = reader.U16();
  if (unit.encoding.version >= 5) {
    unit.type = reader.U8();
    unit.encoding.address_bytes = reader.U8();
    unit.abbreviations = reader.Unsigned(offset_bytes);
    if (unit.type == DW_UT_skeleton || unit.type == DW_UT_split_compile) unit.id = reader.U64();
    if (unit.type == DW_UT_type || unit.type == DW_UT_split_type) {
      reader.Skip(8 + offset_bytes);  // type_signature and type_offset
    }
  } else {
    unit.abbreviations = reader.Unsigned(offset_bytes);
    unit.encoding.address_bytes = reader.U8();
  }
  unit.header_bytes = reader.offset();
  const bool is_known = unit.encoding.version >= 2 && unit.encoding.version <= 5 &&
                        (unit.encoding.address_bytes == 8 || unit.encoding.address_bytes == 4);
  if (!is_known || !reader.ok() || unit.header_bytes > unit.size) unit.encoding.version = 0;
  return unit;
}

namespace {

/// Reads one attribute specification. False: the list ends.
bool ReadAttribute(ByteReader& table, AttributeSpec& attribute) {
  attribute.name = static_cast<std::uint16_t>(table.Uleb());
  attribute.form = static_cast<std::uint16_t>(table.Uleb());
  if (attribute.form == DW_FORM_implicit_const) attribute.implicit = table.Sleb();
  return table.ok() && (attribute.name != 0 || attribute.form != 0);
}

/// Finds one abbreviation without building a table: for the root DIE, the other abbreviations are
/// not needed. GCC sorts abbreviations by use, so the root's is often far behind. Returns false if
/// the table does not have the code or ends before.
bool FindAbbreviation(ByteReader& table, std::uint64_t wanted, std::uint16_t& tag,
                      std::vector<AttributeSpec>& attributes) {
  while (!table.AtEnd()) {
    const std::uint64_t code = table.Uleb();
    if (code == 0) return false;
    tag = static_cast<std::uint16_t>(table.Uleb());
    table.U8();
    AttributeSpec attribute;
    while (ReadAttribute(table, attribute)) {
      if (code == wanted) attributes.push_back(attribute);
      attribute.implicit = 0;
    }
    if (code == wanted) return table.ok();
  }
  return false;
}

/// Keeps one attribute of the root DIE.
void Keep(Unit& unit, std::uint16_t name, const Value& value) {
  switch (name) {
    case DW_AT_low_pc:
      unit.low_pc = value;
      break;
    case DW_AT_high_pc:
      unit.high_pc = value;
      break;
    case DW_AT_ranges:
      unit.ranges = value;
      break;
    case DW_AT_stmt_list:
      unit.stmt_list = value;
      break;
    case DW_AT_comp_dir:
      unit.folder = value;
      break;
    case DW_AT_name:
      unit.name = value;
      break;
    case DW_AT_producer:
      unit.producer = value;
      break;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
      unit.dwo_name = value;
      break;
    // DWARF 5 has the id in the header.
    case DW_AT_GNU_dwo_id:
      unit.id = value.number;
      break;
    case DW_AT_language:
      unit.language = value.number;
      break;
    case DW_AT_str_offsets_base:
      unit.str_offsets_base = value.number;
      break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
      unit.addr_base = value.number;
      break;
    case DW_AT_rnglists_base:
      unit.rnglists_base = value.number;
      break;
    case DW_AT_GNU_ranges_base:
      unit.split_ranges_base = value.number;
      break;
    default:
      break;
  }
}

}  // namespace

bool ReadRoot(Unit& unit, Bytes die, Bytes abbreviations, std::uint64_t& cost) {
  ByteReader reader(die);
  const std::uint64_t code = reader.Uleb();
  if (code == 0) return false;
  // `table.offset()` is the cost even if the code is not found.
  ByteReader table(Part(abbreviations, unit.abbreviations, abbreviations.size()));
  std::vector<AttributeSpec> attributes;
  const bool found = FindAbbreviation(table, code, unit.root_tag, attributes);
  cost += table.offset();
  if (!found) return false;
  for (const AttributeSpec& attribute : attributes) {
    const Value value = ReadValue(reader, attribute.form, attribute.implicit, unit.encoding);
    if (!reader.ok()) return false;
    Keep(unit, attribute.name, value);
  }
  return true;
}

}  // namespace csink::symbolizer::dwarf
