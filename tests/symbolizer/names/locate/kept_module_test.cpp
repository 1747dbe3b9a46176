#include "symbolizer/names/locate/kept_module.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "symbolizer/names/locate/live_process.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::BuildIdOf;
using testing::Workshop;

/// A made /proc with one process, whose executable is a file of the shop.
class KeptModule : public ::testing::Test {
 protected:
  void SetUp() override {
    shop_.Write("lib.c", "int Wanted(int x) { return x * 7; }");
    shop_.Run("gcc -O1 -shared -fPIC -Wl,--build-id lib.c -o lib.so && mkdir -p proc/42 kept");
    std::ofstream(shop_.Path("proc/42/stat"))
        << "42 (a) S 17 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 5000 1 2 3\n";
    std::filesystem::create_symlink(shop_.Path("lib.so"), shop_.Path("proc/42/exe"));
    request_.path = shop_.Path("lib.so");
    request_.build_id = BuildIdOf(shop_, request_.path);
    request_.kept_folder = shop_.Path("kept");
    request_.processes = {{42, 5000}};
    kept_ = request_.kept_folder + "/" + KeptName(request_);
  }
  bool Keep() { return KeepModule(request_, shop_.Path("proc")); }

  Workshop shop_;
  ModuleRequest request_;
  std::string kept_;
};

TEST_F(KeptModule, IsOpenedWhenTheProcessHasEnded) {
  ASSERT_TRUE(Keep());
  std::filesystem::remove_all(shop_.Path("proc"));
  std::filesystem::remove(request_.path);
  const auto elf = OpenKeptModule(request_);
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->BuildId(), request_.build_id);
  // The second process with the file has nothing to do.
  EXPECT_TRUE(Keep());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(request_.kept_folder), {}), 1);
}

TEST_F(KeptModule, HasANameByInodeWithoutABuildId) {
  request_.build_id.clear();
  EXPECT_EQ(KeptName(request_), "");
  EXPECT_FALSE(Keep());
  request_.device_major = 8;
  request_.device_minor = 1;
  request_.inode = 77;
  EXPECT_EQ(KeptName(request_), "module-8-1-77");
}

TEST_F(KeptModule, AnotherFileUnderItsNameIsRefused) {
  shop_.Run("printf 'int main(void) { return 3; }' > other.c && gcc -Wl,--build-id other.c -o " +
            kept_);
  EXPECT_FALSE(OpenKeptModule(request_));
  std::filesystem::remove(kept_);
  std::filesystem::create_symlink(request_.path, kept_);
  EXPECT_FALSE(OpenKeptModule(request_)) << "a link";
}

TEST_F(KeptModule, WithoutAFolderOrAProcessThereIsNone) {
  request_.processes = {{42, 4999}};
  EXPECT_FALSE(Keep());
  request_.processes = {{42, 5000}};
  request_.kept_folder = shop_.Path("nowhere");
  EXPECT_FALSE(Keep());
  request_.kept_folder.clear();
  EXPECT_FALSE(OpenKeptModule(request_));
}

}  // namespace
}  // namespace csink::symbolizer
