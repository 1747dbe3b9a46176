/// File: the number parsers take any bytes, and what they accept they print back.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto number = csink::ParseUnsigned(text)) {
    csink::Text<32> back;
    back.Number(*number);
    // Leading zeros aside, decimal has one spelling.
    std::string_view digits = text;
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    if (back.view() != digits) __builtin_trap();
  }
  if (const auto number = csink::ParseHex(text)) {
    csink::Text<32> back;
    back.Hex(*number);
    if (const auto again = csink::ParseHex(back.view()); !again || *again != *number) {
      __builtin_trap();
    }
  }
  (void)csink::ParseBool(text);
  (void)csink::ParseCount(text);
  std::string_view rest = text;
  std::size_t tokens = 0;
  while (!rest.empty()) {
    csink::NextToken(rest, ',');
    if (++tokens > size) __builtin_trap();  // every token must eat at least its separator
  }
  const std::string_view left = text.substr(0, size / 2);
  const std::string_view right = text.substr(size / 2);
  if (csink::EditDistance(left, right, 5) != csink::EditDistance(right, left, 5)) __builtin_trap();
  return 0;
}
