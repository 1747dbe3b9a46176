#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/annotate/disassembler.h"
#include "symbolizer/annotate/function_choice.h"
#include "symbolizer/annotate/source_search.h"
#include "symbolizer/report/tables/report.h"

/// File: one function's samples on its lines and its instructions, ready to be written down.
/// Annotate does the reading and the arithmetic; the writers (annotation_text.h, annotation_json.h)
/// only format. Each sample is in one source line or in `no_line`, and in one instruction or in
/// `Code::outside`: both sums are the function's samples.

namespace csink::annotate {

using report::Cell;

/// Cells of a row; the shares are of the function. Empty: no sample.
using Cells = std::vector<Cell>;

struct SourceLine {
  std::uint32_t number = 0;
  std::string text;         ///< ShownLine
  bool is_in_file = false;  ///< False: the file has no such line, or there is no file
  bool is_context = true;   ///< Part of the source's listing; false: only beside instructions
  Cells cells;
};

/// One file that lines of the function come from. Inlined functions bring in others.
struct Source {
  std::string recorded;               ///< As the line table spells it
  std::string found;                  ///< Where it was read; empty: nowhere
  std::string problem;                ///< Why not; for people
  std::vector<std::string> warnings;  ///< It may not be what was compiled
  bool is_own = false;                ///< The function itself stands there
  std::vector<SourceLine> lines;      ///< By number; what lies between is left out
  Cells cells;                        ///< Of the file
};

struct CodeLine {
  std::uint64_t vaddr = 0;
  std::size_t size = 0;
  std::string text;
  std::uint32_t label = 0;    ///< Branches inside the function come here: "L1"; 0: none
  std::uint32_t goes_to = 0;  ///< This one branches there; 0: not inside the function
  bool goes_up = false;       ///< ... and that lies above
  std::string file;           ///< As recorded; empty: unknown
  std::uint32_t line = 0;
  std::string inlined;  ///< The innermost function that was inlined here; empty: none
  Cells cells;
};

/// The instructions of the function.
struct Code {
  std::uint64_t start = 0;  ///< In the module's own addresses
  std::uint64_t end = 0;
  std::string problem;           ///< Why there are no instructions, or not all
  std::vector<CodeLine> lines;   ///< Those that are worth showing, by address
  std::size_t instructions = 0;  ///< Of the whole function; data are counted too
  Cells outside;                 ///< Samples in none of the lines
};

struct Annotation {
  std::string function;
  std::string module;
  std::string module_path;
  Cells of_program;             ///< The function's samples; shares of the whole profile
  std::vector<Source> sources;  ///< The function's own first, then the hottest
  Cells no_line;                ///< Samples without a line
  std::string no_line_reason;   ///< Of a module without line information; else empty
  Code code;
};

struct Settings {
  Syntax syntax = Syntax::kAtt;
  std::vector<PrefixMap> prefixes;
  std::string root;  ///< Put before every path; tests use it
  std::uint32_t context =
      4;  ///< Lines and instructions around what has samples, where not all are shown
  bool show_all = false;  ///< All of a long function, too
  bool with_code = true;
};

/// Up to so many lines or instructions are shown whole.
inline constexpr std::size_t kWholeLines = 150;
inline constexpr std::size_t kWholeCode = 200;
/// So many hot ones of a longer function at most; the rest is in `outside`, or in the last row.
inline constexpr std::size_t kMostHot = 200;
/// Lines of all instructions are looked up in functions of up to so many.
inline constexpr std::size_t kMostResolved = 20'000;

/// `report` has its addresses. Never fails: what cannot be read is said in the problems.
Annotation Annotate(const report::Report& report, const SampledFunction& function,
                    const report::Resolver& resolve, const Settings& settings);

/// Cells of a row within a function: share and Wilson's interval of the function's samples.
Cells CellsWithin(const report::Report& report, const std::vector<EventCount>& row,
                  const std::vector<EventCount>& function);

}  // namespace csink::annotate
