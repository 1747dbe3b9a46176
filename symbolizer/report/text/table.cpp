#include "symbolizer/report/text/table.h"

#include <algorithm>

#include "symbolizer/report/wording/shorten.h"

/// File: tables of text. Columns are padded by display width and not by bytes: names may be of any
/// script. Lines have no blanks at their ends, so that they can be compared and pasted.

namespace csink::report {

std::string Bold(const TextStyle& style, const std::string& text) {
  return style.colour ? "\033[1m" + text + "\033[0m" : text;
}

// 1 and 2 are SGR parameters of ECMA-48; 2 (faint) is ignored by terminals that lack it.
std::string Dim(const TextStyle& style, const std::string& text) {
  return style.colour ? "\033[2m" + text + "\033[0m" : text;
}

std::string Wrapped(const TextStyle& style, const std::string& label, const std::string& text) {
  const std::string indent(DisplayWidth(label), ' ');
  std::string result = Bold(style, label);
  std::size_t column = indent.size();
  bool first = true;
  std::size_t at = 0;
  while (at < text.size()) {
    // Several blanks in a row are kept: a blank ends an empty word.
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    const std::size_t width = DisplayWidth(word);
    // The first word stays behind the label even if it is too wide.
    if (!first && column + 1 + width > style.width) {
      result += "\n" + indent;
      column = indent.size();
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width;
    first = false;
    at = end + 1;
  }
  return result + "\n";
}

std::size_t Table::NaturalWidth(std::size_t i) const {
  std::size_t width = DisplayWidth(columns_[i].title);
  for (const auto& row : rows_) {
    if (i < row.size()) width = std::max(width, DisplayWidth(row[i]));
  }
  return width;
}

// Pads by terminal columns; `widths` has one element for each column.
std::string Table::Line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& cell = i < cells.size() ? cells[i] : std::string();
    // A cell may be wider than its column: then it is not padded.
    const std::string pad(widths[i] - std::min(widths[i], DisplayWidth(cell)), ' ');
    line += i == 0 ? "" : "  ";
    line += columns_[i].align == Align::kRight ? pad + cell : cell + pad;
  }
  // npos + 1 is 0: an empty line becomes "".
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string Table::Draw(const TextStyle& style, bool dim_last) const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    // Each column is as wide as its widest text; nothing is cut here on a usual screen.
    widths.push_back(NaturalWidth(i));
    titles.push_back(columns_[i].title);
  }
  // On narrower screens not every table can fit, so lines are cut.
  constexpr std::size_t kNarrow = 80;
  const auto fit = [&](const std::string& line) {
    return style.width < kNarrow ? KeepHead(line, style.width) : line;
  };
  // A title that is cut, such as "in...", says nothing: whole words are left out.
  const auto fit_words = [&](std::string line) {
    if (style.width >= kNarrow || DisplayWidth(line) <= style.width) return line;
    const std::size_t end = HeadBytes(line, style.width);
    if (end < line.size() && line[end] != ' ') {
      const std::size_t blank = line.rfind(' ', end);
      line.resize(blank == line.npos ? end : blank);
    } else {
      line.resize(end);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  std::string text = Bold(style, fit_words(Line(titles, widths))) + "\n";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string line = fit(Line(rows_[i], widths));
    text += (dim_last && i + 1 == rows_.size() ? Dim(style, line) : line) + "\n";
  }
  return text;
}

}  // namespace csink::report
