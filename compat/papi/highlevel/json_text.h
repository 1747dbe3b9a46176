#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

/// JSON as PAPI 7.0's report has it: an item a line, two spaces a level, "key":"value".
/// Threads: one at a time.
class JsonText {
 public:
  JsonText() { text_ = "{"; }

  void Open(std::string_view key);
  void Close();
  void Item(std::string_view key, std::string_view value);
  void Item(std::string_view key, long long value) { Item(key, std::to_string(value)); }

  /// Closes what is open.
  std::string Finish();

 private:
  void NewLine();

  std::string text_;
  int level_ = 1;
  bool first_ = true;  ///< Of its object
};

/// A string in quotes; what is not UTF-8 becomes U+FFFD.
std::string JsonQuoted(std::string_view text);

}  // namespace csink::papi
