#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/bytes/bytes.h"

namespace csink::symbolizer {

struct LineSections;

/// The header of one unit of .debug_line: what the line program needs at once, and
/// the file tables as bytes, read only when a PC was found in the unit.
struct LineHeader {
  std::uint16_t version = 0;
  bool is_64bit = false;
  std::uint8_t min_instruction_bytes = 1;
  std::uint8_t max_operations = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 0;
  std::uint8_t opcode_base = 0;
  std::array<std::uint8_t, 256> operand_count{};
  Bytes tables;   ///< Directories and files
  Bytes program;  ///< The opcodes

  /// Reads the header of the unit at the reader's place and moves the reader
  /// behind the unit. False: the unit is damaged or of an unknown version;
  /// the reader stands at the next unit or at the end.
  bool Read(ByteReader& section);

  /// Reads a header whose program is not there: `front` is so much of the unit as FrontBytes says.
  bool ReadFront(ByteReader& front);
  /// Bytes at the start of a unit that FrontBytes needs.
  static constexpr std::uint64_t kLengthBytes = 24;
  /// The length of the header of the unit that begins with `bytes`; 0 for none.
  static std::uint64_t FrontBytes(Bytes bytes);

 private:
  bool ReadBody(ByteReader& unit);
};

/// MD5 of a source file as the compiler read it (DWARF 5, DW_LNCT_MD5).
using SourceDigest = std::array<std::uint8_t, 16>;

/// What a line table says of the bytes of a source file. Most compilers leave all of it out.
struct SourceFacts {
  std::optional<SourceDigest> digest;  ///< DWARF 5 alone has it
  std::uint64_t changed = 0;           ///< Last change, seconds since 1970; 0: not known
  std::uint64_t size = 0;              ///< In bytes; 0: not known

  bool IsAny() const { return digest || changed != 0 || size != 0; }
};

/// A file entry as DWARF 2-4 writes it, in the table and in DW_LNE_define_file.
struct LineFileEntry {
  std::string_view name;
  std::uint64_t directory = 0;
  SourceFacts facts;
  void Read(ByteReader& reader);
  void ReadNumbers(ByteReader& reader);  ///< What follows the name
};

/// The directories and files of one unit, numbered as its version numbers them.
class LineFiles {
 public:
  /// `defined` are files that the program named itself, behind those of the table. `folder` is the
  /// compilation's, for relative paths before DWARF 5; empty: unknown. All outlive this.
  LineFiles(const LineHeader& header, const LineSections& sections,
            std::span<const LineFileEntry> defined, std::string_view folder = {});
  /// The path of a file; empty when there is no such file.
  std::string Path(std::uint64_t index) const;
  std::size_t count() const { return files_.size(); }
  const SourceFacts& Facts(std::size_t index) const { return files_[index].facts; }

 private:
  void Read2(ByteReader& reader, std::string_view folder);
  void Read5(ByteReader& reader, bool is_64bit, const LineSections& sections);
  std::string_view Directory(std::uint64_t index) const {
    return index < directories_.size() ? directories_[static_cast<std::size_t>(index)]
                                       : std::string_view();
  }
  std::vector<std::string_view> directories_;  ///< [0]: the compilation's, empty if unknown
  std::vector<LineFileEntry> files_;
};

/// `name` below `directory`, unless it is absolute; "./" at its front and the directory "." are
/// dropped.
std::string JoinPath(std::string_view directory, std::string_view name);

}  // namespace csink::symbolizer
