#include "symbolizer/report/tables/time_line.h"

#include <algorithm>
#include <cmath>

#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the time line as text: one row a thread, one character a slice of time, with the marks
/// above and the seconds below.

namespace csink::report {
namespace {

/// Threads with a row; the order of MakeTimeLine puts main threads and busy threads first.
constexpr std::size_t kThreadRows = 24;
constexpr std::size_t kNameColumns = 20;
/// Slices that are drawn even if the screen is too narrow for them.
constexpr std::size_t kLeastSlices = 10;
/// "  100%  100%"
constexpr std::size_t kNumberColumns = 12;
/// A slice in which a thread waited for a processor this part of the time has a sign of its own.
constexpr double kWaits = 0.25;

/// The signs for a slice.
struct Signs {
  const char* run[8];   ///< From little to all of the time
  const char* wait;     ///< The thread waited for a processor
  const char* blocked;  ///< It did not run at all
};
constexpr Signs kBlocks = {
    {"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"},
    "\u2592",
    "\u00b7"};
constexpr Signs kAscii = {{"-", "-", "-", "=", "=", "=", "#", "#"}, "w", "."};

/// The sign for a slice. The thread of `row` may have lived in a part of the slice only.
const char* SignOf(const TimeRow& row, const TimeCell& cell, double slice_seconds,
                   const Signs& signs) {
  const double known = row.is_rest ? slice_seconds : cell.Known();
  // Nothing is known: before the thread's begin or after its end.
  if (known <= slice_seconds / 1000) return " ";
  if (!row.is_rest && cell.wait / known >= kWaits) return signs.wait;
  const double share = std::min(1.0, cell.run / known);
  if (share < 1e-3) return row.is_rest ? " " : signs.blocked;
  return signs.run[std::min(7, static_cast<int>(share * 8))];
}

/// The text with blanks up to `width` terminal columns.
std::string Padded(const std::string& text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

/// The name of a row, at most kNameColumns wide. With several processes the pid follows, unless the
/// thread has the same number.
std::string NameOf(const TimeRow& row, bool several_processes) {
  if (row.is_rest) return "(further threads)";
  std::string name = Printable(row.thread->name) + " " + std::to_string(row.thread->tid);
  if (several_processes && row.thread->tid != row.pid) name += "/" + std::to_string(row.pid);
  // The number tells threads of one name apart, so the end is kept.
  return KeepTail(name, kNameColumns);
}

/// Puts `text` into `line` at `column`, where only blanks are. Returns false if it does not fit.
bool PutAt(std::string& line, std::size_t column, const std::string& text) {
  if (column + text.size() > line.size()) return false;
  // A blank stays between two texts.
  const std::size_t from = column == 0 ? 0 : column - 1;
  const std::size_t to = std::min(line.size(), column + text.size() + 1);
  if (line.find_first_not_of(' ', from) < to) return false;
  line.replace(column, text.size(), text);
  return true;
}

/// Lines of a report have no blanks at their ends (table.cpp).
std::string WithoutTrailingBlanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// "|name" at the column of each mark, as far as there is room. Names that are not ASCII have a
/// width that differs from their bytes, so they are replaced by their number.
std::string MarkLine(const Report& report, const TimeLine& line) {
  std::string text(line.slices, ' ');
  for (const TimeMark& mark : line.marks) {
    const auto column =
        std::min(line.slices - 1, static_cast<std::size_t>(mark.seconds / line.slice_seconds));
    const std::string name = OneLine(report.profile.phases[mark.phase].name);
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
    if (!PutAt(text, column, "|" + (plain ? name : std::to_string(mark.phase)))) {
      PutAt(text, column, "|");
    }
  }
  return WithoutTrailingBlanks(text);
}

/// The seconds below the rows: 0 at the left, the length at the right, and quarters where there is
/// room.
std::string AxisLine(const TimeLine& line) {
  std::string text(line.slices, ' ');
  const std::string end = FixedText(line.seconds, line.seconds < 100 ? 2 : 0) + " s";
  if (end.size() <= line.slices) PutAt(text, line.slices - end.size(), end);
  PutAt(text, 0, "0");
  for (int quarter = 1; quarter < 4; ++quarter) {
    const double seconds = line.seconds * quarter / 4;
    PutAt(text, line.slices * static_cast<std::size_t>(quarter) / 4,
          FixedText(seconds, line.seconds < 100 ? 2 : 0));
  }
  return WithoutTrailingBlanks(text);
}

}  // namespace

std::string WriteTimeLine(const Report& report, const TextStyle& style) {
  const std::size_t taken = kNameColumns + 2 + kNumberColumns;
  const std::size_t columns =
      style.width > taken + kLeastSlices ? style.width - taken : kLeastSlices;
  // As many slices as there are columns, whatever the spools have: one character is one slice.
  const TimeLine line = MakeTimeLine(report, columns, SliceFit::kExact);
  if (line.threads.empty()) {
    return "\n" + Wrapped(style, "time line  ",
                          "not recorded: the program ran less than a second, or the file is of an "
                          "older version or of csink merge");
  }
  const Signs& signs = style.utf8 ? kBlocks : kAscii;
  std::string text =
      "\n" + Wrapped(style, "time line  ",
                     "a column is " + Duration(line.slice_seconds) + "; " + signs.run[0] + " to " +
                         signs.run[7] + " running, " + signs.wait +
                         " waiting for a processor a quarter of the time or more, " +
                         signs.blocked + " blocked");
  const std::string indent(kNameColumns + 2, ' ');
  if (!line.marks.empty()) text += indent + MarkLine(report, line) + "\n";
  text += Bold(style, Padded("thread", kNameColumns + 2 + line.slices) + "   run  wait") + "\n";
  const std::size_t shown =
      line.threads.size() > kThreadRows + 1 ? kThreadRows : line.threads.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const TimeRow& row = line.threads[i];
    text += Padded(NameOf(row, report.processes.size() > 1), kNameColumns + 2);
    for (const TimeCell& cell : row.cells) {
      text += SignOf(row, cell, line.slice_seconds, signs);
    }
    // Shares of the time in which the thread was observed.
    const double known = row.is_rest ? line.seconds : row.total.Known();
    const auto share = [&](double part) {
      const std::string number = known > 0 ? Percent(part / known, 0) : "";
      return std::string(number.size() < 6 ? 6 - number.size() : 0, ' ') + number;
    };
    text += share(row.total.run);
    if (row.wait_known && !row.is_rest) text += share(row.total.wait);
    text += "\n";
  }
  text += indent + AxisLine(line) + "\n";
  if (shown < line.threads.size()) {
    text += Dim(style, "and " + Count(line.threads.size() - shown, "more thread", "more threads")) +
            "\n";
  }
  return text;
}

}  // namespace csink::report
