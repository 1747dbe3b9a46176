#include "symbolizer/dwarf/form.h"

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
    case kFormString:
      value.text = reader.Text();
      return true;
    case kFormUdata:
    case kFormRefUdata:
    case kFormStrx:
    case kFormAddrx:
    case kFormLoclistx:
    case kFormRnglistx:
    case kFormGnuAddrIndex:
    case kFormGnuStrIndex:
      value.number = reader.Uleb();
      return true;
    case kFormSdata:
      value.number = static_cast<std::uint64_t>(reader.Sleb());
      return true;
    case kFormBlock1:
      reader.Skip(reader.U8());
      return true;
    case kFormBlock2:
      reader.Skip(reader.U16());
      return true;
    case kFormBlock4:
      reader.Skip(reader.U32());
      return true;
    case kFormBlock:
    case kFormExprloc:
      reader.Skip(reader.Uleb());
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::uint32_t> FixedSize(std::uint16_t form, const Encoding& encoding) {
  switch (form) {
    case kFormFlagPresent:
    case kFormImplicitConst:
      return 0;
    case kFormData1:
    case kFormFlag:
    case kFormRef1:
    case kFormStrx1:
    case kFormAddrx1:
      return 1;
    case kFormData2:
    case kFormRef2:
    case kFormStrx2:
    case kFormAddrx2:
      return 2;
    case kFormStrx3:
    case kFormAddrx3:
      return 3;
    case kFormData4:
    case kFormRef4:
    case kFormRefSup4:
    case kFormStrx4:
    case kFormAddrx4:
      return 4;
    case kFormData8:
    case kFormRef8:
    case kFormRefSig8:
    case kFormRefSup8:
      return 8;
    case kFormData16:
      return 16;
    case kFormAddr:
      return encoding.address_bytes;
    case kFormRefAddr:
      // DWARF 2 gave DW_FORM_ref_addr the size of an address; DWARF 3 made it an offset.
      return encoding.version <= 2 ? encoding.address_bytes : encoding.offset_bytes;
    case kFormStrp:
    case kFormSecOffset:
    case kFormStrpSup:
    case kFormLineStrp:
    case kFormGnuRefAlt:
    case kFormGnuStrpAlt:
      return encoding.offset_bytes;
    default:
      return std::nullopt;
  }
}

Value ReadValue(ByteReader& reader, std::uint16_t form, std::int64_t implicit,
                const Encoding& encoding) {
  for (int i = 0; form == kFormIndirect && i < kMaxIndirections; ++i) {
    form = static_cast<std::uint16_t>(reader.Uleb());
    // Not valid: the constant is in the abbreviation, which does not have it because it only says
    // DW_FORM_indirect.
    if (form == kFormImplicitConst) reader.Fail();
  }
  Value value;
  value.form = form;
  if (form == kFormImplicitConst) {
    value.number = static_cast<std::uint64_t>(implicit);
  } else if (const auto size = FixedSize(form, encoding)) {
    value.number = ReadFixed(reader, *size);
  } else if (!ReadVarying(reader, value)) {
    reader.Fail();
  }
  return value;
}

}  // namespace csink::symbolizer::dwarf
