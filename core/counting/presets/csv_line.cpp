#include "core/counting/presets/csv_line.h"

#include "core/counting/presets/complaint_list.h"

// File: the format is CSV with two kinds of quotes. Values are views into the line; only a value
// with doubled quotes is copied.

namespace csink {
namespace {

bool IsBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

/// Reads the quoted value at the front of `rest`; `rest` is then what follows its closing quote.
/// Returns false if there is no closing quote; `rest` is unchanged then. Values without doubled
/// quotes are not copied.
bool TakeQuoted(std::string_view& rest, CsvField& field, std::deque<std::string>& unescaped) {
  // Either kind of quote, so that a description may contain the other one.
  const char quote = rest.front();
  std::string_view body = rest.substr(1);
  bool doubled = false;
  std::size_t end = 0;
  while (true) {
    end = body.find(quote, end);
    if (end == std::string_view::npos) return false;
    // Two quotes in a row are text; a single one ends the value.
    if (end + 1 >= body.size() || body[end + 1] != quote) break;
    doubled = true;
    end += 2;
  }
  rest = body.substr(end + 1);
  field.text = body.substr(0, end);
  field.quoted = true;
  if (!doubled) return true;
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    // Of two quotes the first is kept.
    if (field.text[i] == quote) ++i;
  }
  field.text = unescaped.emplace_back(std::move(text));
  return true;
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) noexcept {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

bool SplitCsvLine(std::string_view line, std::vector<CsvField>& fields,
                  std::deque<std::string>& unescaped, std::string& sentence, const char** wrong) {
  // The caller's vector is reused, which saves an allocation for each line of a table.
  fields.clear();
  // The loop ends where a value is followed by the end of the line and not by a comma.
  std::string_view rest = TrimBlanks(line);
  while (true) {
    rest = TrimBlanks(rest);
    // Without a quote: the value ends at the next comma. A quote inside such a value is text.
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) {
      const std::size_t comma = rest.find(',');
      fields.push_back({TrimBlanks(rest.substr(0, comma)), false, rest.data()});
      if (comma == std::string_view::npos) return true;
      rest.remove_prefix(comma + 1);
      continue;
    }
    const std::string_view whole = rest;
    CsvField field;
    field.at = rest.data();
    // The position of the opening quote, in case the closing one is missing.
    if (wrong) *wrong = rest.data();
    if (!TakeQuoted(rest, field, unescaped)) {
      sentence = "the quoted text that begins with " + Quoted(whole) + " has no closing quote";
      return false;
    }
    fields.push_back(field);
    rest = TrimBlanks(rest);
    if (rest.empty()) return true;
    if (rest.front() != ',') {
      if (wrong) *wrong = rest.data();
      sentence = "a comma must follow a closing quote, but text follows: " + Quoted(rest);
      return false;
    }
    rest.remove_prefix(1);
  }
}

TextLines::TextLines(std::string_view text) noexcept : rest_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  // Editors of Windows write it in front of UTF-8, and it would become part of the first command.
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool TextLines::Next(std::string_view& line) noexcept {
  if (rest_.empty()) return false;
  // An empty rest is the end: "a\n" is one line, "a\n\n" is two.
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view LineProblem(std::string_view line, int* column) noexcept {
  if (line.size() > kMaxCsvLineBytes) {
    if (column) *column = static_cast<int>(kMaxCsvLineBytes) + 1;
    return "the line is longer than 8192 bytes";
  }
  // NUL and other control bytes show that the file is not text (a program, a compressed table).
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if ((byte < ' ' && line[i] != '\t' && line[i] != '\r') || byte == 0x7F) {
      if (column) *column = static_cast<int>(i) + 1;
      return "the line contains a control character; the file must be a text file";
    }
  }
  return {};
}

}  // namespace csink
