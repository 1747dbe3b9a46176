#include "profil/inside/regions/region_index.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using testing::SpoolBytes;
using testing::TemporaryFolder;

class RegionIndexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "a", header));
  }
  std::uint32_t Add(std::uint64_t start, std::uint64_t end, std::string_view path,
                    std::uint64_t offset = 0) {
    RegionIndex::Mapping mapping;
    mapping.start = start;
    mapping.end = end;
    mapping.file_offset = offset;
    mapping.path = path;
    index_->Add(*spool_, mapping);
    return index_->Find(start);
  }
  std::string PathAt(std::uint64_t pc) {
    const std::uint32_t id = index_->Find(pc);
    if (id == spool::kNone) return "";
    const SpoolBytes bytes(spool_->path());
    return bytes.PathOf(bytes.regions().at(id));
  }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<RegionIndex> index_ = std::make_unique<RegionIndex>();
};

using RegionIndexFind = RegionIndexTest;
using RegionIndexAdd = RegionIndexTest;
using RegionIndexReadMaps = RegionIndexTest;

TEST_F(RegionIndexFind, PutsAllKernelCodeIntoOneRegion) {
  EXPECT_FALSE(RegionIndex::IsKernel(0x00007fffffffffff));
  EXPECT_TRUE(RegionIndex::IsKernel(0xffffffff81000000));
  EXPECT_TRUE(RegionIndex::IsKernel(0xffff800080000000));
  const std::uint32_t id = index_->Kernel(*spool_);
  EXPECT_EQ(index_->Kernel(*spool_), id);
  const SpoolBytes bytes(spool_->path());
  ASSERT_EQ(bytes.regions().size(), 1u);
  const spool::RegionRecord region = bytes.regions().at(id);
  EXPECT_EQ(bytes.PathOf(region), "[kernel]");
  EXPECT_EQ(region.flags, spool::kRegionKernel);
  EXPECT_EQ(region.file_offset, region.start) << "offsets are addresses";
  index_->Clear();
  EXPECT_NE(index_->Kernel(*spool_), id) << "another spool has none yet";
}

TEST_F(RegionIndexAdd, CountsMappingsThatHaveNoRoom) {
  constexpr std::uint64_t kRoom = 4096;
  for (std::uint64_t i = 0; i < kRoom; ++i) Add(0x10000 + i * 0x2000, 0x11000 + i * 0x2000, "");
  EXPECT_EQ(index_->size(), kRoom);
  EXPECT_EQ(index_->lost(), 0u);
  for (std::uint64_t i = kRoom; i < kRoom + 7; ++i) {
    EXPECT_EQ(Add(0x10000 + i * 0x2000, 0x11000 + i * 0x2000, ""), spool::kNone);
  }
  EXPECT_EQ(index_->lost(), 7u);
  Add(0x10000, 0x11000, "/lib/other.so");
  EXPECT_EQ(index_->lost(), 7u) << "it has the place of another one";
  index_->Clear();
  EXPECT_EQ(index_->lost(), 0u);
}

TEST_F(RegionIndexFind, TakesTheFirstAddressInAndTheEndOut) {
  Add(0x2000, 0x3000, "/lib/b.so");
  EXPECT_EQ(index_->Find(0x1fff), spool::kNone);
  EXPECT_EQ(index_->Find(0x2000), 0u);
  EXPECT_EQ(index_->Find(0x2fff), 0u);
  EXPECT_EQ(index_->Find(0x3000), spool::kNone);
}

TEST_F(RegionIndexFind, FindsEachOfManyWhateverTheOrderTheyCameIn) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t at = 0x100000 + (i * 379 % 500) * 0x2000;
    ASSERT_EQ(Add(at, at + 0x1000, "/lib/x.so"), i);
  }
  EXPECT_EQ(index_->size(), 500u);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t at = 0x100000 + (i * 379 % 500) * 0x2000;
    ASSERT_EQ(index_->Find(at + 0xfff), i);
    ASSERT_EQ(index_->Find(at + 0x1000), spool::kNone);
  }
}

TEST_F(RegionIndexAdd, KeepsOneRegionForAMappingSeenTwice) {
  EXPECT_EQ(Add(0x1000, 0x2000, "/lib/a.so"), 0u);
  EXPECT_EQ(Add(0x1000, 0x2000, "/lib/a.so"), 0u);
  EXPECT_EQ(SpoolBytes(spool_->path()).regions().size(), 1u);
}

TEST_F(RegionIndexAdd, MakesANewRegionOfAnAddressThatIsUsedAgain) {
  EXPECT_EQ(Add(0x1000, 0x3000, "/lib/plugin-a.so"), 0u);
  EXPECT_EQ(Add(0x1000, 0x3000, "/lib/plugin-b.so"), 1u);
  EXPECT_EQ(Add(0x1000, 0x3000, "/lib/plugin-b.so", 0x4000), 2u) << "another part of the file";
  EXPECT_EQ(index_->size(), 1u);
  const SpoolBytes bytes(spool_->path());
  const auto regions = bytes.regions();
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(bytes.PathOf(regions[0]), "/lib/plugin-a.so") << "what is gone keeps its name";
  EXPECT_LT(regions[0].load_sequence, regions[1].load_sequence);
  EXPECT_LT(regions[1].load_sequence, regions[2].load_sequence);
}

