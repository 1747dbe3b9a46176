#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "core/counting/catalogue/catalogue_entries.h"

namespace csink {
namespace {

std::uint32_t AddNamed(CatalogueEntries& entries, std::string_view name,
                       CatalogueSide side = CatalogueSide::kCore) {
  CatalogueEntry entry;
  entry.name = name;
  entry.side = side;
  return entries.Add(entry);
}

TEST(CatalogueEntries, FindsWhatWasAddedThroughAllItsGrowth) {
  CatalogueEntries entries;
  for (int i = 1; i < 5000; ++i) {
    ASSERT_EQ(AddNamed(entries, "EVENT_" + std::to_string(i)), static_cast<std::uint32_t>(i));
  }
  EXPECT_EQ(entries.At(0), nullptr) << "programs list events from there";
  for (int i = 1; i < 5000; ++i) {
    const std::string name = "EVENT_" + std::to_string(i);
    ASSERT_EQ(entries.Find(CatalogueSide::kCore, name), static_cast<std::uint32_t>(i));
    ASSERT_EQ(entries.At(static_cast<std::uint32_t>(i))->name, name);
  }
  EXPECT_EQ(entries.Find(CatalogueSide::kCore, "EVENT_5000"), CatalogueEntries::kNone);
  EXPECT_EQ(entries.At(5000), nullptr);
  EXPECT_EQ(entries.At(CatalogueEntries::kNone), nullptr);
}

TEST(CatalogueEntries, KeepsTheSidesApart) {
  CatalogueEntries entries;
  const std::uint32_t core = AddNamed(entries, "E");
  EXPECT_EQ(entries.Find(CatalogueSide::kUncore, "E"), CatalogueEntries::kNone);
  const std::uint32_t uncore = AddNamed(entries, "E", CatalogueSide::kUncore);
  EXPECT_EQ(entries.Find(CatalogueSide::kCore, "E"), core);
  EXPECT_EQ(entries.Find(CatalogueSide::kUncore, "E"), uncore);
}

TEST(CatalogueEntries, IsReadWithoutALockWhileItGrows) {
  CatalogueEntries entries;
  AddNamed(entries, "FIRST");
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done.load()) {
      ASSERT_EQ(entries.Find(CatalogueSide::kCore, "FIRST"), 1u);
      const std::uint32_t later = entries.Find(CatalogueSide::kCore, "EVENT_2999");
      if (later != CatalogueEntries::kNone) {
        ASSERT_EQ(entries.At(later)->name, "EVENT_2999");
      }
    }
  });
  for (int i = 0; i < 3000; ++i) AddNamed(entries, "EVENT_" + std::to_string(i));
  done = true;
  reader.join();
}

TEST(CatalogueEntries, KeepsTextsOfAnyLength) {
  CatalogueEntries entries;
  const std::string large(100'000, 'x');
  const std::string_view kept = entries.Keep(large);
  EXPECT_EQ(kept, large);
  EXPECT_NE(kept.data(), large.data());
  EXPECT_EQ(entries.Keep(""), "");
}

}  // namespace
}  // namespace csink
