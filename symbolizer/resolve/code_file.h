#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "symbolizer/elf/file.h"
#include "symbolizer/lines/header.h"
#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

namespace csink::symbolizer {

/// The code of one function.
struct FunctionCode {
  std::uint64_t start = 0;  ///< In the file's own addresses
  std::uint64_t end = 0;    ///< Behind the last byte; == start: nobody says where it ends
  Buffer bytes;             ///< [start, end), or its first kMostCodeBytes; empty with a problem
  std::string problem;      ///< Why there are no bytes, or not all; for people
};
/// Of a longer function only so much is read.
inline constexpr std::uint64_t kMostCodeBytes = 64u << 20;

/// The file of a module as it was mapped, for looking into single functions: their bounds, their
/// bytes and the sources that the compiler read.
/// Owns:    its files. Movable, not copyable.
/// Threads: const functions from any thread.
class CodeFile {
 public:
  /// Never fails: without the file that was mapped (the build id decides) there is a problem.
  static CodeFile Open(const ModuleRequest& request, const Options& options);

  /// Why there is no file; empty: there is one.
  const std::string& problem() const { return problem_; }
  std::uint16_t machine() const { return file_ ? file_->machine() : std::uint16_t{0}; }
  /// Last change of the file, seconds since 1970; 0: not known.
  std::int64_t changed() const { return changed_; }

  /// The function that Location::function_vaddr names: the symbol that starts there says its size,
  /// else the unwind entry, else the next symbol.
  FunctionCode Function(std::uint64_t start) const;

  /// Where the byte at an address of the file's own lies in the file; nothing: in no executable
  /// segment.
  std::optional<std::uint64_t> OffsetOf(std::uint64_t vaddr) const;

  /// What the line table says of the bytes of a source, by the path that Location::file gives.
  SourceFacts FactsOf(const std::string& source) const;

 private:
  std::uint64_t EndOf(std::uint64_t start) const;

  std::string problem_;
  std::int64_t changed_ = 0;
  std::optional<ElfFile> file_;
  std::optional<ElfFile> debug_;  ///< Symbols and lines that the file itself lacks
};

}  // namespace csink::symbolizer
