#include "compat/fortran/text.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace csink::fortran {
namespace {

/// A text that ends where a page ends, before one that nobody may touch.
class EdgeText {
 public:
  explicit EdgeText(const std::string& text) : length_(text.size()) {
    pages_ = static_cast<char*>(
        mmap(nullptr, Bytes() + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages_ + Bytes(), kPage, PROT_NONE);
    std::memcpy(data(), text.data(), length_);
  }
  EdgeText(const EdgeText&) = delete;
  EdgeText& operator=(const EdgeText&) = delete;
  ~EdgeText() { munmap(pages_, Bytes() + kPage); }
  char* data() { return pages_ + Bytes() - length_; }
  HiddenLength length() const { return static_cast<HiddenLength>(length_); }
  std::string text() { return {data(), length_}; }

 private:
  static constexpr std::size_t kPage = 65536;  // the largest of aarch64
  std::size_t Bytes() const { return (length_ / kPage + 1) * kPage; }
  std::size_t length_;
  char* pages_;
};

std::string Read(const std::string& argument) {
  EdgeText edge(argument);
  const InText text(edge.data(), edge.length());
  return text.ok() ? text.c_str() : "no memory";
}

TEST(InText, EndsBeforeTheBlanksThatFillTheVariable) {
  EXPECT_EQ(Read("PAPI_TOT_CYC      "), "PAPI_TOT_CYC");
  EXPECT_EQ(Read("PAPI_TOT_CYC"), "PAPI_TOT_CYC");
  EXPECT_EQ(Read("my region "), "my region");
}

TEST(InText, KeepsBlanksInFront) { EXPECT_EQ(Read("  name "), "  name"); }

TEST(InText, EndsAtTheNulThatAProgramPutThere) {
  EXPECT_EQ(Read(std::string("name\0rubbish", 12)), "name");
  EXPECT_EQ(Read(std::string("name  \0rubbish", 14)), "name");
}

TEST(InText, IsEmptyForBlanksAndForNothing) {
  EXPECT_EQ(Read("      "), "");
  EXPECT_EQ(Read(""), "");
  EXPECT_STREQ(InText(nullptr, 0).c_str(), "");
}

TEST(InText, TakesTextsOfEveryLengthWhole) {
  for (const std::size_t length : {255u, 256u, 257u, 1024u, 100'000u}) {
    const std::string text(length, 'x');
    EXPECT_EQ(Read(text + "   "), text);
  }
}

TEST(OutText, FillsWithBlanks) {
  EdgeText edge(std::string(8, 'x'));
  OutText(edge.data(), edge.length()).Give("abc");
  EXPECT_EQ(edge.text(), "abc     ");
}

TEST(OutText, CutsWhatDoesNotFit) {
  EdgeText edge("xxx");
  OutText(edge.data(), edge.length()).Give("abcdef");
  EXPECT_EQ(edge.text(), "abc");
}

TEST(OutText, TakesWhatACFunctionWrote) {
  EdgeText edge(std::string(4, 'x'));
  std::strcpy(OutText(edge.data(), edge.length()).buffer(), "ab");
  EXPECT_EQ(edge.text(), "ab  ");
}

TEST(OutText, StaysAsItWasWhenNothingIsGiven) {
  EdgeText edge("as it was");
  { const OutText untouched(edge.data(), edge.length()); }
  EXPECT_EQ(edge.text(), "as it was");
}

TEST(OutText, GivesAnEmptyTextAsBlanks) {
  EdgeText edge("xxx");
  OutText(edge.data(), edge.length()).Give("");
  EXPECT_EQ(edge.text(), "   ");
}

TEST(OutText, MayHaveNoRoomAtAll) { OutText(nullptr, 0).Give("abc"); }

}  // namespace
}  // namespace csink::fortran
