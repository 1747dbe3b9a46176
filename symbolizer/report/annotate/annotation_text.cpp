#include "symbolizer/report/annotate/annotation_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

#include "symbolizer/report/text/precision.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes an annotation in columns. Listing makes the columns of numbers, which are the same
/// in front of source lines and instructions. WriteSources lists the files. CodeRows lists the
/// instructions and, in a mixed listing, the source lines between them. Widths are terminal columns
/// (report/wording/display_width.h). A column has the width of its longest value: "100.0%" is 6
/// wide, "+-95%" 5, "samples" 7; two blanks separate columns.

namespace csink::annotate {
namespace {

using report::Bold;
using report::Dim;
using report::DisplayWidth;
using report::TextStyle;

/// Share of the function, of any event, from which a row is bold.
constexpr double kHotShare = 0.10;
/// Up to this many events have a column "+-95%" each. With more events only the first one has it.
constexpr std::size_t kMostIntervals = 2;
/// Width of "file.c:123" behind an instruction. A longer name loses its beginning.
constexpr std::size_t kLineColumn = 24;
/// Columns that the text of a row keeps on a narrow terminal; the line is then longer than the
/// terminal.
constexpr std::size_t kLeastText = 20;

/// `text` moved to the right end of `width` columns. A wider text is unchanged.
std::string Right(const std::string& text, std::size_t width) {
  const std::size_t own = DisplayWidth(text);
  return own < width ? std::string(width - own, ' ') + text : text;
}

/// `text` with blanks up to `width` columns. A wider text is unchanged.
std::string Left(const std::string& text, std::size_t width) {
  const std::size_t own = DisplayWidth(text);
  return own < width ? text + std::string(width - own, ' ') : text;
}

/// Without "0x", as objdump(1) and nm(1) print addresses.
std::string Hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%" PRIx64, number);
  return text;
}

/// Half the width of the 95 % interval, in percent points without a sign.
std::string Interval(const Cell& cell) { return report::FixedText((cell.high - cell.low) * 50, 1); }

/// The columns of numbers in front of a line, and the text behind them.
class Listing {
 public:
  Listing(const report::Report& report, const TextStyle& style)
      : report_(report), style_(style), events_(report.profile.events.size()) {}

  /// The title line. With several events a line with their names stands above it, each name cut to
  /// the width of its columns.
  std::string Titles(const std::string& what) const {
    std::string names;
    std::string titles;
    for (std::size_t e = 0; e < events_; ++e) {
      const std::size_t before = titles.size();
      titles += (e == 0 ? "" : "  ") + Right("share", 6);
      if (HasInterval(e)) titles += "  " + Right("+-95%", 5);
      if (events_ == 1) titles += "  " + Right("samples", 7);
      const std::size_t room = titles.size() - before - (e == 0 ? 0 : 2);
      const std::string& name = report_.profile.events[e].name;
      names += (e == 0 ? "" : "  ") + Right(report::KeepHead(report::Printable(name), room), room);
    }
    std::string text = Bold(style_, titles + "  " + what) + "\n";
    return events_ > 1 ? Bold(style_, names) + "\n" + text : text;
  }

  /// One row. Fields of events without samples in the row are blank. Trailing blanks are removed,
  /// so that a copied listing has none.
  std::string Row(const Cells& cells, const std::string& text) const {
    std::string line;
    bool is_hot = false;
    for (std::size_t e = 0; e < events_; ++e) {
      const bool has = e < cells.size() && cells[e].samples != 0;
      is_hot = is_hot || (has && cells[e].share >= kHotShare);
      line += (e == 0 ? "" : "  ") + Right(has ? report::Percent(cells[e].share) : "", 6);
      if (HasInterval(e)) line += "  " + Right(has ? Interval(cells[e]) : "", 5);
      if (events_ == 1) line += "  " + Right(has ? report::Grouped(cells[e].samples) : "", 7);
    }
    line += "  " + report::KeepHead(text, std::max(kLeastText, Room()));
    line.erase(line.find_last_not_of(' ') + 1);
    return (is_hot ? Bold(style_, line) : line) + "\n";
  }
  std::string Gap() const { return Dim(style_, std::string(NumbersWidth(), ' ') + "  ...") + "\n"; }
  /// Number of columns for the text.
  std::size_t Room() const {
    const std::size_t numbers = NumbersWidth() + 2;
    return style_.width > numbers ? style_.width - numbers : 0;
  }

