#pragma once

#include <string_view>

/// File: CSINK_OPTIONS, all settings in one text: "events=cycles,faults;format=json;keep".
///
/// Grammar: option[;option...], where a line break separates too, and so does a comma
/// behind which a known key and '=' follow (so that a list of events needs no quotes).
///   option  key=value, or key alone for key=1; blanks around both are not part of them
///   value   anything up to the separator, or between two ' or two " (then also separators)

namespace csink {

struct Option {
  std::string_view key;
  std::string_view value;         ///< "1" for a key alone
  const char* mistake = nullptr;  ///< Why the option cannot be read, in words for people
};

/// Takes CSINK_OPTIONS apart. Borrows: the text must outlive the options.
/// Threads: one. Signals: safe.
class OptionTokens {
 public:
  using IsKey = bool (*)(std::string_view) noexcept;

  OptionTokens(std::string_view text, IsKey is_key) noexcept : rest_(text), is_key_(is_key) {}

  /// The next option; false behind the last one.
  bool Next(Option& option) noexcept;

 private:
  void TakeQuoted(Option& option) noexcept;
  void TakePlain(Option& option) noexcept;
  bool EndsValue(std::size_t at) const noexcept;

  std::string_view rest_;
  IsKey is_key_;
};

}  // namespace csink
