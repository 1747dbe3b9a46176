#include "core/util/option_tokens.h"

#include "core/util/parse.h"

// File: options of one string, "key=value;key='a, b'". Values are views into the string; rest_ is
// what has not been read.

namespace csink {
namespace {

bool IsBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
bool IsSeparator(char c) noexcept { return c == ';' || c == '\n'; }

void SkipBlanks(std::string_view& text) noexcept {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
}

// Instead of substr, whose range check would need libstdc++ (NextToken).
std::string_view Front(std::string_view text, std::size_t size) noexcept {
  return {text.data(), size};
}

}  // namespace

// A value ends at ';' or a line break. It ends at a comma only where "key=" follows with a known
// key: "events=cycles,faults" is one value, "events=cycles,format=json" are two options.
bool OptionTokens::EndsValue(std::size_t at) const noexcept {
  if (IsSeparator(rest_[at])) return true;
  if (rest_[at] != ',') return false;
  std::string_view next = rest_;
  next.remove_prefix(at + 1);
  SkipBlanks(next);
  const std::size_t size = next.size();
  const std::string_view key = NextToken(next, '=');
  return key.size() < size && is_key_(Trimmed(key));
}

// A quoted value ends at the same quote; between the quotes every byte is part of the value. Text
// behind the closing quote is a mistake, because dropping the text would hide what the user meant.
// The rest up to the next separator is skipped, so that the next option is read correctly. A comma
// behind the quote separates even where no key follows.
void OptionTokens::TakeQuoted(Option& option) noexcept {
  const char quote = rest_.front();
  rest_.remove_prefix(1);
  const std::size_t size = rest_.size();
  option.value = NextToken(rest_, quote);
  if (option.value.size() == size) {
    option.mistake = "the closing quote is missing";
    return;
  }
  SkipBlanks(rest_);
  if (rest_.empty() || IsSeparator(rest_.front()) || rest_.front() == ',') return;
  option.mistake = "text follows a closing quote";
  while (!rest_.empty() && !IsSeparator(rest_.front())) rest_.remove_prefix(1);
}

void OptionTokens::TakePlain(Option& option) noexcept {
  std::size_t end = 0;
  while (end < rest_.size() && !EndsValue(end)) ++end;
  option.value = Trimmed(Front(rest_, end));
  rest_.remove_prefix(end);
}

bool OptionTokens::Next(Option& option) noexcept {
  // Separators in a row, and a separator at the beginning or the end, make no empty option.
  option = Option();
  while (!rest_.empty() &&
         (IsSeparator(rest_.front()) || IsBlank(rest_.front()) || rest_.front() == ',')) {
    rest_.remove_prefix(1);
  }
  if (rest_.empty()) return false;
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != '=' && rest_[end] != ',' && !IsSeparator(rest_[end])) {
    ++end;
  }
  option.key = Trimmed(Front(rest_, end));
  rest_.remove_prefix(end);
  if (rest_.empty() || rest_.front() != '=') {
    // A word alone switches something on: "callers" means "callers=1".
    option.value = "1";
    return true;
  }
  rest_.remove_prefix(1);
  SkipBlanks(rest_);
  if (!rest_.empty() && (rest_.front() == '\'' || rest_.front() == '"')) {
    TakeQuoted(option);
  } else {
    TakePlain(option);
  }
  return true;
}

}  // namespace csink