 private:
  bool HasInterval(std::size_t event) const { return event == 0 || events_ <= kMostIntervals; }
  /// Columns of all numbers. Must agree with Titles and Row.
  std::size_t NumbersWidth() const {
    std::size_t width = 0;
    for (std::size_t e = 0; e < events_; ++e) {
      width += (e == 0 ? 6 : 8) + (HasInterval(e) ? 7 : 0) + (events_ == 1 ? 9 : 0);
    }
    return width;
  }

  const report::Report& report_;
  const TextStyle& style_;
  std::size_t events_;
};

/// The lines above the listings: which function, its share of each event, and how precise samples
/// are.
std::string Head(const report::Report& report, const Annotation& annotation,
                 const TextStyle& style) {
  const auto& events = report.profile.events;
  std::string shares;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Cell& cell = annotation.of_program[e];
    shares += (e == 0 ? "" : "; ") + report::Percent(cell.share) + " +-" + Interval(cell) + " of " +
              report::Printable(events[e].name) + ", " +
              report::Count(cell.samples, "sample", "samples");
  }
  return report::Wrapped(style, "function  ", report::Printable(annotation.function)) +
         report::Wrapped(
             style, "          ",
             "in " + report::Printable(annotation.module_path.empty() ? annotation.module
                                                                      : annotation.module_path)) +
         report::Wrapped(style, "share     ", shares) +
         report::WritePrecision(report.profile, style, "precision ");
}

/// The lines above a file's listing: its path, why it could not be read, and why it may be the
/// wrong one.
std::string SourceHead(const Source& source, const TextStyle& style) {
  std::string text = "\n" + report::Wrapped(style, "source    ",
                                            report::Printable(source.found.empty() ? source.recorded
                                                                                   : source.found));
  const auto add = [&](const std::string& line) {
    text += report::Wrapped(style, "          ", report::Printable(line));
  };
  if (!source.found.empty() && source.found != source.recorded) {
    add("recorded path: " + source.recorded);
  }
  if (!source.problem.empty()) add(source.problem);
  for (const std::string& warning : source.warnings) add("warning: " + warning);
  if (!source.is_own) add("inlined code from another file");
  return text;
}

/// The text of a line, or why there is none. Without a file the head of the listing has said why.
std::string LineText(const Source& source, const SourceLine& line) {
  if (line.is_in_file) return line.text;
  return source.found.empty() ? "" : "(the file has no such line)";
}

/// Columns of line numbers: those of the last one, and at least those of the title "line".
std::size_t DigitsOf(const Source& source) {
  const std::uint32_t last = source.lines.empty() ? 0 : source.lines.back().number;
  return std::max<std::size_t>(4, std::to_string(last).size());
}

/// All files, each with its head and its listed lines, then the samples without a line.
std::string WriteSources(const Annotation& annotation, const Listing& listing,
                         const TextStyle& style) {
  std::string text;
  for (const Source& source : annotation.sources) {
    const auto listed = [](const SourceLine& line) { return line.is_context; };
    if (std::none_of(source.lines.begin(), source.lines.end(), listed)) continue;
    text += SourceHead(source, style);
    const std::size_t digits = DigitsOf(source);
    text += listing.Titles(Right("line", digits) + "  source");
    // A gap is drawn where line numbers are not consecutive. 0: nothing was listed yet.
    std::uint32_t before = 0;
    for (const SourceLine& line : source.lines) {
      if (!line.is_context) continue;
      if (before != 0 && line.number != before + 1) text += listing.Gap();
      before = line.number;
      text += listing.Row(
          line.cells, Right(std::to_string(line.number), digits) + "  " + LineText(source, line));
    }
  }
  if (!annotation.no_line.empty()) {
    text += (text.empty() ? "\n" + listing.Titles("") : "\n") +
            listing.Row(annotation.no_line, "samples in code without line information");
  }
  if (!annotation.no_line_reason.empty()) {
    text += report::Wrapped(style, "source    ", report::Printable(annotation.no_line_reason));
  }
  return text;
}

/// Writes the rows of instructions, in a mixed listing with source lines above them.
class CodeRows {
 public:
  CodeRows(const Annotation& annotation, const Listing& listing, bool is_mixed)
      : annotation_(annotation), listing_(listing), is_mixed_(is_mixed) {
    for (const Source& source : annotation.sources) {
      for (const SourceLine& line : source.lines) {
        lines_[{source.recorded, line.number}] = {&source, &line};
      }
    }
    for (const CodeLine& line : annotation.code.lines) {
      address_ = std::max(address_, Hex(line.vaddr).size());
      if (line.label != 0) label_ = std::max(label_, std::to_string(line.label).size() + 2);
    }
    const std::size_t left = address_ + label_ + 4;
    // Source positions stand behind the instructions if 24 columns remain for these. A mixed
    // listing has the positions in rows of their own.
    text_ = listing.Room() > left + kLineColumn + 24 && !is_mixed
                ? listing.Room() - left - kLineColumn - 2
                : 0;
  }

