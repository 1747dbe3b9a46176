#include "compat/papi/highlevel/json_text.h"

#include <cstdio>

namespace csink::papi {
namespace {

/// Bytes of the UTF-8 sequence at the start of `text`; 0: it is none.
std::size_t Utf8Length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  // Longer than need be, a surrogate, or beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

}  // namespace

std::string JsonQuoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const char c = text.front();
    if (length == 0) {
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

std::string JsonText::Finish() {
  while (level_ > 0) Close();
  return std::move(text_) + "\n";
}

}  // namespace csink::papi
