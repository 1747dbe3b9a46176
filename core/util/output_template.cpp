#include "core/util/output_template.h"

#include "core/util/utf8.h"

// One pass over the template: PartAt cuts off the next part, `value` gives its text, and
// AddHarmless appends this text to the path. Bytes outside of parts are copied. The path has a
// fixed size, so the room for the longest value is checked before each step and no step needs a
// check of its own.

namespace csink {
namespace {

// The letters of output_template.h.
constexpr std::string_view kLetters = "ephgtrjn";

// Whether the last component of `path` so far is empty or consists of dots alone. A dot added there
// could form "." or "..", which name another folder.
bool OnlyDotsSoFar(const TemplatePath& path) noexcept {
  for (std::size_t i = path.size(); i > 0; --i) {
    const char c = path.c_str()[i - 1];
    if (c == '/') return true;
    if (c != '.') return false;
  }
  return true;
}

// Parses the part whose '%' is at `at`. Returns the part's size in bytes; 0: there is no complete
// part.
std::size_t PartAt(std::string_view text, std::size_t at, TemplatePart& part) noexcept {
  part = TemplatePart();
  if (at + 1 >= text.size()) return 0;
  part.letter = text[at + 1];
  if (part.letter != '{') return 2;
  std::size_t end = at + 2;
  while (end < text.size() && text[end] != '}') ++end;
  if (end == text.size()) return 0;
  part.variable = std::string_view(text.data() + at + 2, end - at - 2);
  return end + 1 - at;
}

bool Exists(const TemplatePart& part) noexcept {
  if (part.letter == '{') return !part.variable.empty();
  if (part.letter == '%') return true;
  for (const char letter : kLetters) {
    if (part.letter == letter) return true;
  }
  return false;
}

}  // namespace

void AddHarmless(std::string_view value, TemplateRound round, TemplatePath& path) noexcept {
  if (value.empty()) value = "none";
  std::size_t used = 0;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t bytes = PrintableBytes(value, at);
    if (used + (bytes == 0 ? 1 : bytes) > kTemplateValueBytes) break;
    const char c = value[at];
    if (bytes == 0 || c == '/' || (c == '.' && OnlyDotsSoFar(path))) {
      path.Add('_');
    } else if (c == '%' && round == TemplateRound::kFirst) {
      path.Add("%%");
    } else {
      path.Add(std::string_view(value.data() + at, bytes));
    }
    used += bytes == 0 ? 1 : bytes;
    at += bytes == 0 ? 1 : bytes;
  }
}

Result<void> ExpandTemplate(std::string_view text, TemplateValue value, void* context,
                            TemplateRound round, TemplatePath& path) noexcept {
  // A value may double all its bytes (each '%' in the first round), and the NUL takes one.
  constexpr std::size_t kRoom = 2 * kTemplateValueBytes + 1;
  for (std::size_t at = 0; at < text.size();) {
    // Text::Add cuts without an error. A path that was cut would name another file.
    if (path.size() + kRoom > kTemplatePathBytes) {
      return Error{Errc::kLimit, 0, "the name of the output is too long"};
    }
    TemplatePart part;
    const std::size_t size = text[at] == '%' ? PartAt(text, at, part) : 0;
    std::string_view found;
    if (size == 0) {
      // A '%' without a part, for instance before "{X" without '}'. It is doubled in the first
      // round: a value that is inserted behind it may hold a '}', and the next round would then see
      // "%{X...}".
      const bool stray = text[at] == '%' && round == TemplateRound::kFirst;
      path.Add(stray ? std::string_view("%%") : std::string_view(&text[at], 1));
      ++at;
      continue;
    }
    if (part.letter == '%' && round == TemplateRound::kLast) {
      path.Add('%');
    } else if (Exists(part) && part.letter != '%' && value(part, found, context)) {
      AddHarmless(found, round, path);
      // The part is copied as it stands. Only "%{NAME}" with a long name can exceed the room that
      // was checked.
    } else if (size <= kRoom) {
      path.Add(std::string_view(text.data() + at, size));
    } else {
      return Error{Errc::kLimit, 0, "the name of the output is too long"};
    }
    at += size;
  }
  return {};
}

bool TemplateHas(std::string_view text, char letter) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    TemplatePart part;
    const std::size_t size = text[at] == '%' ? PartAt(text, at, part) : 0;
    if (size != 0 && part.letter == letter) return true;
    at += size == 0 ? 1 : size;
  }
  return false;
}

std::string_view UnknownPart(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    TemplatePart part;
    const std::size_t size = text[at] == '%' ? PartAt(text, at, part) : 0;
    if (text[at] == '%' && (size == 0 || !Exists(part))) {
      const std::size_t rest = text.size() - at;
      return {text.data() + at, size == 0 ? rest : size};
    }
    at += size == 0 ? 1 : size;
  }
  return {};
}

}  // namespace csink
