
#include <libiberty/demangle.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "symbolizer/names/demangle/languages.h"

namespace csink::symbolizer {
namespace {

/// libiberty prints the whole text before it reports its length; names whose text could become
/// longer than this are not passed to it. Of 12,282 names in libgphobos, 8 exceed this bound.
constexpr double kMaxGrowth = 1 << 26;
constexpr double kTextPerByte = 12;  // "y" is "immutable()"

/// The distance of the back reference at `at`: "Q", then digits in base 26, the last one in lower
/// case (D ABI, name mangling). 0: not a back reference.
std::size_t DistanceOf(std::string_view name, std::size_t at) {
  std::size_t distance = 0;
  for (std::size_t i = at + 1; i < name.size() && distance <= name.size(); ++i) {
    const char c = name[i];
    if (c >= 'a' && c <= 'z') return distance * 26 + static_cast<std::size_t>(c - 'a');
    if (c < 'A' || c > 'Z') return 0;
    distance = distance * 26 + static_cast<std::size_t>(c - 'A');
  }
  return 0;
}

/// The length that an identifier announces ("6toHash" -> 6); 0: there is none.
double LengthAt(std::string_view name, std::size_t at) {
  double length = 0;
  for (; at < name.size() && name[at] >= '0' && name[at] <= '9'; ++at) {
    length = length * 10 + (name[at] - '0');
  }
  return length;
}

/// An upper bound for the length of the text, in bytes. A reference to an identifier is as long as
/// the identifier. A reference to a type is not longer than the text between the type and the
/// reference. A letter of an identifier that looks like a reference only makes the bound larger. A
/// double, because the bound of a hostile name exceeds 64 bits.
double GrowthBound(std::string_view name) {
  std::vector<double> text(name.size() + 1);  // Bound for the text before each byte
  for (std::size_t i = 0; i < name.size(); ++i) {
    text[i + 1] = text[i] + kTextPerByte;
    if (name[i] != 'Q') continue;
    const std::size_t distance = DistanceOf(name, i);
    if (distance == 0 || distance > i) continue;
    const std::size_t to = i - distance;
    const double length = LengthAt(name, to);
    text[i + 1] += length != 0 ? length : text[i] - text[to];
  }
  return text.back();
}

}  // namespace

std::optional<std::string> DemangleD(const std::string& mangled) {
  if (!mangled.starts_with("_D") || GrowthBound(mangled) > kMaxGrowth) return std::nullopt;
  const std::unique_ptr<char, void (*)(void*)> text(::dlang_demangle(mangled.c_str(), 0),
                                                    std::free);
  if (!text) return std::nullopt;
  std::string out(text.get());
  if (out.empty() || out.size() > kMaxDemangledBytes) return std::nullopt;
  return out;
}

}  // namespace csink::symbolizer
