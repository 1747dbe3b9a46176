#include "symbolizer/names/dwarf/form.h"

#include <dwarf.h>

/// File: two lists of forms, those of fixed and those of varying size. A form is in one of them
/// alone, so that ReadValue and the steps over unwanted fields (abbrev.cpp) cannot disagree about a
/// length.

namespace csink::symbolizer::dwarf {
namespace {

/// DW_FORM_indirect is followed by a form, which may be DW_FORM_indirect again. Without a limit, a
/// damaged file could have a chain as long as itself.
constexpr int kMaxIndirections = 4;

/// The 3-byte forms DW_FORM_strx3 and DW_FORM_addrx3.
std::uint64_t Three(ByteReader& reader) {
  const std::uint64_t low = reader.U16();
  return low | static_cast<std::uint64_t>(reader.U8()) << 16;
}

/// The value of a form with `size` bytes. A data16 is an MD5 or a constant that no reader wants.
std::uint64_t ReadFixed(ByteReader& reader, std::uint32_t size) {
  switch (size) {
    case 0:
      return 1;  // DW_FORM_flag_present
    case 3:
      return Three(reader);
    case 16:
      reader.Skip(16);
      return 0;
    default:
      return reader.Unsigned(size);
  }
}

/// Forms that begin with their length, or whose bytes tell the end. The contents of blocks are
/// never needed and are skipped.
bool ReadVarying(ByteReader& reader, Value& value) {
  switch (value.form) {
    case DW_FORM_string:
      value.text = reader.Text();
      return true;
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      value.number = reader.Uleb();
      return true;
    case DW_FORM_sdata:
      value.number = static_cast<std::uint64_t>(reader.Sleb());
      return true;
    case DW_FORM_block1:
      reader.Skip(reader.U8());
      return true;
    case DW_FORM_block2:
      reader.Skip(reader.U16());
      return true;
    case DW_FORM_block4:
      reader.Skip(reader.U32());
      return true;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      reader.Skip(reader.Uleb());
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::uint32_t> FixedSize(std::uint16_t form, const Encoding& encoding) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    case DW_FORM_addr:
      return encoding.address_bytes;
    case DW_FORM_ref_addr:
      // DWARF 2 gave DW_FORM_ref_addr the size of an address; DWARF 3 made it an offset.
      return encoding.version <= 2 ? encoding.address_bytes : encoding.offset_bytes;
    case DW_FORM_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_line_strp:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return encoding.offset_bytes;
    default:
      return std::nullopt;
  }
}

Value ReadValue(ByteReader& reader, std::uint16_t form, std::int64_t implicit,
                const Encoding& encoding) {
  for (int i = 0; form == DW_FORM_indirect && i < kMaxIndirections; ++i) {
    form = static_cast<std::uint16_t>(reader.Uleb());
    // Not valid: the constant is in the abbreviation, which does not have it because it only says
    // DW_FORM_indirect.
    if (form == DW_FORM_implicit_const) reader.Fail();
  }
  Value value;
  value.form = form;
  if (form == DW_FORM_implicit_const) {
    value.number = static_cast<std::uint64_t>(implicit);
  } else if (const auto size = FixedSize(form, encoding)) {
    value.number = ReadFixed(reader, *size);
  } else if (!ReadVarying(reader, value)) {
    reader.Fail();
  }
  return value;
}

}  // namespace csink::symbolizer::dwarf
