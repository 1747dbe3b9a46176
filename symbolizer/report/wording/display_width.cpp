#include "symbolizer/report/wording/display_width.h"

#include <algorithm>
#include <iterator>

#include "core/util/utf8.h"

/// File: looks characters up in two tables of code points. The tables are written out here, because
/// wcwidth(3) knows only the characters of the locale's encoding.

namespace csink::report {
namespace {

/// A range of code points, both ends included. The tables are sorted, because IsIn searches them by
/// halves.
struct Range {
  char32_t first;
  char32_t last;
};

/// Wide and fullwidth characters (W and F in EastAsianWidth.txt, Unicode 14). Ranges extend over
/// unassigned code points.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x3247},   {0x3250, 0x4DBF},   {0x4E00, 0xA4C6},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAD9},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
    {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0},
    {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAF6},
    {0x20000, 0x3134A}};

/// Combining marks, joiners, variation selectors, and Hangul vowels and finals, which are drawn
/// into the syllable.
constexpr Range kZeroWidth[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
    {0xE31, 0xE31},   {0xE34, 0xE3A},   {0xE47, 0xE4E},   {0x1160, 0x11FF}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20F0}, {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};

/// Whether a range of the sorted table contains the character.
template <std::size_t N>
bool IsIn(const Range (&ranges)[N], char32_t c) {
  const auto at = std::lower_bound(std::begin(ranges), std::end(ranges), c,
                                   [](const Range& range, char32_t x) { return range.last < x; });
  return at != std::end(ranges) && at->first <= c;
}

/// Length in bytes and width in columns.
struct Character {
  std::size_t bytes;
  std::size_t columns;
};

/// The character that begins at `at`. A byte that is not UTF-8, and every ASCII character, is one
/// column wide.
Character CharacterAt(std::string_view text, std::size_t at) {
  const std::size_t bytes = Utf8Bytes(text, at);
  if (bytes < 2) return {1, 1};
  // The first byte of a sequence of n bytes has n set bits, a 0, and the highest bits of the code
  // point.
  char32_t c = static_cast<unsigned char>(text[at]) & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    c = c << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  }
  if (IsIn(kZeroWidth, c)) return {bytes, 0};
  return {bytes, IsIn(kWide, c) ? 2u : 1u};
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = CharacterAt(text, at);
    at += character.bytes;
    width += character.columns;
  }
  return width;
}

std::size_t HeadBytes(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = CharacterAt(text, at);
    // Combining marks have no width, so those of the last character are still taken.
    if (character.columns > columns) break;
    columns -= character.columns;
    at += character.bytes;
  }
  return at;
}

std::size_t TailBegin(std::string_view text, std::size_t columns) {
  std::size_t width = DisplayWidth(text);
  std::size_t at = 0;
  while (at < text.size() && width > columns) {
    const Character character = CharacterAt(text, at);
    at += character.bytes;
    width -= character.columns;
  }
  // Combining marks belong to the character before them, which is left out.
  while (at > 0 && at < text.size() && CharacterAt(text, at).columns == 0) {
    at += CharacterAt(text, at).bytes;
  }
  return at;
}

}  // namespace csink::report