TEST_F(RegionIndexAdd, CutsTheEndOfARegionThatIsOverlapped) {
  Add(0x1000, 0x3000, "/lib/old.so");
  Add(0x2000, 0x4000, "/lib/new.so");
  EXPECT_EQ(PathAt(0x1fff), "/lib/old.so");
  EXPECT_EQ(PathAt(0x2000), "/lib/new.so");
  EXPECT_EQ(PathAt(0x3fff), "/lib/new.so");
}

TEST_F(RegionIndexAdd, CutsTheBeginningOfARegionThatIsOverlapped) {
  Add(0x2000, 0x4000, "/lib/old.so");
  Add(0x1000, 0x3000, "/lib/new.so");
  EXPECT_EQ(PathAt(0x2fff), "/lib/new.so");
  EXPECT_EQ(PathAt(0x3000), "/lib/old.so");
}

TEST_F(RegionIndexAdd, LeavesBothEndsOfARegionThatIsSplit) {
  Add(0x1000, 0x9000, "/lib/old.so");
  Add(0x3000, 0x5000, "/lib/new.so");
  EXPECT_EQ(PathAt(0x2fff), "/lib/old.so");
  EXPECT_EQ(PathAt(0x3000), "/lib/new.so");
  EXPECT_EQ(PathAt(0x4fff), "/lib/new.so");
  EXPECT_EQ(PathAt(0x5000), "/lib/old.so");
  EXPECT_EQ(PathAt(0x8fff), "/lib/old.so");
  EXPECT_EQ(PathAt(0x9000), "");
  EXPECT_EQ(index_->size(), 3u);
}

TEST_F(RegionIndexAdd, SwallowsEverythingBelowALargeMapping) {
  for (std::uint64_t at = 0x1000; at < 0x9000; at += 0x1000) Add(at, at + 0x800, "/lib/small.so");
  Add(0x1400, 0x8400, "/lib/large.so");
  EXPECT_EQ(PathAt(0x13ff), "/lib/small.so");
  EXPECT_EQ(PathAt(0x1400), "/lib/large.so");
  EXPECT_EQ(PathAt(0x83ff), "/lib/large.so");
  EXPECT_EQ(PathAt(0x8400), "/lib/small.so");
  EXPECT_EQ(index_->size(), 3u);
}

TEST_F(RegionIndexAdd, AgreesWithAPlainPictureOfMemory) {
  std::vector<std::string> picture(64);
  std::uint64_t random = 12345;
  for (int i = 0; i < 400; ++i) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t from = (random >> 33) % 60;
    const std::uint64_t to = from + 1 + (random >> 50) % (63 - from);
    const std::string path = "/lib/" + std::to_string(i);
    Add(from * 0x1000 + 0x1000, to * 0x1000 + 0x1000, path);
    for (std::uint64_t page = from; page < to; ++page) picture[page] = path;
  }
  for (std::uint64_t page = 0; page < picture.size(); ++page) {
    EXPECT_EQ(PathAt(page * 0x1000 + 0x1000), picture[page]) << page;
  }
}

TEST_F(RegionIndexAdd, ForgetsTheOldLibraryEvenWhenTheNewOneFindsNoRoom) {
  Add(0x1000, 0x2000, "/lib/old.so");
  spool_->Freeze();
  while (spool_->AddRegion({}, "x") != spool::kNone) {
  }
  EXPECT_EQ(Add(0x1000, 0x2000, "/lib/new.so"), spool::kNone)
      << "better no name than the wrong one";
}

TEST_F(RegionIndexAdd, SaysWhatKindOfMemoryItIs) {
  Add(0x1000, 0x2000, "[vdso]");
  Add(0x3000, 0x4000, "");
  Add(0x5000, 0x6000, "/lib/a.so");
  Add(0x7000, 0x8000, "[heap]");
  const auto regions = SpoolBytes(spool_->path()).regions();
  EXPECT_EQ(regions[0].flags, spool::kRegionVdso);
  EXPECT_EQ(regions[1].flags, spool::kRegionAnonymous);
  EXPECT_EQ(regions[2].flags, 0u);
  EXPECT_EQ(regions[3].flags, spool::kRegionAnonymous);
}

TEST_F(RegionIndexAdd, KeepsFindingWhenTheTableIsFull) {
  for (std::uint64_t i = 0; i < 5000; ++i) Add(0x10000 + i * 0x2000, 0x11000 + i * 0x2000, "");
  EXPECT_LE(index_->size(), 5000u);
  EXPECT_EQ(index_->Find(0x10000), 0u);
  EXPECT_EQ(index_->Find(0x10000 + 4000 * 0x2000), 4000u);
}

