#include "compat/papi/highlevel/json_text.h"

#include <cstdio>

#include "core/util/utf8.h"

/// File: JSON by hand. The report is compared byte by byte with PAPI's, whose line breaks and
/// indentation no library reproduces (docs/design/build.md).

namespace csink::papi {

// RFC 8259 escapes: quotes, backslashes and control characters. Everything else is copied as UTF-8.
std::string JsonQuoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = Utf8Bytes(text);
    const char c = text.front();
    if (length == 0) {
      // U+FFFD, the replacement character.
      quoted += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      quoted += escaped;
    } else {
      quoted += text.substr(0, length);
    }
    // A byte that begins no valid character is replaced alone; the next one may begin a character.
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted += '"';
}

void JsonText::NewLine() {
  text_ += first_ ? "\n" : ",\n";
  text_.append(static_cast<std::size_t>(2 * level_), ' ');
  first_ = false;
}

void JsonText::Open(std::string_view key) {
  NewLine();
  text_ += JsonQuoted(key) + ":{";
  ++level_;
  first_ = true;
}

void JsonText::Close() {
  --level_;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(2 * level_), ' ');
  text_ += '}';
  first_ = false;
}

void JsonText::Item(std::string_view key, std::string_view value) {
  NewLine();
  text_ += JsonQuoted(key) + ":" + JsonQuoted(value);
}

// Closes the outermost object, too: level_ counts it.
std::string JsonText::Finish() {
  while (level_ > 0) Close();
  return std::move(text_) + "\n";
}

}  // namespace csink::papi
