#include "profil/inside/regions/maps_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace csink {
namespace {

using ::testing::ElementsAre;

bool Visit(const MapsLine& line, void* walk) {
  static_cast<MapsWalk*>(walk)->Visit(line);
  return true;
}

void Take(const RegionIndex::Mapping& mapping, void* arg) {
  char text[256];
  std::snprintf(text, sizeof text, "%llx-%llx %llx %.*s",
                static_cast<unsigned long long>(mapping.start),
                static_cast<unsigned long long>(mapping.end),
                static_cast<unsigned long long>(mapping.file_offset),
                static_cast<int>(mapping.path.size()), mapping.path.data());
  static_cast<std::vector<std::string>*>(arg)->emplace_back(text);
}

/// The mappings of a list, as "start-end offset path".
std::vector<std::string> Walked(std::string_view maps) {
  std::vector<std::string> taken;
  MapsWalk walk(Take, &taken);
  MapsReader reader(Visit, &walk);
  reader.Feed(maps);
  reader.Finish();
  walk.Finish();
  return taken;
}

TEST(MapsWalk, TakesExecutableMappingsInTheirOrder) {
  EXPECT_THAT(Walked("1000-2000 r--p 0 8:1 5 /a\n2000-3000 r-xp 1000 8:1 5 /a\n"
                     "5000-6000 r-xp 0 0:0 0 \n7000-8000 r-xp 0 0:0 0 [vdso]\n"),
              ElementsAre("2000-3000 1000 /a", "5000-6000 0 ", "7000-8000 0 [vdso]"));
}

TEST(MapsWalk, MemoryBetweenTwoPartsOfAnImageIsItsText) {
  for (const char* memory : {"", "[anon:text]", "/anon_hugepage (deleted)"}) {
    const std::string maps = "1000-2000 r-xp 1000 8:1 5 /a\n2000-4000 r-xp 0 0:0 0 " +
                             std::string(memory) + "\n4000-5000 r--p 4000 8:1 5 /a\n";
    EXPECT_THAT(Walked(maps), ElementsAre("1000-2000 1000 /a", "2000-4000 2000 /a")) << memory;
  }
}

TEST(MapsWalk, SeveralPiecesOfMemoryAreOneText) {
  EXPECT_THAT(Walked("1000-2000 r--p 0 8:1 5 /a\n2000-3000 r-xp 0 0:0 0 \n3000-4000 r-xp 0 0:0 0 \n"
                     "4000-5000 r-xp 3000 8:1 5 /a\n"),
              ElementsAre("2000-4000 1000 /a", "4000-5000 3000 /a"));
}

TEST(MapsWalk, OtherMemoryStaysMemory) {
  // Behind an image, before another image, another file, another distance, not executable.
  EXPECT_THAT(Walked("1000-2000 r-xp 1000 8:1 5 /a\n2000-3000 r-xp 0 0:0 0 [anon:jit]\n"),
              ElementsAre("1000-2000 1000 /a", "2000-3000 0 [anon:jit]"));
  for (const char* right : {"8:1 6 /a", "8:1 5 /b"}) {
    const std::string maps =
        "1000-2000 r-xp 1000 8:1 5 /a\n2000-3000 r-xp 0 0:0 0 \n3000-4000 r--p 3000 " +
        std::string(right) + "\n";
    EXPECT_THAT(Walked(maps), ElementsAre("1000-2000 1000 /a", "2000-3000 0 ")) << right;
  }
  EXPECT_THAT(
      Walked(
          "1000-2000 r-xp 1000 8:1 5 /a\n2000-3000 r-xp 0 0:0 0 \n3000-4000 r--p 7000 8:1 5 /a\n"),
      ElementsAre("1000-2000 1000 /a", "2000-3000 0 "));
  EXPECT_THAT(
      Walked(
          "1000-2000 r-xp 1000 8:1 5 /a\n2000-3000 rw-p 0 0:0 0 \n3000-4000 r-xp 3000 8:1 5 /a\n"),
      ElementsAre("1000-2000 1000 /a", "3000-4000 3000 /a"));
}

}  // namespace
}  // namespace csink
