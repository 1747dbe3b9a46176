#include "symbolizer/report/html/page_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "core/util/utf8.h"

namespace csink::report {
namespace {

/// U+FFFD, the replacement character, in UTF-8.
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// One character of a text: its bytes and its code point.
struct Character {
  std::string_view bytes;
  std::uint32_t code;
};

/// Takes the next character of `text`, which must not be empty. An invalid byte is U+FFFD.
Character TakeCharacter(std::string_view& text) {
  // 0: the byte does not begin a valid sequence.
  const std::size_t size = Utf8Bytes(text);
  if (size == 0) {
    text.remove_prefix(1);
    return {kReplacement, 0xfffd};
  }
  // By length of the sequence: the bits of the first byte that belong to the code point.
  constexpr unsigned char kFirstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t code = static_cast<unsigned char>(text[0]) & kFirstBits[size];
  for (std::size_t i = 1; i < size; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  const Character character{text.substr(0, size), code};
  text.remove_prefix(size);
  return character;
}

/// Whether a byte can be copied into a JSON string of a script element: ASCII without signs that
/// need an escape.
constexpr bool IsPlain(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/// "\u003c". Only for characters below U+10000, as all that are escaped are.
std::string JsonEscape(std::uint32_t code) {
  char text[16];
  std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(code));
  return text;
}

/// Characters that have no shape and change how their neighbours are shown.
bool IsHidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

}  // namespace

void WriteJsonString(Sink& sink, std::string_view text) {
  sink << '"';
  std::size_t written = 0;
  // The limit counts bytes of the name and not those of the escapes.
  while (!text.empty() && written < kMostPageText) {
    // Most names are plain: they are copied in one piece.
    const auto end = std::find_if_not(text.begin(), text.end(), IsPlain);
    const auto plain =
        std::min(static_cast<std::size_t>(end - text.begin()), kMostPageText - written);
    sink << text.substr(0, plain);
    text.remove_prefix(plain);
    written += plain;
    if (text.empty() || written >= kMostPageText) break;
    const Character character = TakeCharacter(text);
    const std::uint32_t code = character.code;
    const bool copied = code >= 0x80 && code != 0x2028 && code != 0x2029;
    if (copied || (code < 0x80 && IsPlain(static_cast<char>(code)))) {
      sink << character.bytes;
    } else {
      sink << JsonEscape(code);
    }
    written += character.bytes.size();
  }
  sink << (text.empty() ? "\"" : "...\"");
}

// Byte by byte is enough: the characters occur in strings alone, where an escape means the same.
std::string EscapedForScript(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<' || c == '>' || c == '&') {
      escaped += JsonEscape(static_cast<unsigned char>(c));
    } else if (json.compare(i, 3, "\xe2\x80\xa8") == 0 || json.compare(i, 3, "\xe2\x80\xa9") == 0) {
      escaped += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string HtmlText(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    // Counted in the written text, which entities make longer.
    if (html.size() >= kMostPageText) return html + "...";
    const Character character = TakeCharacter(text);
    switch (character.code) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        if (IsHidden(character.code)) {
          char shown[24];
          std::snprintf(shown, sizeof shown, "[U+%04X]", static_cast<unsigned>(character.code));
          html += shown;
        } else {
          html += character.bytes;
        }
    }
  }
  return html;
}

}  // namespace csink::report
