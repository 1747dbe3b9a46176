#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "symbolizer/names/kernel/kernel.h"

namespace csink::symbolizer {
namespace {

class ResolveKernelTest : public ::testing::Test {
 protected:
  ResolveKernelTest() {
    const int fd = mkstemp(path_);
    close(fd);
  }
  ~ResolveKernelTest() override { unlink(path_); }

  ModuleAnswer Resolve(const std::string& list, std::vector<std::uint64_t> addresses,
                       bool running = true) {
    std::ofstream(path_) << list;
    ModuleRequest request;
    request.path = kKernelPath;
    request.is_running_kernel = running;
    request.file_offsets = std::move(addresses);
    return ResolveKernel(request, path_);
  }

  char path_[32] = "/tmp/csink-kernel-XXXXXX";
};

constexpr char kList[] =
    "ffffffff81000000 T _stext\n"
    "ffffffffc0000100 t ext4_read\t[ext4]\n"
    "ffffffff81002000 d some_data\n"
    "ffffffff81001000 t vfs_read\n"
    "ffffffff81001800 W weak_one\n"
    "not a line\n\n"
    "ffffffffc0000000 T ext4_init\t[ext4]\n";

TEST_F(ResolveKernelTest, NamesTheClosestFunctionBelow) {
  const auto answer = Resolve(kList, {0xffffffff80ffffff, 0xffffffff81000000, 0xffffffff81001004,
                                      0xffffffff81001fff, 0xffffffff81005000, 0xffffffffc0000104});
  ASSERT_EQ(answer.locations.size(), 6u);
  const char* const names[] = {"[kernel]", "_stext",   "vfs_read",
                               "weak_one", "weak_one", "ext4_read [ext4]"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(answer.locations[i].function, names[i]) << i;
  EXPECT_EQ(answer.locations[0].source, NameSource::kNone);
  EXPECT_EQ(answer.locations[2].source, NameSource::kSymbol);
  EXPECT_EQ(answer.locations[2].function_vaddr, 0xffffffff81001000);
  EXPECT_EQ(answer.problem, "");
}

TEST_F(ResolveKernelTest, KnowsThePageOfOldSystemCalls) {
  const auto answer = Resolve(
      kList, {0xffffffffff600000, 0xffffffffff600404, 0xffffffffff600800, 0xffffffffff600c00});
  const char* const names[] = {"gettimeofday [vsyscall]", "time [vsyscall]", "getcpu [vsyscall]"};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(answer.locations[i].function, names[i]);
  EXPECT_NE(answer.locations[3].function.find("ext4"), std::string::npos) << "a plain address";
}

TEST_F(ResolveKernelTest, SaysWhatShowsHiddenAddresses) {
  const auto answer = Resolve("0000000000000000 T _stext\n", {0xffffffff81000000});
  EXPECT_EQ(answer.locations.at(0).function, "[kernel]");
  EXPECT_NE(answer.problem.find("kernel.kptr_restrict"), std::string::npos);
  EXPECT_TRUE(answer.has_symbols) << "no debug package would help";
}

TEST_F(ResolveKernelTest, NamesNothingOfAnotherKernel) {
  const auto answer = Resolve(kList, {0xffffffff81001004}, false);
  EXPECT_EQ(answer.locations.at(0).function, "[kernel]");
  EXPECT_NE(answer.problem.find("machine of the run"), std::string::npos);
}

TEST_F(ResolveKernelTest, SurvivesAMissingList) {
  ModuleRequest request;
  request.path = kKernelPath;
  request.is_running_kernel = true;
  request.file_offsets = {0xffffffff81001004};
  EXPECT_EQ(ResolveKernel(request, "/no/such/list").locations.at(0).function, "[kernel]");
}

}  // namespace
}  // namespace csink::symbolizer
