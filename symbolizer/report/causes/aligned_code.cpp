#include "symbolizer/report/causes/aligned_code.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "symbolizer/report/causes/instruction.h"

/// File: the longest common subsequence, by the table of its lengths: 4,000 x 4,000 16-bit numbers
/// are 32 MB. Equal begins and ends are cut off before, which is most of two builds' code.

namespace csink::report {
namespace {

using annotate::CodeLine;

/// Numbers for texts, so that comparing is cheap.
class Texts {
 public:
  std::vector<std::uint32_t> Of(const std::vector<CodeLine>& lines) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const CodeLine& line : lines) {
      const auto [it, is_new] = known_.try_emplace(WithoutAddresses(line.text),
                                                   static_cast<std::uint32_t>(known_.size()));
      numbers.push_back(it->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> known_;
};

}  // namespace

std::vector<CodePair> AlignCode(const std::vector<CodeLine>& was,
                                const std::vector<CodeLine>& now) {
  Texts texts;
  const std::vector<std::uint32_t> a = texts.Of(was);
  const std::vector<std::uint32_t> b = texts.Of(now);
  std::size_t begin = 0;
  while (begin < std::min(a.size(), b.size()) && a[begin] == b[begin]) ++begin;
  std::size_t end = 0;
  while (end + begin < std::min(a.size(), b.size()) &&
         a[a.size() - 1 - end] == b[b.size() - 1 - end]) {
    ++end;
  }
  std::vector<CodePair> pairs;
  pairs.reserve(was.size() + now.size());
  for (std::size_t i = 0; i < begin; ++i) pairs.push_back({&was[i], &now[i]});
  const std::size_t rows = a.size() - begin - end;
  const std::size_t columns = b.size() - begin - end;
  // lengths[i][j]: of the longest common subsequence of a[i..] and b[j..].
  const bool is_small = std::max(rows, columns) <= kMostAligned;
  const std::size_t width = columns + 1;
  std::vector<std::uint16_t> lengths(is_small ? (rows + 1) * width : 0);
  for (std::size_t i = is_small ? rows : 0; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      lengths[i * width + j] =
          a[begin + i] == b[begin + j]
              ? static_cast<std::uint16_t>(lengths[(i + 1) * width + j + 1] + 1)
              : std::max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (is_small && i < rows && j < columns && a[begin + i] == b[begin + j]) {
      pairs.push_back({&was[begin + i++], &now[begin + j++]});
    } else if (i < rows && (j == columns || !is_small ||
                            lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      pairs.push_back({&was[begin + i++], nullptr});
    } else {
      pairs.push_back({nullptr, &now[begin + j++]});
    }
  }
  for (std::size_t k = end; k > 0; --k)
    pairs.push_back({&was[was.size() - k], &now[now.size() - k]});
  return pairs;
}

}  // namespace csink::report
