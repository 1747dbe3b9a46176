#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

/// File: the lines and values of event files, in both formats (preset_file.h, preset_columns.h).
/// Threads: one at a time for each object. Signals: SplitCsvLine is not safe (heap).

namespace csink {

/// One value of a CSV line. An empty value has an empty text.
struct CsvField {
  /// The value without quotes and surrounding blanks. Points into the line, or into `unescaped`
  /// where the value has doubled quotes.
  std::string_view text;
  /// The value stood in quotes. Such a value is never a keyword (preset_file.cpp).
  bool quoted = false;
  const char* at = nullptr;  ///< Its position in the line, including the quote
};

/// Splits a line at its commas and replaces the contents of `fields`. A value may stand in "..." or
/// '...', where a comma is text and a doubled quote stands for the quote. Blanks around values are
/// ignored. A line of n commas outside quotes has n + 1 values; the empty line has one. `unescaped`
/// owns the texts with doubled quotes, and only grows (its elements keep their addresses); the
/// others point into `line`.
/// Returns false if the line is malformed (a quotation without end, text behind a closing quote);
/// `sentence` states why, and `*wrong` (may be null) points to the place in the line.
bool SplitCsvLine(std::string_view line, std::vector<CsvField>& fields,
                  std::deque<std::string>& unescaped, std::string& sentence,
                  const char** wrong = nullptr);

/// `text` without blanks (space, tab, carriage return) at both ends.
std::string_view TrimBlanks(std::string_view text) noexcept;

/// Iterates over the lines of a text, which must outlive it. Lines end in \n or \r\n; the last one
/// may have no line end. A UTF-8 byte order mark at the start is skipped.
class TextLines {
 public:
  explicit TextLines(std::string_view text) noexcept;
  /// Stores the next line, without its end. Returns false if there are no more. An empty line is a
  /// line.
  bool Next(std::string_view& line) noexcept;
  int number() const noexcept { return number_; }  ///< Number of the latest line, from 1

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// The longest line that is accepted, in bytes. It is far above the longest definition: twelve
/// natives of 255 bytes and two descriptions of 1023.
inline constexpr std::size_t kMaxCsvLineBytes = 8192;

/// Why a line cannot be read as text: its length, or control bytes other than tab and carriage
/// return; "": it can. Bytes from 0x80 on are accepted, so descriptions may be UTF-8. `*column`
/// (may be null) is set to the first bad byte, counted from 1.
std::string_view LineProblem(std::string_view line, int* column = nullptr) noexcept;

}  // namespace csink
