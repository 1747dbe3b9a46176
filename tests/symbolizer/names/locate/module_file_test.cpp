#include "symbolizer/names/locate/module_file.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "core/util/hex.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::BuildIdOf;
using testing::Nm;
using testing::OffsetOf;
using testing::RequestFor;
using testing::Workshop;

class OpenModuleTest : public ::testing::Test {
 protected:
  OpenModuleTest() {
    shop_.Write("a.c", "int First(int x) { return x * 3; }");
    shop_.Write("b.c", "int Second(int x) { return x + 1; } int Third(int x) { return x; }");
    shop_.Run("gcc -O1 -shared -fPIC -Wl,--build-id a.c -o lib.so");
    path_ = shop_.Path("lib.so");
    request_ =
        RequestFor(shop_, path_, {OffsetOf(shop_, path_, Nm(shop_, path_).at("First").start)});
  }
  void Replace(const std::string& flags = "-Wl,--build-id") {
    shop_.Run("rm lib.so && gcc -O1 -shared -fPIC " + flags + " b.c -o lib.so");
  }
  Location Only(const ModuleAnswer& answer) { return answer.locations.at(0); }

  Workshop shop_;
  std::string path_;
  ModuleRequest request_;
};

TEST_F(OpenModuleTest, TakesTheFileWithTheSameBuildId) {
  ASSERT_FALSE(request_.build_id.empty());
  EXPECT_EQ(Only(ResolveModule(request_, {})).function, "First");
}

TEST_F(OpenModuleTest, GivesNoNamesFromAFileReplacedSinceTheRun) {
  Replace();
  const auto answer = ResolveModule(request_, {});
  const auto brief = [&](const std::vector<std::uint8_t>& id) { return ToHex(id).substr(0, 16); };
  EXPECT_EQ(answer.problem, "file replaced since the run (build-id " + brief(request_.build_id) +
                                " ran, " + brief(testing::BuildIdOf(shop_, path_)) +
                                " is in the file now)");
  EXPECT_FALSE(answer.has_symbols);
  EXPECT_EQ(Only(answer).source, NameSource::kNone);
  char expected[64];
  std::snprintf(expected, sizeof expected, "[lib.so+0x%lx]",
                static_cast<unsigned long>(request_.file_offsets[0]));
  EXPECT_EQ(Only(answer).function, expected);
}

TEST_F(OpenModuleTest, RefusesAReplacementWithoutBuildId) {
  Replace("-Wl,--build-id=none");
  const std::string problem = ResolveModule(request_, {}).problem;
  EXPECT_TRUE(problem.starts_with("file replaced since the run (build-id ")) << problem;
  EXPECT_TRUE(problem.ends_with(" ran, none is in the file now)")) << problem;
}

TEST_F(OpenModuleTest, ComparesInodesWhereThereIsNoBuildId) {
  struct stat before;
  ASSERT_EQ(::stat(path_.c_str(), &before), 0);
  request_.build_id.clear();
  request_.device_major = major(before.st_dev);
  request_.device_minor = minor(before.st_dev);
  request_.inode = before.st_ino;
  EXPECT_EQ(Only(ResolveModule(request_, {})).function, "First");
  request_.inode += 1;
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file replaced since the run");
  // Another device in maps than in stat: inodes say nothing.
  request_.device_minor += 1;
  EXPECT_EQ(Only(ResolveModule(request_, {})).function, "First");
}

TEST_F(OpenModuleTest, SaysThatAFileWasDeleted) {
  shop_.Run("rm lib.so");
  request_.is_deleted = true;
  const auto answer = ResolveModule(request_, {});
  EXPECT_EQ(answer.problem, "file deleted since it was mapped");
  EXPECT_EQ(answer.locations.size(), 1u);
}

TEST_F(OpenModuleTest, TakesADeletedFileThatCameBackTheSame) {
  request_.is_deleted = true;
  EXPECT_EQ(Only(ResolveModule(request_, {})).function, "First");
  request_.build_id.clear();
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file deleted since it was mapped");
}

TEST_F(OpenModuleTest, SaysWhatIsWrongWithAFile) {
  request_.path = shop_.Path("nothing.so");
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file not found");
  request_.path = shop_.folder();
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file is not a regular file");
  request_.build_id.clear();
  request_.path = shop_.Path("a.c");
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file is not an ELF file");
}

TEST_F(OpenModuleTest, DoesNotHangOnAPipe) {
  request_.path = shop_.Path("pipe");
  ASSERT_EQ(::mkfifo(request_.path.c_str(), 0600), 0);
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file is not a regular file");
}

TEST_F(OpenModuleTest, SaysThatAFileMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  ASSERT_EQ(::chmod(path_.c_str(), 0), 0);
  EXPECT_EQ(ResolveModule(request_, {}).problem, "file cannot be opened: Permission denied");
}

TEST_F(OpenModuleTest, LooksBelowTheRoot) {
  Options options;
  options.root = shop_.folder();
  request_.path = "/lib.so";
  EXPECT_EQ(Only(ResolveModule(request_, options)).function, "First");
}

class OpenVdsoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    start_ = ::getauxval(AT_SYSINFO_EHDR);
    if (start_ == 0) GTEST_SKIP() << "no vdso here";
    // The note's bytes stand in memory; no reader of ours is needed to find them.
    const std::string page(reinterpret_cast<const char*>(start_), 4096);
    const std::size_t note = page.find(std::string("\x03\0\0\0GNU\0", 8));
    ASSERT_NE(note, std::string::npos);
    std::uint32_t size = 0;
    std::memcpy(&size, page.data() + note - 4, 4);
    request_.build_id.assign(page.begin() + static_cast<long>(note) + 8,
                             page.begin() + static_cast<long>(note) + 8 + size);
    request_.path = "[vdso]";
    request_.is_vdso = true;
    for (std::uint64_t offset = 0; offset < 8192; offset += 16) {
      request_.file_offsets.push_back(offset);
    }
  }
  std::uint64_t start_ = 0;
  ModuleRequest request_;
};

TEST_F(OpenVdsoTest, NamesFunctionsOfTheSameKernel) {
  const auto answer = ResolveModule(request_, {});
  EXPECT_EQ(answer.problem, "");
  std::set<std::string> names;
  for (const Location& location : answer.locations) names.insert(location.function);
  EXPECT_TRUE(names.contains("clock_gettime") || names.contains("__vdso_clock_gettime") ||
              names.contains("__kernel_clock_gettime"));
}

TEST_F(OpenVdsoTest, RefusesAnotherKernels) {
  request_.build_id[0] ^= 1;
  const auto answer = ResolveModule(request_, {});
  EXPECT_EQ(answer.problem, "the vdso belongs to another kernel");
  EXPECT_EQ(answer.locations[1].function, "[vdso+0x10]");
}

}  // namespace
}  // namespace csink::symbolizer
