#pragma once

#include <string_view>

/// File: splits CSINK_OPTIONS, which holds several settings in one text:
/// "events=cycles,faults;format=json;keep".
///
/// Grammar: option[;option...]. A line break separates as ';' does. A comma separates only where a
/// known key and '=' follow, so that a list of events needs no quotes. Empty options are skipped.
///   option  key=value; or key alone, which means key=1. Blanks around both are dropped.
///   value   any text up to the separator; or text between two ' or two ", which may hold
///           separators and blanks at its ends. There is no escape for a quote inside quotes.

namespace csink {

/// One option. Both texts point into the text that OptionTokens was given.
struct Option {
  std::string_view key;    ///< As written, without blanks at its ends; may be "" ("=5")
  std::string_view value;  ///< "1" for a key alone
  /// Why the option cannot be read, for a message (a static string); nullptr: readable.
  const char* mistake = nullptr;
};

/// Splits the text of CSINK_OPTIONS into options. Values are not checked here.
///   OptionTokens options(text, IsKey);
///   for (Option option; options.Next(option);) Take(option);
/// Borrows: the text must outlive this object and the options that it returned.
/// Threads: one. Signals: safe where `is_key` is. No heap.
class OptionTokens {
 public:
  /// Whether a name is the key of a setting, used to tell a separating comma from one inside a
  /// value.
  using IsKey = bool (*)(std::string_view) noexcept;

  /// Begins with the first option of `text`. `is_key` is asked about any text, also about "".
  OptionTokens(std::string_view text, IsKey is_key) noexcept : rest_(text), is_key_(is_key) {}

  /// Stores the next option in `option`. Returns false after the last one; `option` is then empty.
  /// After an option with a `mistake` the next call continues behind the next separator.
  bool Next(Option& option) noexcept;

 private:
  /// The value that begins at the quote or at the first byte of `rest_`; both move `rest_` behind
  /// it.
  void TakeQuoted(Option& option) noexcept;
  void TakePlain(Option& option) noexcept;
  /// Whether the byte `rest_[at]` ends an unquoted value.
  bool EndsValue(std::size_t at) const noexcept;

  std::string_view rest_;
  IsKey is_key_;
};

}  // namespace csink
