#include "profil/reading/model/flat_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace csink {
namespace {

TEST(FlatIndex, KeepsElementsApartWhoseHashesAreEqual) {
  FlatIndex index;
  std::vector<int> numbers;
  const auto of = [&](int number, std::uint64_t hash) {
    const auto at = index.FindOrAdd(hash, numbers.size(),
                                    [&](std::uint32_t i) { return numbers[i] == number; });
    if (at == numbers.size()) numbers.push_back(number);
    return at;
  };
  for (int n = 0; n < 1000; ++n) EXPECT_EQ(of(n, 7), static_cast<std::uint32_t>(n));
  for (int n = 0; n < 1000; ++n) EXPECT_EQ(of(n, 7), static_cast<std::uint32_t>(n));
  EXPECT_EQ(numbers.size(), 1000u);
}

TEST(FlatIndex, FindsElementsAfterReserve) {
  for (const std::size_t reserved : {0, 1, 31, 32, 1000}) {
    FlatIndex index;
    index.Reserve(reserved);
    for (std::uint32_t n = 0; n < 1000; ++n) {
      EXPECT_EQ(index.FindOrAdd(Mix(0, n), n, [](std::uint32_t) { return false; }), n);
    }
    for (std::uint32_t n = 0; n < 1000; ++n) {
      EXPECT_EQ(index.Find(Mix(0, n), [&](std::uint32_t i) { return i == n; }), n);
    }
  }
}

TEST(FlatIndex, HashesTextsOfAnyLength) {
  std::string text;
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 40; ++i) {
    hashes.push_back(HashOfEnd(text));
    text += 'a';
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace
}  // namespace csink
