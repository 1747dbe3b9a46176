#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace csink::report {

/// What a row of the main table is.
enum class By { kFunctions, kLines, kModules, kThreads, kProcesses, kInlines };

/// How text is formatted. Only bold and dim are used, and only on a terminal.
struct TextStyle {
  std::size_t width = 100;  ///< Columns of the screen; lines do not exceed them.
  bool colour = false;      ///< Bold and dim are allowed.
  std::size_t top = 20;     ///< Rows of the main table at most.
  double min_share = 0.01;  ///< Rows with a smaller share are summed up in one row.
  By by = By::kFunctions;   ///< What is in the main table.
  std::string sort;  ///< Sort column of the main table (select_events.h); empty: the first event.
  bool call_tree = false;   ///< Also print the tree of call paths.
  bool per_thread = false;  ///< Also print a table of threads.
};

std::string Bold(const TextStyle& style, const std::string& text);
std::string Dim(const TextStyle& style, const std::string& text);

/// Breaks `text` at blanks. The first line begins with `label`; the others are indented by its
/// width. Ends in a newline.
std::string Wrapped(const TextStyle& style, const std::string& label, const std::string& text);

/// A table of aligned columns, two blanks apart.
class Table {
 public:
  enum class Align { kLeft, kRight };

  void AddColumn(const std::string& title, Align align) { columns_.push_back({title, align}); }
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The width of column `i`: the maximum of its cells and title.
  std::size_t NaturalWidth(std::size_t i) const;
  /// Title line (bold) and rows; trailing blanks are removed, and lines are cut at the screen's
  /// width. `dim_last`: the last row is the sum of the rest.
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
