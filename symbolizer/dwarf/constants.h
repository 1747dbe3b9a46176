#pragma once

#include <cstdint>

/// File: the DWARF constants that the readers of DIEs and of line tables use. Values: DWARF 5,
/// chapter 7 (7.5 tags, attributes and forms, 7.12 languages, 7.25 range lists, 7.3.5 package
/// index). GNU extensions as in binutils' dwarf2.def. Constants that no reader compares are left
/// out; an unknown tag or attribute is stepped over by its form.

namespace csink::symbolizer::dwarf {

/// Tags of DIEs (DW_TAG_*): units, functions, scopes that are part of names, and types and call
/// sites whose children cannot contain code.
enum Tag : std::uint16_t {
  kTagArrayType = 0x01,
  kTagClassType = 0x02,
  kTagEnumerationType = 0x04,
  kTagCompileUnit = 0x11,
  kTagStructureType = 0x13,
  kTagSubroutineType = 0x15,
  kTagUnionType = 0x17,
  kTagInlinedSubroutine = 0x1d,
  kTagModule = 0x1e,
  /// A function, with code or without: a definition, a declaration, or the abstract instance to
  /// which inlined copies refer (3.3.1, 3.3.8).
  kTagSubprogram = 0x2e,
  kTagInterfaceType = 0x38,
  kTagNamespace = 0x39,
  /// Units that others import, as dwz writes them. They are not searched for code.
  kTagPartialUnit = 0x3c,
  kTagTypeUnit = 0x41,
  kTagCallSite = 0x48,
  kTagSkeletonUnit = 0x4a,
  /// DW_TAG_call_site before DWARF 5.
  kTagGnuCallSite = 0x4109,
};

/// Attributes (DW_AT_*): bounds of code, names and references to names, places of calls, and of
/// unit DIEs what all other DIEs of the unit need.
enum Attribute : std::uint16_t {
  /// The next DIE of the same parent: steps over all children at once (2.3).
  kAtSibling = 0x01,
  kAtName = 0x03,
  kAtStmtList = 0x10,
  kAtLowPc = 0x11,
  kAtHighPc = 0x12,
  kAtLanguage = 0x13,
  kAtCompDir = 0x1b,
  /// The abstract instance of an inlined or concrete function (3.3.8), and the declaration of a
  /// function that is defined elsewhere (2.13.2): the DIEs that have the names.
  kAtAbstractOrigin = 0x31,
  kAtDeclaration = 0x3c,
  kAtSpecification = 0x47,
  kAtRanges = 0x55,
  kAtCallFile = 0x58,
  kAtCallLine = 0x59,
  kAtLinkageName = 0x6e,
  /// Only in unit DIEs: where the unit's own part of .debug_str_offsets, .debug_addr and
  /// .debug_rnglists begins, and the name of the .dwo file.
  kAtStrOffsetsBase = 0x72,
  kAtAddrBase = 0x73,
  kAtRnglistsBase = 0x74,
  kAtDwoName = 0x76,
  /// DW_AT_MIPS_linkage_name, which compilers write before DWARF 4.
  kAtMipsLinkageName = 0x2007,
  /// Split DWARF before DWARF 5 (gcc -gsplit-dwarf -gdwarf-4): name and id of the split unit, and
  /// the bases of its range lists and addresses.
  kAtGnuDwoName = 0x2130,
  kAtGnuDwoId = 0x2131,
  kAtGnuRangesBase = 0x2132,
  kAtGnuAddrBase = 0x2133,
};

/// Languages (DW_LANG_*) for which names are put together in another way: Ada's contain their
/// package (names.cpp).
enum Language : std::uint16_t {
  kLanguageAda83 = 0x03,
  kLanguageAda95 = 0x0d,
  kLanguageAda2005 = 0x2e,
  kLanguageAda2012 = 0x2f,
};

/// Forms (DW_FORM_*): how the value of an attribute is encoded. All forms of DWARF 2 to 5 are
/// known, because a form of unknown length makes the rest of its DIE, and of the unit, unreadable.
enum Form : std::uint16_t {
  kFormAddr = 0x01,
  /// Blocks and expressions begin with their length; their contents are skipped.
  kFormBlock2 = 0x03,
  kFormBlock4 = 0x04,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormString = 0x08,
  kFormBlock = 0x09,
  kFormBlock1 = 0x0a,
  kFormData1 = 0x0b,
  kFormFlag = 0x0c,
  kFormSdata = 0x0d,
  kFormStrp = 0x0e,
  kFormUdata = 0x0f,
  /// References. kFormRefAddr counts from the start of .debug_info and may lead to another unit;
  /// kFormRef1 to kFormRefUdata count from the start of the unit.
  kFormRefAddr = 0x10,
  kFormRef1 = 0x11,
  kFormRef2 = 0x12,
  kFormRef4 = 0x13,
  kFormRef8 = 0x14,
  kFormRefUdata = 0x15,
  kFormIndirect = 0x16,
  kFormSecOffset = 0x17,
  kFormExprloc = 0x18,
  kFormFlagPresent = 0x19,
  /// Indices into .debug_str_offsets and .debug_addr (DWARF 5, 7.26 and 7.27).
  kFormStrx = 0x1a,
  kFormAddrx = 0x1b,
  /// A reference and a string in the supplementary file (7.3.6).
  kFormRefSup4 = 0x1c,
  kFormStrpSup = 0x1d,
  kFormData16 = 0x1e,
  kFormLineStrp = 0x1f,
  /// The signature of a type unit. Such references are not followed.
  kFormRefSig8 = 0x20,
  kFormImplicitConst = 0x21,
  kFormLoclistx = 0x22,
  kFormRnglistx = 0x23,
  kFormRefSup8 = 0x24,
  kFormStrx1 = 0x25,
  kFormStrx2 = 0x26,
  kFormStrx3 = 0x27,
  kFormStrx4 = 0x28,
  kFormAddrx1 = 0x29,
  kFormAddrx2 = 0x2a,
  kFormAddrx3 = 0x2b,
  kFormAddrx4 = 0x2c,
  /// Split DWARF before DWARF 5: indices like kFormAddrx and kFormStrx.
  kFormGnuAddrIndex = 0x1f01,
  kFormGnuStrIndex = 0x1f02,
  /// References and strings in the file that dwz wrote, before DWARF 5.
  kFormGnuRefAlt = 0x1f20,
  kFormGnuStrpAlt = 0x1f21,
};

/// Types of units (DW_UT_*), in headers of DWARF 5; older headers have none.
enum UnitType : std::uint8_t {
  kUnitCompile = 1,
  kUnitType = 2,
  kUnitPartial = 3,
  kUnitSkeleton = 4,
  kUnitSplitCompile = 5,
  kUnitSplitType = 6,
};

/// Entries of range lists in .debug_rnglists (DW_RLE_*).
enum RangeEntry : std::uint8_t {
  kRangeEnd = 0,
  kRangeBaseAddressx = 1,
  kRangeStartxEndx = 2,
  kRangeStartxLength = 3,
  kRangeOffsetPair = 4,
  kRangeBaseAddress = 5,
  kRangeStartEnd = 6,
  kRangeStartLength = 7,
};

}  // namespace csink::symbolizer::dwarf

namespace csink::symbolizer {

/// Where the line table of a unit begins in .debug_line, when the unit has none: no offset of a
/// section is so large. In this file because dwarf/ and lines/ both use it.
inline constexpr std::uint64_t kNoLines = ~std::uint64_t{0};

}  // namespace csink::symbolizer
