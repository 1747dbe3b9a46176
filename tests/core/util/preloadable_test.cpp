#include "core/util/preloadable.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/util/unique_fd.h"

namespace csink {
namespace {

class Preloadable : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/csink-preloadable-XXXXXX";
    folder_ = mkdtemp(name);
    std::ifstream own("/proc/self/exe", std::ios::binary);
    own.read(reinterpret_cast<char*>(&header_), sizeof header_);
    header_.e_phoff = sizeof header_;
    header_.e_phnum = 1;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return folder_ + "/" + name;
  }
  /// A program of one segment, which names `linker`; "": it has none.
  std::string Program(const std::string& linker) const {
    Elf64_Phdr segment = {};
    segment.p_type = linker.empty() ? PT_LOAD : PT_INTERP;
    segment.p_offset = sizeof header_ + sizeof segment;
    segment.p_filesz = linker.size() + 1;
    std::string bytes(reinterpret_cast<const char*>(&header_), sizeof header_);
    bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
    return bytes + linker + '\0';
  }
  static PreloadObstacle Find(const std::string& path) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return FindPreloadObstacle(fd.get(), path);
  }

  std::string folder_;
  Elf64_Ehdr header_ = {};
};

TEST_F(Preloadable, IsAProgramOfTheDynamicLinker) {
  EXPECT_EQ(Find("/proc/self/exe"), PreloadObstacle::kNone);
  EXPECT_EQ(Find(Write("own", Program("/lib64/ld-linux-x86-64.so.2"))), PreloadObstacle::kNone);
}

TEST_F(Preloadable, IsNoStaticProgram) {
  EXPECT_EQ(Find(Write("static", Program(""))), PreloadObstacle::kStatic);
  // The dynamic linker itself has none, and takes LD_PRELOAD for the program it runs.
  EXPECT_EQ(Find(Write("ld-linux-x86-64.so.2", Program(""))), PreloadObstacle::kNone);
}

TEST_F(Preloadable, IsNoProgramOfMusl) {
  EXPECT_EQ(Find(Write("musl", Program("/lib/ld-musl-x86_64.so.1"))), PreloadObstacle::kMusl);
}

TEST_F(Preloadable, IsNoProgramOfAnotherMachine) {
  header_.e_machine = EM_S390;
  EXPECT_EQ(Find(Write("other", Program(""))), PreloadObstacle::kOtherMachine);
  header_.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(Find(Write("small", Program(""))), PreloadObstacle::kOtherMachine);
}

TEST_F(Preloadable, IsNoProgramOfSomebodyElsesGroup) {
  const std::string path = Write("setgid", Program("/lib64/ld-linux-x86-64.so.2"));
  if (chown(path.c_str(), static_cast<uid_t>(-1), getgid() + 1) != 0) {
    GTEST_SKIP() << "files can be given to other groups by root alone";
  }
  ASSERT_EQ(chmod(path.c_str(), 02755), 0);
  EXPECT_EQ(Find(path), PreloadObstacle::kSetId);
  ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  EXPECT_EQ(Find(path), PreloadObstacle::kNone);
}

TEST_F(Preloadable, IsAScriptAsFarAsItsInterpreterIs) {
  const std::string still = Write("static", Program(""));
  const std::string first = Write("first", "#! " + still + " -x\n");
  const std::string second = Write("second", "#!" + first + "\n");
  EXPECT_EQ(Find(first), PreloadObstacle::kStatic);
  EXPECT_EQ(Find(second), PreloadObstacle::kStatic);
  EXPECT_EQ(Find(Write("dynamic", "#!/proc/self/exe\n")), PreloadObstacle::kNone);
  EXPECT_EQ(Find(Write("lost", "#!/not/there\n")), PreloadObstacle::kNone);
  EXPECT_EQ(Find(Write("itself", "#!" + folder_ + "/itself\n")), PreloadObstacle::kNone);
}

TEST_F(Preloadable, IsWhatCannotBeTold) {
  EXPECT_EQ(Find("/not/there"), PreloadObstacle::kNone);
  EXPECT_EQ(Find(folder_), PreloadObstacle::kNone);
  EXPECT_EQ(Find(Write("empty", "")), PreloadObstacle::kNone);
  EXPECT_EQ(Find(Write("text", "exit 7\n")), PreloadObstacle::kNone);
  header_.e_phoff = std::uint64_t{1} << 62;
  EXPECT_EQ(Find(Write("beyond", Program(""))), PreloadObstacle::kNone);
  header_.e_phoff = ~std::uint64_t{0};
  EXPECT_EQ(Find(Write("wraps", Program(""))), PreloadObstacle::kNone);
}

}  // namespace
}  // namespace csink
