#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <type_traits>

/// File: writes JSON piece by piece, because a whole document in memory would be many times as
/// large as the profile that it is made of. Commas, quotes and escapes are put here alone.

namespace csink {

/// Appends to a text or to whatever else takes texts with <<.
template <class Out>
void AppendJson(Out& out, std::string_view json) {
  if constexpr (requires { out += json; }) {
    out += json;
  } else {
    out << json;
  }
}

/// How a JsonWriter writes strings: with what JSON demands, and nothing else. Requires UTF-8.
struct JsonStrings {
  template <class Out>
  static void Write(Out& out, std::string_view text) {
    AppendJson(out, "\"");
    std::size_t written = 0;
    for (std::size_t i = IsPlain(text) ? text.size() : 0; i < text.size(); ++i) {
      const char c = text[i];
      if (!NeedsEscape(c)) continue;
      AppendJson(out, text.substr(written, i - written));
      written = i + 1;
      Escape(out, c);
    }
    AppendJson(out, text.substr(written));
    AppendJson(out, "\"");
  }

 private:
  static constexpr bool NeedsEscape(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  }
  // Without a branch for each character, so that the compiler checks many at once.
  static bool IsPlain(std::string_view text) {
    unsigned char others = 0;
    for (const char c : text) others |= static_cast<unsigned char>(NeedsEscape(c) ? 1 : 0);
    return others == 0;
  }
  template <class Out>
  static void Escape(Out& out, char c) {
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    char escape[8] = {'\\'};
    if (const std::size_t at = kShort.find(c); at != kShort.npos) {
      escape[1] = kLetters[at];
      return AppendJson(out, std::string_view(escape, 2));
    }
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned char>(c));
    AppendJson(out, std::string_view(escape, 6));
  }
};

/// Writes one JSON value to `out` (AppendJson). The caller closes what it begins,
/// and gives each member of an object a key.
/// Owns:    nothing. Threads: one at a time.
template <class Out, class Strings = JsonStrings>
class JsonWriter {
 public:
  explicit JsonWriter(Out& out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }

  /// The name of the next value. `name` needs no escapes.
  JsonWriter& Key(std::string_view name) {
    // In one piece, as all that is short.
    char text[64];
    char* end = Separate(text);
    *end++ = '"';
    if (name.size() <= sizeof text - 5) {
      end += name.copy(end, name.size());
    } else {
      PutUpTo(end, text);
      Put(name);
      end = text;
    }
    *end++ = '"';
    *end++ = ':';
    PutUpTo(end, text);
    has_value_before_ = false;
    return *this;
  }

  /// A text, in quotes and with escapes.
  void Value(std::string_view text) {
    Separate();
    Strings::Write(out_, text);
    has_value_before_ = true;
  }
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value) { Raw(value ? "true" : "false"); }
  void Value(std::nullptr_t) { Raw("null"); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void Value(Number number) {
    char text[40];
    char* const begin = Separate(text);
    // to_chars writes the shortest text that gives the same number, with a point in every locale.
    // JSON has neither infinity nor NaN.
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(number)) number = 0;
    }
    PutUpTo(std::to_chars(begin, text + sizeof text, number).ptr, text);
    has_value_before_ = true;
  }
  /// A value that is JSON already.
  void Raw(std::string_view json) {
    Separate();
    Put(json);
    has_value_before_ = true;
  }

  template <class T>
  void Member(std::string_view name, const T& value) {
    Key(name).Value(value);
  }
  /// A list; `write` writes one element.
  template <class Range, class Write>
  void List(const Range& range, const Write& write) {
    BeginArray();
    for (const auto& element : range) write(element);
    EndArray();
  }
  /// A list of values.
  template <class Range>
  void List(const Range& range) {
    List(range, [this](const auto& element) { this->Value(element); });
  }
  /// The line end behind the document.
  void End() { Put("\n"); }
  /// The next key, value or end stands on a line of its own.
  void NewLine() { line_ = true; }

 private:
  void Put(std::string_view text) { AppendJson(out_, text); }
  void PutUpTo(const char* end, const char* text) {
    Put(std::string_view(text, static_cast<std::size_t>(end - text)));
  }
  /// Writes what stands before the next piece, and returns its end.
  char* Separate(char* at) {
    if (has_value_before_) *at++ = ',';
    if (line_) *at++ = '\n';
    line_ = false;
    return at;
  }
  void Separate() {
    if (has_value_before_) PutChar(',');
    if (line_) PutChar('\n');
    line_ = false;
  }
  void PutChar(char c) {
    if constexpr (requires { out_ += c; }) {
      out_ += c;
    } else {
      out_ << c;
    }
  }
  void Open(char bracket) {
    Separate();
    PutChar(bracket);
    has_value_before_ = false;
  }
  void Close(char bracket) {
    has_value_before_ = false;
    Separate();
    PutChar(bracket);
    has_value_before_ = true;
  }

  Out& out_;
  bool has_value_before_ = false;  ///< In the same object or list
  bool line_ = false;
};

}  // namespace csink