TEST_F(RegionIndexReadMaps, FindsTheCodeOfThisTestAndItsBuild) {
  index_->ReadMaps(*spool_);
  const auto pc = reinterpret_cast<std::uint64_t>(&getpagesize);
  EXPECT_NE(PathAt(pc).find("libc"), std::string::npos) << PathAt(pc);
  const SpoolBytes bytes(spool_->path());
  const spool::RegionRecord region = bytes.regions().at(index_->Find(pc));
  EXPECT_NE(region.inode, 0u);
  EXPECT_GT(region.build_id_bytes, 0u) << "Debian's libc has one";
  const auto own = reinterpret_cast<std::uint64_t>(&RegionIndexReadMaps::SetUpTestSuite);
  EXPECT_NE(index_->Find(own), spool::kNone);
}

TEST_F(RegionIndexReadMaps, AddsNothingTheSecondTimeButWhatIsNew) {
  index_->ReadMaps(*spool_);
  const std::size_t before = SpoolBytes(spool_->path()).regions().size();
  index_->ReadMaps(*spool_);
  EXPECT_EQ(SpoolBytes(spool_->path()).regions().size(), before);
  void* code = mmap(nullptr, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  index_->ReadMaps(*spool_);
  EXPECT_NE(index_->Find(reinterpret_cast<std::uint64_t>(code)), spool::kNone);
  munmap(code, 0x1000);
}

TEST_F(RegionIndexReadMaps, ReadsTheBuildOfAMappingThatARecordNamedFirst) {
  index_->ReadMaps(*spool_);
  const auto pc = reinterpret_cast<std::uint64_t>(&getpagesize);
  const spool::RegionRecord libc = *spool_->At<spool::RegionRecord>(index_->Find(pc));
  const std::string path = PathAt(pc);
  index_->Clear();
  const std::uint32_t id = Add(libc.start, libc.end, path, libc.file_offset);
  EXPECT_EQ(spool_->At<spool::RegionRecord>(id)->build_id_bytes, 0u);
  index_->ReadMaps(*spool_);
  EXPECT_EQ(index_->Find(pc), id);
  EXPECT_EQ(spool_->At<spool::RegionRecord>(id)->build_id_bytes, libc.build_id_bytes);
  EXPECT_EQ(std::memcmp(spool_->At<spool::RegionRecord>(id)->build_id, libc.build_id, 20), 0);
}

TEST_F(RegionIndexReadMaps, TakesTextThatMovedToOtherMemoryForWhatItWas) {
  // A library that nobody calls meanwhile.
  void* library = ::dlopen("libgfortran.so.5", RTLD_NOW);
  if (library == nullptr) library = ::dlopen("libsqlite3.so.0", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << "neither libgfortran nor libsqlite3 is here";
  const link_map* map = nullptr;
  ASSERT_EQ(::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)), 0);
  const auto image = reinterpret_cast<std::uintptr_t>(map->l_addr);
  index_->ReadMaps(*spool_);
  std::uintptr_t page = image & ~std::uintptr_t{4095};
  while (index_->Find(page) == spool::kNone) page += 4096;
  page += 4096;
  const std::uint32_t text = index_->Find(page);
  const std::string path = PathAt(page);
  ASSERT_NE(path.find(".so"), std::string::npos);
  // The code goes with it, as in programs that move theirs to huge pages.
  const std::string code(reinterpret_cast<const char*>(page), 4096);
  const auto put_memory_there = [&] {
    void* const at = reinterpret_cast<void*>(page);
    ASSERT_EQ(
        ::mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
        at);
    code.copy(static_cast<char*>(at), code.size());
    ASSERT_EQ(::mprotect(at, 4096, PROT_READ | PROT_EXEC), 0);
    index_->ReadMaps(*spool_);
    // A mapping record says the same.
    Add(page, page + 4096, "");
  };
  put_memory_there();
  RegionIndex::Located located;
  ASSERT_TRUE(index_->Locate(page, located));
  EXPECT_EQ(PathAt(page), path);
  const spool::RegionRecord before = SpoolBytes(spool_->path()).regions().at(text);
  const spool::RegionRecord now = SpoolBytes(spool_->path()).regions().at(located.id);
  EXPECT_EQ(page - now.start + now.file_offset, page - before.start + before.file_offset);

  // Without the library around it, it is a JIT's.
  ::dlclose(library);
  put_memory_there();
  EXPECT_EQ(PathAt(page), "");
  ::munmap(reinterpret_cast<void*>(page), 4096);
}

TEST_F(RegionIndexTest, HasOneCatchAllForPcsWithoutAMapping) {
  const std::uint32_t unknown = index_->Unknown(*spool_);
  EXPECT_EQ(index_->Unknown(*spool_), unknown);
  EXPECT_EQ(SpoolBytes(spool_->path()).regions().at(unknown).flags, spool::kRegionUnknown);
  EXPECT_EQ(index_->size(), 0u);
}

}  // namespace
}  // namespace csink