  std::string Write() {
    std::string text = listing_.Titles(Right("address", address_) + "  " + Left("", label_) +
                                       (label_ > 0 ? "  " : "") + "instruction");
    std::uint64_t next = 0;
    for (const CodeLine& line : annotation_.code.lines) {
      const bool is_apart = next != 0 && line.vaddr != next;
      if (is_apart) text += listing_.Gap();
      next = line.vaddr + line.size;
      text += Where(line, is_apart);  // Also updates whether the line is a new one
      text += listing_.Row(line.cells, TextOf(line));
    }
    return text;
  }

 private:
  /// In a mixed listing: the source line, if it differs from the one before.
  std::string Where(const CodeLine& line, bool is_apart) {
    const std::pair<std::string, std::uint32_t> now{line.file, line.line};
    is_new_ = is_apart || now != last_;
    last_ = now;
    if (!is_mixed_ || !is_new_ || line.line == 0) return "";
    std::string text = report::BaseName(line.file) + ":" + std::to_string(line.line);
    if (!line.inlined.empty()) text += " (" + line.inlined + ")";
    const auto it = lines_.find(now);
    if (it != lines_.end()) text += "  " + LineText(*it->second.first, *it->second.second);
    return listing_.Row({}, report::Printable(text));
  }
  /// An instruction with its address, its label and, if there is room, its source position where
  /// that changes.
  std::string TextOf(const CodeLine& line) const {
    std::string label = line.label != 0 ? "L" + std::to_string(line.label) + ":" : "";
    std::string text = Right(Hex(line.vaddr), address_) + "  ";
    if (label_ > 0) text += Left(label, label_) + "  ";
    std::string code = report::Printable(line.text);
    if (line.goes_to != 0) code += line.goes_up ? "  ^" : "  v";
    if (text_ == 0) return text + code;
    text += Left(report::KeepHead(code, text_), text_);
    if (!is_new_ || line.line == 0) return text;
    const std::string where = report::BaseName(line.file) + ":" + std::to_string(line.line);
    return text + "  " + report::KeepTail(report::Printable(where), kLineColumn);
  }

  const Annotation& annotation_;
  const Listing& listing_;
  bool is_mixed_;
  std::map<std::pair<std::string, std::uint32_t>, std::pair<const Source*, const SourceLine*>>
      lines_;
  std::size_t address_ = 7;
  std::size_t label_ = 0;
  std::size_t text_ = 0;  ///< Columns of an instruction; 0: its line is not shown behind it
  std::pair<std::string, std::uint32_t> last_;
  bool is_new_ = false;
};

/// The instructions with their head, then the samples in rows that are not shown.
std::string WriteCode(const Annotation& annotation, const Listing& listing, bool is_mixed,
                      const TextStyle& style) {
  const Code& code = annotation.code;
  // A function of Python.
  if (code.start == 0 && code.lines.empty() && code.problem.empty()) return "";
  std::string what = report::Printable(annotation.module) + " " + Hex(code.start);
  if (code.end > code.start) what += " to " + Hex(code.end);
  if (code.instructions > 0) {
    what += ", " + report::Count(code.instructions, "instruction", "instructions");
  }
  if (code.lines.size() < code.instructions) {
    what += "; only the hottest instructions and their neighbours are shown (--all shows all)";
  }
  std::string text = "\n" + report::Wrapped(style, "code      ", what);
  if (!code.problem.empty()) {
    text += report::Wrapped(style, "          ", report::Printable(code.problem));
  }
  if (!code.lines.empty()) text += CodeRows(annotation, listing, is_mixed).Write();
  if (!code.outside.empty() && !code.lines.empty()) {
    text += listing.Row(code.outside, "samples elsewhere in the function");
  }
  return text;
}

}  // namespace

std::string WriteAnnotation(const report::Report& report, const Annotation& annotation,
                            Layout layout, const report::TextStyle& style) {
  const Listing listing(report, style);
  std::string text = Head(report, annotation, style);
  if (layout == Layout::kBoth || layout == Layout::kSource) {
    text += WriteSources(annotation, listing, style);
  }
  if (layout != Layout::kSource) {
    text += WriteCode(annotation, listing, layout == Layout::kMixed, style);
  }
  const std::string note = report::SkidNote(report.profile);
  if (!note.empty()) text += "\n" + report::Wrapped(style, "note      ", note);
  return text;
}

}  // namespace csink::annotate
