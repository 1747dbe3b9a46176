#include "agent/signals/program_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace csink::agent {
namespace {

constexpr std::size_t kPage = 4096;

/// A page that can be read, and behind it one that cannot.
class ProgramMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* two =
        mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(two, MAP_FAILED);
    page_ = static_cast<char*>(two);
    ASSERT_EQ(mprotect(page_ + kPage, kPage, PROT_NONE), 0);
  }
  void TearDown() override { munmap(page_, 2 * kPage); }

  char* page_ = nullptr;
};

TEST_F(ProgramMemoryTest, IsThereUpToItsLastByte) {
  EXPECT_TRUE(MayRead(page_, kPage));
  EXPECT_TRUE(MayRead(page_ + kPage - 3, 3));
  EXPECT_FALSE(MayRead(page_ + kPage - 3, 4));
  EXPECT_FALSE(MayRead(page_ + kPage, 1));
  EXPECT_FALSE(MayRead(page_, 2 * kPage));
  EXPECT_TRUE(MayRead(nullptr, 0));
  for (const std::uintptr_t wrong : {std::uintptr_t{0}, std::uintptr_t{7}, std::uintptr_t{16},
                                     ~std::uintptr_t{0}, ~std::uintptr_t{0} - 8}) {
    EXPECT_FALSE(MayRead(reinterpret_cast<void*>(wrong), 1)) << wrong;
  }
}

TEST_F(ProgramMemoryTest, IsCopiedWholeOrNotAtAll) {
  std::memcpy(page_ + kPage - 8, "12345678", 8);
  char out[16] = "untouched";
  EXPECT_FALSE(CopyFromProgram(page_ + kPage - 8, out, 9));
  EXPECT_STREQ(out, "untouched");
  EXPECT_TRUE(CopyFromProgram(page_ + kPage - 8, out, 8));
  EXPECT_EQ(std::memcmp(out, "12345678", 8), 0);
}

TEST_F(ProgramMemoryTest, ListsOfTextsAreFollowedToTheEndOfEach) {
  EXPECT_TRUE(MayReadText(nullptr));
  EXPECT_TRUE(MayReadText(""));
  EXPECT_FALSE(MayReadText(reinterpret_cast<const char*>(16)));
  EXPECT_TRUE(MayReadTexts(nullptr));
  EXPECT_FALSE(MayReadTexts(reinterpret_cast<char* const*>(16)));
  char word[] = "A=1";
  char* list[] = {word, word, nullptr};
  EXPECT_TRUE(MayReadTexts(list));
  list[1] = reinterpret_cast<char*>(16);
  EXPECT_FALSE(MayReadTexts(list));
  list[1] = page_ + kPage - 4;
  std::memcpy(list[1], "B=2", 4);
  EXPECT_TRUE(MayReadTexts(list));
  list[1][3] = '3';  // and no end
  EXPECT_FALSE(MayReadTexts(list));
  auto* at_the_edge = reinterpret_cast<char**>(page_ + kPage) - 1;
  *at_the_edge = word;
  EXPECT_FALSE(MayReadTexts(at_the_edge));
  *at_the_edge = nullptr;
  EXPECT_TRUE(MayReadTexts(at_the_edge));
}

}  // namespace
}  // namespace csink::agent
