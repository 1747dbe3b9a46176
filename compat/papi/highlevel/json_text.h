#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

/// Writes JSON in the form of PAPI 7.0's report: one item a line, two spaces a level,
/// "key":"value".
/// Threads: one at a time.
class JsonText {
 public:
  JsonText() { text_ = "{"; }

  /// Opens an object; Close ends it.
  void Open(std::string_view key);
  void Close();
  /// Writes an item. Numbers are written as strings, as PAPI does.
  void Item(std::string_view key, std::string_view value);
  void Item(std::string_view key, long long value) { Item(key, std::to_string(value)); }

  /// Closes all open objects and returns the text. Call once.
  std::string Finish();

 private:
  /// Ends the line before, with a comma unless the object begins, and indents the next one.
  void NewLine();

  std::string text_;
  int level_ = 1;      ///< Objects that are open; the outermost is the report
  bool first_ = true;  ///< The next item is the first of its object
};

/// A JSON string in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string JsonQuoted(std::string_view text);

}  // namespace csink::papi
