#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/lines/header.h"
#include "symbolizer/names/lines/producers.h"
#include "symbolizer/names/query/answer.h"
#include "symbolizer/names/query/request.h"

namespace csink::symbolizer {

/// The code of one function, for annotations.
struct FunctionCode {
  std::uint64_t start = 0;  ///< In the file's own address space
  std::uint64_t end = 0;    ///< Behind the last byte; == start: the end is not known
  Buffer bytes;             ///< [start, end), or its first kMostCodeBytes; empty with a problem
  std::string problem;      ///< Why `bytes` is empty or cut; text for the user
};
/// Of a longer function only this many bytes (64 MiB) are read: the bounds come from the file and
/// are not trusted.
inline constexpr std::uint64_t kMostCodeBytes = 64u << 20;

/// The file of a module as it was mapped. Answers questions about single functions: their bounds,
/// their code bytes, and what the line table says about their source files.
/// Owns:    its files. Movable, not copyable.
/// Threads: const functions from any thread.
class CodeFile {
 public:
  /// Opens the file that was mapped, and its debug file where the file lacks symbols or lines.
  /// Never fails. If the file that was mapped cannot be found (the build id decides), `problem()`
  /// is not empty.
  static CodeFile Open(const ModuleRequest& request, const Options& options);

  /// Why there is no file, as text for the user. Empty if there is one.
  const std::string& problem() const { return problem_; }
  /// e_machine, which chooses the disassembler; 0: there is no file.
  std::uint16_t machine() const { return file_ ? file_->machine() : std::uint16_t{0}; }
  /// Modification time of the file at the module's path, seconds since 1970; 0: unknown. A source
  /// file that is newer may differ from what was compiled.
  std::int64_t changed() const { return changed_; }

  /// The function that starts at `start` (Location::function_vaddr). Its end is taken from the size
  /// of its symbol, else it is a PLT stub's (16 bytes), else from its unwind entry. Without any of
  /// them the result has a problem and no bytes.
  FunctionCode Function(std::uint64_t start) const;

  /// The file offset of the byte at `vaddr` (the file's own address space). nullopt: no executable
  /// segment contains the address.
  std::optional<std::uint64_t> OffsetOf(std::uint64_t vaddr) const;

  /// What the line table says about the contents of a source file (MD5, size, time); empty:
  /// nothing. `source` is a path as Location::file has it. Reads the headers of all units, so that
  /// a call may take long.
  SourceFacts FactsOf(const std::string& source) const;

  /// The compilations of the file (ProducersOf). Reads the roots of all units.
  std::vector<Producer> Producers() const;

 private:
  /// The end of the function; `start` itself if nothing tells it.
  std::uint64_t EndOf(std::uint64_t start) const;

  std::string problem_;
  std::int64_t changed_ = 0;
  std::optional<ElfFile> file_;
  std::optional<ElfFile> debug_;  ///< Symbols and lines that the file itself lacks
};

}  // namespace csink::symbolizer
