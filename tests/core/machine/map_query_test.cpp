#include "core/machine/map_query.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

namespace csink {
namespace {

struct Listed {
  MapsLine line;
  std::string path;
};

bool Collect(const MapsLine& line, void* arg) {
  static_cast<std::vector<Listed>*>(arg)->push_back({line, std::string(line.path)});
  return true;
}

class MapQueryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (Ask(reinterpret_cast<std::uint64_t>(&std::memcpy)) == MapQuery::Answer::kUnsupported) {
      GTEST_SKIP() << "this kernel does not know PROCMAP_QUERY (Linux 6.11)";
    }
  }
  MapQuery::Answer Ask(std::uint64_t address) {
    return query_.Ask(address, name_, sizeof name_, found_);
  }

  MapQuery query_{"/proc/self/maps"};
  MapQuery::Found found_;
  char name_[4096];
};

TEST_F(MapQueryTest, SaysOfEveryExecutableMappingWhatTheListSays) {
  std::vector<Listed> list;
  ASSERT_TRUE(ForEachMapping("/proc/self/maps", Collect, &list));
  int compared = 0;
  for (const Listed& listed : list) {
    if (!listed.line.executable || listed.path == "[vsyscall]") continue;
    for (const std::uint64_t at : {listed.line.start, listed.line.end - 1}) {
      ASSERT_EQ(Ask(at), MapQuery::Answer::kFound) << listed.path;
      EXPECT_EQ(found_.line.start, listed.line.start);
      EXPECT_EQ(found_.line.end, listed.line.end);
      EXPECT_EQ(found_.line.offset, listed.line.offset);
      EXPECT_EQ(found_.line.inode, listed.line.inode);
      EXPECT_EQ(found_.line.dev_major, listed.line.dev_major);
      EXPECT_EQ(found_.line.dev_minor, listed.line.dev_minor);
      EXPECT_TRUE(found_.line.executable);
      EXPECT_FALSE(found_.line.deleted);
      EXPECT_EQ(std::string(found_.line.path), listed.path);
      std::uint8_t build_id[kMaxBuildIdBytes] = {};
      if (listed.line.image_start == 0 || listed.path[0] != '/') continue;
      const std::size_t bytes = ReadBuildId(listed.line.image_start, build_id);
      ASSERT_EQ(found_.build_id_bytes, bytes) << listed.path;
      EXPECT_EQ(std::memcmp(found_.build_id, build_id, bytes), 0) << listed.path;
    }
    ++compared;
  }
  EXPECT_GE(compared, 4);  // this program, the C library, the loader, the vdso
}

TEST_F(MapQueryTest, FindsNothingWhereNothingIsExecuted) {
  int on_the_stack = 0;
  EXPECT_EQ(Ask(reinterpret_cast<std::uint64_t>(&on_the_stack)), MapQuery::Answer::kNothing);
  EXPECT_EQ(Ask(16), MapQuery::Answer::kNothing);
}

TEST_F(MapQueryTest, NamesNoAnonymousMemory) {
  void* memory = mmap(nullptr, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(Ask(reinterpret_cast<std::uint64_t>(memory) + 5), MapQuery::Answer::kFound);
  EXPECT_EQ(found_.line.path, "");
  EXPECT_EQ(found_.build_id_bytes, 0u);
  munmap(memory, 8192);
}

TEST_F(MapQueryTest, SaysThatANameDoesNotFit) {
  char small[4];
  EXPECT_EQ(query_.Ask(reinterpret_cast<std::uint64_t>(&std::memcpy), small, sizeof small, found_),
            MapQuery::Answer::kNoRoom);
}

TEST(MapQueryWithoutProc, IsUnsupported) {
  MapQuery query("/proc/self/no-such-file");
  MapQuery::Found found;
  char name[64];
  EXPECT_EQ(query.Ask(16, name, sizeof name, found), MapQuery::Answer::kUnsupported);
}

}  // namespace
}  // namespace csink
