#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/report/annotate/disassembler.h"
#include "symbolizer/report/annotate/function_choice.h"
#include "symbolizer/report/annotate/source_search.h"
#include "symbolizer/report/tables/report.h"

/// File: the samples of one function on its lines and instructions, as data. Annotate reads the
/// files and computes; the writers (annotation_text.h, annotation_json.h) only format.
/// docs/annotate.md describes the result for users.
///
/// Two sums hold for each event. Each sample is in one source line or in Annotation::no_line, and
/// in one shown instruction or in Code::outside. Both sums equal the function's samples, so that no
/// sample is lost when a listing is shortened.
///
/// Shares within an annotation are shares of the function, 0..1. Only Annotation::of_program has
/// shares of the whole profile.

namespace csink::annotate {

using report::Cell;

/// The cells of one row, one for each event of the profile, in the order of Profile::events. Shares
/// are shares of the function. Empty if the row has no samples.
using Cells = std::vector<Cell>;

/// One line of a source file that contains code of the function.
struct SourceLine {
  /// Line number, from 1. Never 0: samples without a line are in Annotation::no_line.
  std::uint32_t number = 0;
  /// As ShownLine returns it: printable, at most kMostLineBytes bytes of the file's line.
  std::string text;
  /// False if the file has no such line, or if no file could be read. A sampled line is listed
  /// anyway, because its samples must be in a row.
  bool is_in_file = false;
  /// True for lines of the source listing. False for lines that are kept only because a shown
  /// instruction refers to them; a mixed listing needs their text.
  bool is_context = true;
  /// Samples of the line; empty if there are none.
  Cells cells;
};

/// One file that contains lines of the function. Inlined functions add other files.
struct Source {
  /// The path as the line table spells it. It identifies the file within the annotation.
  std::string recorded;
  /// The path that was read on this machine, without Settings::root. Empty if none was found.
  std::string found;
  /// Why no file was read, as text for the user. Empty if a file was read.
  std::string problem;
  /// Reasons why the file may not be what was compiled, one sentence without subject each. The list
  /// of checks is at ListSources (source_listing.h).
  std::vector<std::string> warnings;
  /// True for the file that contains the function itself, false for files of inlined functions.
  bool is_own = false;
  /// Sorted by number. Lines that are not shown are left out, so numbers may have gaps.
  std::vector<SourceLine> lines;
  /// The sum of the samples of all lines of the file.
  Cells cells;
};

/// One instruction, or up to eight bytes of data between instructions.
struct CodeLine {
  /// Address in the module's own address space.
  std::uint64_t vaddr = 0;
  /// Bytes. The next row without a gap begins at vaddr + size.
  std::size_t size = 0;
  /// The instruction in the syntax of Settings::syntax, or ".byte 0x06,0x07" for data.
  std::string text;
  bool is_indirect = false;  ///< As Step::is_indirect
  /// Number of the label "L1" for branches inside the function. 0 if no branch leads here.
  std::uint32_t label = 0;
  /// Label that this branch leads to. 0 if the instruction is no branch, or leads to another
  /// function.
  std::uint32_t goes_to = 0;
  /// The target's address is not greater than the branch's: a loop. Valid if goes_to is not 0.
  bool goes_up = false;
  /// Path as in the line table. Empty if it is not known.
  std::string file;
  /// Source line of the instruction, from 1. 0 if it is not known.
  std::uint32_t line = 0;
  /// The innermost function that was inlined here. Empty if the instruction is the function's own.
  std::string inlined;
  /// Samples at the instruction; empty if there are none.
  Cells cells;
};

/// The machine code of the function. Addresses are in the module's own address space, so that they
/// agree with objdump(1) and nm(1).
struct Code {
  /// Address of the function's first byte.
  std::uint64_t start = 0;
  /// Address behind its last byte. Equal to `start` if the end is not known.
  std::uint64_t end = 0;
  /// Why instructions are missing: no file, no decoder, or a function that is too long. Text for
  /// the user. Empty if none are missing.
  std::string problem;
  /// The instructions that are shown, sorted by address. Empty without a decoder.
  std::vector<CodeLine> lines;
  /// Number of rows in the whole function, data included. Larger than lines.size() if the listing
  /// was shortened.
  std::size_t instructions = 0;
  /// Samples of the function that are in none of `lines`: in rows that are not shown, or in code
  /// that could not be read. Empty if there are none.
  Cells outside;
};

/// One function, annotated. Its text is not made safe for a terminal; the writers do that.
struct Annotation {
  std::string function;
  std::string module;
  std::string module_path;
  /// The function's samples. These shares are shares of the profile.
  Cells of_program;
  /// The function's own file first, then by weight.
  std::vector<Source> sources;
  /// Samples at addresses for which the line table has no line, or line 0. Empty if there are none.
  Cells no_line;
  /// Why there are no sources at all, for instance because the module has no line information.
  /// Empty if there are some.
  std::string no_line_reason;
  Code code;
};

/// What the user asked for.
struct Settings {
  /// Of x86-64 instructions. AArch64 has one syntax.
  Syntax syntax = Syntax::kAtt;
  /// From --source-prefix, then from CSINK_SOURCE_PREFIX. The first map that leads to a file wins.
  std::vector<PrefixMap> prefixes;
  /// Put before every path that is opened. Used by tests; empty otherwise.
  std::string root;
  /// Lines above and below a sampled line, and instructions around a sampled instruction, that are
  /// shown where not everything is.
  std::uint32_t context = 4;
  /// Show all lines and instructions of a long function.
  bool show_all = false;
  /// False if no instructions are wanted (--show source). The decoder's library is not opened then.
  bool with_code = true;
};

/// Listings of at most this many rows are shown completely. The limits are those of
/// docs/annotate.md.
inline constexpr std::size_t kWholeLines = 150;
/// Rows of machine code, data included.
inline constexpr std::size_t kWholeCode = 200;
/// Of a longer function, at most this many instructions with samples are shown, the hottest ones.
/// The samples of the others are in Code::outside.
inline constexpr std::size_t kMostHot = 200;
/// The lines of all instructions are looked up only in functions with at most this many
/// instructions. In longer functions only the shown instructions and their targets are looked up.
inline constexpr std::size_t kMostResolved = 20'000;

/// Annotates one function. Opens its module, finds the sources and decodes the code.
///
/// `report` must have been built with BuildOptions::keep_addresses, and `function` is one of its
/// SampledFunctions. `resolve` is called once more, for the addresses that have no samples. Never
/// fails: files that cannot be read are named in `problem` members and in no_line_reason.
/// Threads: any; there is no shared state besides that of `resolve`.
Annotation Annotate(const report::Report& report, const SampledFunction& function,
                    const report::Resolver& resolve, const Settings& settings);

/// The cells of a row of a function: shares and 95 % intervals relative to the function's samples.
///
/// `row` and `function` have one element for each event. The interval is Wilson's
/// (profil/statistics/statistics.h) for the function's part of the event's effective samples,
/// widened by the part of the event that was not counted (MissingPart). Without samples of the
/// function the share is 0.
Cells CellsWithin(const report::Report& report, const std::vector<EventCount>& row,
                  const std::vector<EventCount>& function);

}  // namespace csink::annotate
