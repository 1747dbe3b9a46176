#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/names/bytes/bytes.h"

namespace csink::symbolizer {

/// Begins an extended operation: a length and a DW_LNE_* opcode follow (DWARF 5, 6.2.3).
inline constexpr std::uint8_t kExtendedOpcode = 0;

struct LineSections;

/// The header of one unit of .debug_line (DWARF 5, 6.2.4). Parses what the line program needs; the
/// directory and file tables stay bytes, which LineFiles reads only if an address was found in the
/// unit.
/// Owns:    nothing: `tables` and `program` point into the bytes that were read.
struct LineHeader {
  /// 2 to 5. The members have the names and meanings of the standard's fields.
  std::uint16_t version = 0;
  bool is_64bit = false;
  /// minimum_instruction_length: the unit of address advances, in bytes; 1 on x86.
  std::uint8_t min_instruction_bytes = 1;
  /// maximum_operations_per_instruction: above 1 on VLIW machines only. Since DWARF 4.
  std::uint8_t max_operations = 1;
  /// A special opcode (opcode_base to 255) advances the line by line_base to line_base + line_range
  /// - 1, and the address by the rest (6.2.5.1). line_range is not 0.
  std::int8_t line_base = 0;
  std::uint8_t line_range = 0;
  /// The first special opcode; not 0.
  std::uint8_t opcode_base = 0;
  /// Number of LEB128 operands of each standard opcode, to step over unknown ones. Index: the
  /// opcode.
  std::array<std::uint8_t, 256> operand_count{};
  Bytes tables;   ///< Directories and files
  Bytes program;  ///< The opcodes

  /// Reads the header of the unit at the reader's position and moves the reader behind the unit.
  /// Returns false if the unit is damaged or of an unknown version; the reader then stands at the
  /// next unit or at the end.
  bool Read(ByteReader& section);

  /// Reads a header without its program: `front` holds the number of bytes that FrontBytes returns.
  /// For callers that want names of files alone (the files of calls, inlines/worker.cpp).
  bool ReadFront(ByteReader& front);
  /// Bytes at the start of a unit that FrontBytes needs: up to header_length in the 64-bit format
  /// of DWARF 5 (12 + 2 + 2 + 8).
  static constexpr std::uint64_t kLengthBytes = 24;
  /// The size in bytes of the header of the unit that begins with `bytes`, its length field
  /// included; 0: not a valid unit, or a header of 64 MiB and more.
  static std::uint64_t FrontBytes(Bytes bytes);

 private:
  /// Reads what follows the unit's length field.
  bool ReadBody(ByteReader& unit);
};

/// MD5 of a source file as the compiler read it (DWARF 5, 6.2.4.1, DW_LNCT_MD5).
using SourceDigest = std::array<std::uint8_t, 16>;

/// What a line table says about the contents of a source file. Most compilers write none of this;
/// clang writes MD5 with DWARF 5.
struct SourceFacts {
  std::optional<SourceDigest> digest;  ///< DWARF 5 only
  std::uint64_t changed = 0;           ///< Modification time, seconds since 1970; 0: unknown
  std::uint64_t size = 0;              ///< In bytes; 0: unknown

  /// Whether a source file can be compared with the one that was compiled.
  bool IsAny() const { return digest || changed != 0 || size != 0; }
};

/// A file entry in the encoding of DWARF 2 to 4, in the file table and in DW_LNE_define_file; also
/// the memory for an entry of DWARF 5. `name` points into the line table or a string section.
struct LineFileEntry {
  std::string_view name;
  /// Index of the directory; 0 is the folder of the compilation.
  std::uint64_t directory = 0;
  SourceFacts facts;
  /// Name and numbers, one after the other.
  void Read(ByteReader& reader);
  void ReadNumbers(ByteReader& reader);  ///< The fields behind the name
};

/// The directories and files of one unit. Indices are those of the unit's version: files start at 1
/// before DWARF 5, at 0 since. Both tables are read by the constructor; damaged tables end at the
/// damage.
/// Owns:    the entries; their texts stay in the sections.
/// Threads: const functions from any thread.
class LineFiles {
 public:
  /// `defined` are the files that the program itself defined (DW_LNE_define_file); they follow
  /// those of the table. `folder` is the folder of the compilation, for relative paths before DWARF
  /// 5; empty: unknown. Everything that is passed must outlive this object.
  LineFiles(const LineHeader& header, const LineSections& sections,
            std::span<const LineFileEntry> defined, std::string_view folder = {});
  /// The path of a file, joined with its directory and the folder of the compilation as far as they
  /// are known; empty if the index is out of range, the name is missing, or the path is longer than
  /// kMaxTextBytes.
  std::string Path(std::uint64_t index) const;
  /// Number of indices; index 0 is no file before DWARF 5. `index` of Facts is below it.
  std::size_t count() const { return files_.size(); }
  const SourceFacts& Facts(std::size_t index) const { return files_[index].facts; }

 private:
  /// The tables of DWARF 2 to 4, and of DWARF 5.
  void Read2(ByteReader& reader, std::string_view folder);
  void Read5(ByteReader& reader, bool is_64bit, const LineSections& sections);
  std::string_view Directory(std::uint64_t index) const {
    return index < directories_.size() ? directories_[static_cast<std::size_t>(index)]
                                       : std::string_view();
  }
  std::vector<std::string_view> directories_;  ///< [0]: the compilation's, empty if unknown
  std::vector<LineFileEntry> files_;
};

/// Joins `directory` and `name`. An absolute `name` is returned as it is; "./" at its front and the
/// directory "." are dropped. "../" is kept: it cannot be resolved without the file system.
std::string JoinPath(std::string_view directory, std::string_view name);

}  // namespace csink::symbolizer
