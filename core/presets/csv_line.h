#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace csink {

/// One value of a line.
struct CsvField {
  std::string_view text;  ///< Without quotes and outer blanks
  bool quoted = false;
  const char* at = nullptr;  ///< Where in the line it begins, with its quote
};

/// Cuts a line at its commas. A value may stand in "..." or '...', in which a comma is text
/// and the doubled quote stands for the quote; blanks around values do not count.
/// `unescaped` keeps the few texts that cannot point into the line.
/// False: refused, `sentence` says why, and `wrong` (if given) gets where in the line.
bool SplitCsvLine(std::string_view line, std::vector<CsvField>& fields,
                  std::deque<std::string>& unescaped, std::string& sentence,
                  const char** wrong = nullptr);

/// Without blanks (space, tab, carriage return) at both ends.
std::string_view TrimBlanks(std::string_view text) noexcept;

/// Walks the lines of a text; they end in \n or \r\n, the last one perhaps in nothing.
class TextLines {
 public:
  explicit TextLines(std::string_view text) noexcept;
  bool Next(std::string_view& line) noexcept;
  int number() const noexcept { return number_; }  ///< Of the line given last, from 1

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// Bytes of the longest line that is read.
inline constexpr std::size_t kMaxCsvLineBytes = 8192;

/// What makes a line unreadable as such: its length, or control bytes. Empty: nothing. `column`
/// (if given) gets the first byte that is wrong, from 1.
std::string_view LineProblem(std::string_view line, int* column = nullptr) noexcept;

}  // namespace csink
