#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace csink {

/// One value of a CSV line.
struct CsvField {
  std::string_view text;  ///< Without quotes and surrounding blanks
  bool quoted = false;
  const char* at = nullptr;  ///< Its position in the line, including the quote
};

/// Splits a line at its commas. A value may stand in "..." or '...', where a comma is text and a
/// doubled quote stands for the quote. Blanks around values are ignored. `unescaped` owns the texts
/// with doubled quotes; the others point into `line`.
/// False: the line is malformed; `sentence` states why, and `*wrong` (may be null) points to the
/// place in the line.
bool SplitCsvLine(std::string_view line, std::vector<CsvField>& fields,
                  std::deque<std::string>& unescaped, std::string& sentence,
                  const char** wrong = nullptr);

/// `text` without blanks (space, tab, carriage return) at both ends.
std::string_view TrimBlanks(std::string_view text) noexcept;

/// Iterates over the lines of a text. Lines end in \n or \r\n; the last one may have no line end. A
/// byte order mark at the start is skipped.
class TextLines {
 public:
  explicit TextLines(std::string_view text) noexcept;
  /// Stores the next line, without its end; false: there are no more.
  bool Next(std::string_view& line) noexcept;
  int number() const noexcept { return number_; }  ///< Number of the latest line, from 1

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// The longest line that is accepted, in bytes.
inline constexpr std::size_t kMaxCsvLineBytes = 8192;

/// Why a line cannot be read as text: its length, or control bytes; "": it can. `*column` (may be
/// null) is set to the first bad byte, counted from 1.
std::string_view LineProblem(std::string_view line, int* column = nullptr) noexcept;

}  // namespace csink
