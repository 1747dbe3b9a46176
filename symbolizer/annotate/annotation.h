#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/annotate/disassembler.h"
#include "symbolizer/annotate/function_choice.h"
#include "symbolizer/annotate/source_search.h"
#include "symbolizer/report/tables/report.h"

/// File: the samples of one function on its lines and instructions, as data. Annotate reads the
/// files and computes; the writers (annotation_text.h, annotation_json.h) only format. Each sample
/// is in one source line or in `no_line`, and in one instruction or in `Code::outside`: both sums
/// equal the function's samples.

namespace csink::annotate {

using report::Cell;

/// One cell for each event. Shares are shares of the function. Empty: the row has no samples.
using Cells = std::vector<Cell>;

struct SourceLine {
  std::uint32_t number = 0;
  std::string text;         ///< As ShownLine returns it
  bool is_in_file = false;  ///< False: the file has no such line, or there is no file
  bool is_context = true;   ///< Shown in the listing of the source; false: only beside instructions
  Cells cells;
};

/// One file that contains lines of the function. Inlined functions add other files.
struct Source {
  std::string recorded;               ///< Path as in the line table
  std::string found;                  ///< Path that was read; empty: none was found
  std::string problem;                ///< Why no file was read; text for the user
  std::vector<std::string> warnings;  ///< Reasons why the file may not be what was compiled
  bool is_own = false;                ///< The file that contains the function itself
  std::vector<SourceLine> lines;      ///< By number; lines that are not shown are left out
  Cells cells;                        ///< Sums of the file
};

struct CodeLine {
  std::uint64_t vaddr = 0;
  std::size_t size = 0;
  std::string text;
  /// Number of the label "L1" for branches inside the function; 0: no branch leads here
  std::uint32_t label = 0;
  /// Label that this branch leads to; 0: no branch, or to another function
  std::uint32_t goes_to = 0;
  bool goes_up = false;  ///< The target is above
  std::string file;      ///< Path as in the line table; empty: unknown
  std::uint32_t line = 0;
  std::string inlined;  ///< Innermost function that was inlined here; empty: none
  Cells cells;
};

/// The instructions of the function.
struct Code {
  std::uint64_t start = 0;  ///< In the module's own address space
  std::uint64_t end = 0;
  std::string problem;           ///< Why instructions are missing; empty: none are
  std::vector<CodeLine> lines;   ///< The shown instructions, by address
  std::size_t instructions = 0;  ///< Number in the whole function, including data
  Cells outside;                 ///< Samples that are in none of `lines`
};

struct Annotation {
  std::string function;
  std::string module;
  std::string module_path;
  Cells of_program;             ///< The function's samples; shares are shares of the profile
  std::vector<Source> sources;  ///< The function's own file first, then by weight
  Cells no_line;                ///< Samples without a line
  std::string no_line_reason;   ///< If the module has no line information, why; else empty
  Code code;
};

struct Settings {
  Syntax syntax = Syntax::kAtt;
  std::vector<PrefixMap> prefixes;
  std::string root;  ///< Put before every path. For tests
  std::uint32_t context =
      4;  ///< Lines and instructions around what has samples, where not all are shown
  bool show_all = false;  ///< Show a long function completely, too
  bool with_code = true;
};

/// Listings up to these sizes are shown completely.
inline constexpr std::size_t kWholeLines = 150;
inline constexpr std::size_t kWholeCode = 200;
/// Of a longer function, at most this many rows with samples are shown. The rest is in `outside`,
/// or in the last row.
inline constexpr std::size_t kMostHot = 200;
/// Lines of all instructions are looked up only in functions with at most this many instructions.
inline constexpr std::size_t kMostResolved = 20'000;

/// `report` must have been built with BuildOptions::keep_addresses. Never fails: files that cannot
/// be read are named in the problems.
Annotation Annotate(const report::Report& report, const SampledFunction& function,
                    const report::Resolver& resolve, const Settings& settings);

/// The cells of a row of a function: shares and Wilson intervals relative to the function's
/// samples.
Cells CellsWithin(const report::Report& report, const std::vector<EventCount>& row,
                  const std::vector<EventCount>& function);

}  // namespace csink::annotate
