#include "symbolizer/names/cache/entry.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstring>
#include <random>

namespace csink::symbolizer::cache {
namespace {

Bytes AsBytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Entry Sample() {
  Entry entry{.key = "key\n1",
              .has_symbols = true,
              .has_lines = true,
              .debug_file = "/usr/lib/debug/x.debug",
              .marks = {{"/lib/x.so", true, 12345, -7}, {"/lib/x.debug", false, 0, 0}},
              .offsets = {0x10, 0x1000, ~std::uint64_t{0}},
              .locations = {}};
  for (const std::uint64_t offset : entry.offsets) {
    entry.locations.push_back({.function = "f" + std::to_string(offset),
                               .raw_name = "_Zf.isra.0",
                               .clone = ".isra.0",
                               .aliases = 3,
                               .source = NameSource::kPlt,
                               .function_vaddr = offset - 1,
                               .file = "/src/f.cpp",
                               .line = 0xffffffff,
                               .vaddr = offset,
                               .inlined = {{"in", "_Zin", "/src/f.cpp", 3}, {"", "", "", 0}}});
  }
  return entry;
}

bool SameText(const Entry& a, const Entry& b) { return Encode(a) == Encode(b); }

/// The checksum of a file that somebody changed on purpose.
void Resign(std::string& bytes) {
  const std::uint32_t crc = libdeflate_crc32(0, bytes.data() + 24, bytes.size() - 24);
  const std::uint64_t size = bytes.size() - 24;
  std::memcpy(bytes.data() + 12, &crc, sizeof crc);
  std::memcpy(bytes.data() + 16, &size, sizeof size);
}

TEST(CacheEntry, ComesBackAsItWas) {
  const Entry entry = Sample();
  const std::string bytes = Encode(entry);
  const auto back = Decode(AsBytes(bytes), entry.key, nullptr);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->marks, entry.marks);
  EXPECT_EQ(back->offsets, entry.offsets);
  EXPECT_EQ(back->locations[1].inlined[0].call_line, 3u);
  EXPECT_EQ(back->locations[2].vaddr, ~std::uint64_t{0});
  EXPECT_EQ(back->locations[2].source, NameSource::kPlt);
  EXPECT_EQ(back->locations[2].clone, ".isra.0");
  EXPECT_EQ(back->locations[2].aliases, 3u);
  EXPECT_TRUE(SameText(*back, entry));
}

TEST(CacheEntry, GivesThoseThatAreAskedFor) {
  const std::string bytes = Encode(Sample());
  const std::vector<std::uint64_t> wanted = {0, 0x1000, 0x1001};
  const auto some = Decode(AsBytes(bytes), Sample().key, &wanted);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->offsets, std::vector<std::uint64_t>{0x1000});
  EXPECT_EQ(some->locations[0].function, "f4096");
}

TEST(CacheEntry, OfAnotherKeyOrVersionIsNone) {
  std::string bytes = Encode(Sample());
  EXPECT_FALSE(Decode(AsBytes(bytes), "key\n2", nullptr));
  ++bytes[8];
  EXPECT_FALSE(Decode(AsBytes(bytes), Sample().key, nullptr));
}

TEST(CacheEntry, CutOrChangedByAccidentIsNone) {
  const std::string bytes = Encode(Sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Decode(AsBytes(bytes.substr(0, size)), Sample().key, nullptr)) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_FALSE(Decode(AsBytes(bad), Sample().key, nullptr)) << at;
  }
}

TEST(CacheEntry, ChangedOnPurposeStaysWithinItsBounds) {
  const std::string bytes = Encode(Sample());
  std::mt19937 random(7);
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = bytes;
    for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips) {
      bad[24 + random() % (bad.size() - 24)] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bad.resize(24 + random() % (bad.size() - 24));
    Resign(bad);
    const auto entry = Decode(AsBytes(bad), Sample().key, nullptr);
    if (!entry) continue;
    ++taken;
    ASSERT_EQ(entry->offsets.size(), entry->locations.size());
    for (std::size_t i = 1; i < entry->offsets.size(); ++i) {
      ASSERT_LT(entry->offsets[i - 1], entry->offsets[i]);
    }
    for (const Location& location : entry->locations) ASSERT_FALSE(location.function.empty());
  }
  EXPECT_GT(taken, 100);  // Else nothing behind the checksum was tried
}

TEST(CacheEntry, ThatNamesALongTextTooOftenIsNone) {
  Entry entry = Sample();
  entry.locations.clear();
  entry.offsets.clear();
  const std::string text(1 << 20, 'x');
  for (std::uint64_t i = 0; i < 300; ++i) {
    entry.offsets.push_back(i);
    entry.locations.push_back({.function = text, .raw_name = {}, .file = {}, .inlined = {}});
  }
  const std::string bytes = Encode(entry);
  EXPECT_LT(bytes.size(), 2u << 20);
  EXPECT_FALSE(Decode(AsBytes(bytes), entry.key, nullptr));
}

TEST(CacheEntry, ThatWouldBeTooLargeIsNotWritten) {
  Entry entry = Sample();
  entry.debug_file.assign(kMaxEntryBytes, 'x');
  EXPECT_EQ(Encode(entry), "");
  entry = Sample();
  entry.locations[0].inlined.resize(kMaxFrames + 1);
  EXPECT_EQ(Encode(entry), "");
}

}  // namespace
}  // namespace csink::symbolizer::cache
