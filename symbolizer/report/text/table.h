#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// File: tables of text, and the style that all text reports share.

namespace csink::report {

/// What a row of the main table is (--by). kNative: a function of machine code, also where Python
/// functions are known.
enum class By { kFunctions, kLines, kModules, kThreads, kProcesses, kInlines, kWaits, kNative };

/// How text is formatted. Only bold and dim are used (ECMA-48, SGR 1 and 2), and only if `colour`
/// is set. commands/show/output.h makes the style for a destination.
struct TextStyle {
  /// Columns of the screen; the tool takes 20 to 240 (commands/console/terminal.h). Lines do not
  /// exceed them unless a single word is longer.
  std::size_t width = 100;
  /// Bold and dim are allowed.
  bool colour = false;
  /// Rows of the main table at most.
  std::size_t top = 20;
  /// Rows with a smaller share, 0..1, are summed up in one row.
  double min_share = 0.01;
  /// What is in the main table.
  By by = By::kFunctions;
  /// Sort column of the main table (select_events.h). If empty, the first event.
  std::string sort;
  bool call_tree = false;   ///< Also print the tree of call paths.
  bool per_thread = false;  ///< Also print a table of threads.
  bool time_line = false;   ///< Also print the time line.
  /// The screen shows UTF-8; block characters may be used.
  bool utf8 = false;
  /// Print all lines of precision and wall time, also of a short run without losses.
  bool verbose = false;
};

/// `text` between the escape sequences for bold or dim, or unchanged if the style has no colour.
std::string Bold(const TextStyle& style, const std::string& text);
std::string Dim(const TextStyle& style, const std::string& text);

/// Breaks `text` at blanks. The first line begins with `label` (bold); the others are indented by
/// its width. A word that is wider than the screen stays whole. Ends in a newline.
std::string Wrapped(const TextStyle& style, const std::string& label, const std::string& text);

/// A table of aligned columns, two blanks apart. Texts must be printable; widths are terminal
/// columns.
/// Threads: one at a time.
class Table {
 public:
  enum class Align { kLeft, kRight };

  /// Adds a column behind the others. Before the first AddRow or after it.
  void AddColumn(const std::string& title, Align align) { columns_.push_back({title, align}); }
  /// Adds a row. Missing cells at its end are empty; cells beyond the last column are not drawn.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The width of column `i`: the maximum of its cells and title.
  std::size_t NaturalWidth(std::size_t i) const;
  /// Title line (bold) and rows; trailing blanks are removed. On screens narrower than 80 columns
  /// lines are cut at the screen's width, and the title line between words. `dim_last`: the last
  /// row is the sum of the rest.
  std::string Draw(const TextStyle& style, bool dim_last) const;
  std::size_t columns() const { return columns_.size(); }
  std::size_t rows() const { return rows_.size(); }

 private:
  struct Column {
    std::string title;
    Align align;
  };
  std::string Line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace csink::report
